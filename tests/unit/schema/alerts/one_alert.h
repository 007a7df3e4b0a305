// Alerts written one by one, each with what a search of alerts does around it.
#pragma once

#include <algorithm>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_writer.h"
#include "schema/base/errors.h"
#include "schema/results/results.h"

namespace benchhud::schema {

/// Keeps a new alert and gives it its number.
inline Expected<AlertId> add_alert(Connection& connection, const Alert& alert,
                                   const AlertDetails& details = {}) {
  AlertWriter writer(connection);
  BENCHHUD_ASSIGN(const AlertId parked, writer.park(alert, details));
  BENCHHUD_TRY(writer.flush());
  BENCHHUD_ASSIGN(const auto numbered, number_parked_alerts(connection));
  const auto found = std::ranges::find(numbered, parked, &NumberedAlert::parked);
  if (found == numbered.end()) return Error{ErrorCode::kInternal, "it was given no number"};
  return found->number;
}

/// Sets what was found of one that there is. Returns whether anything was different.
inline Expected<bool> update_alert(Connection& connection, const Alert& found,
                                   const AlertDetails& details = {}) {
  AlertWriter writer(connection);
  BENCHHUD_TRY(writer.update(found, details));
  BENCHHUD_ASSIGN(const bool is_changed, writer.flush());
  if (is_changed) {
    BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, next_revision(connection));
  }
  return is_changed;
}

}  // namespace benchhud::schema
