// What the number of an alert was judged by, night by night: what its chart draws.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

struct AlertChartNight {
  RunId run{};
  /// In the unit of the headline's metric; of an alert about many series, a multiple of their
  /// levels before it.
  double value = 0;
  /// Of one series, between which the value is at 95 %, as its repetitions tell; of many series,
  /// the quartiles. None where it is not known.
  std::optional<double> low, high;
  std::int64_t count = 0;  ///< of repetitions or series

  bool operator==(const AlertChartNight&) const = default;
};

/// Oldest first; empty where nothing was kept of what the alert's headline is about now. The runs
/// may be gone.
Expected<std::vector<AlertChartNight>> alert_chart(Connection& connection, AlertId id);
/// The alerts of which something is kept so, by number.
Expected<std::vector<AlertId>> alerts_with_chart(Connection& connection);

/// The text that the store keeps: a JSON list of [run, value, low or null, high or null, count].
std::string chart_text(const std::vector<AlertChartNight>& nights);

}  // namespace benchhud::schema
