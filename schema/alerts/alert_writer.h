// Writes what was found of many alerts, many rows a statement.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_chart.h"
#include "schema/alerts/alert_history.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// For who finds alerts, who holds the write transaction and counts a revision. Nothing of what is
/// written may be read, nor numbered, before flush().
class AlertWriter {
 public:
  explicit AlertWriter(Connection& connection);
  AlertWriter(AlertWriter&&) noexcept;
  ~AlertWriter();

  /// Keeps a new alert without a number, until number_parked_alerts() is called in the same
  /// transaction. Returns by what it is known until then. The fields that people set and those that
  /// follow are not looked at.
  Expected<AlertId> park(const Alert& alert, const AlertDetails& details);
  /// Sets all that was found of an alert that there is but accelerator_model, key and first_seen,
  /// which tell how it was first seen. Each alert once between two flushes. Error, now or of
  /// flush(): kNotFound.
  Expected<void> update(const Alert& found, const AlertDetails& details);
  /// Puts the nights in place of those that there are.
  Expected<void> put_chart(AlertId id, const AlertHeadline& headline,
                           const std::vector<AlertChartNight>& nights);
  /// Puts the history in place of what there is.
  Expected<void> put_history(AlertId id, std::span<const AlertEvent> events);

  /// Writes what was held back. Returns whether anything was different, but for alerts that are
  /// parked, since this was called last.
  Expected<bool> flush();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::schema
