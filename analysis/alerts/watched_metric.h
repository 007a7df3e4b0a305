// What is watched of a result from night to night.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "schema/model/metric.h"

namespace benchhud::analysis {

enum class WatchedMetric : std::uint8_t {
  // Times and ratios: they have noise, and what changes is found by find_changes().
  kSteady,   ///< an iteration's time in steady repetitions, s
  kSpeedup,  ///< the baseline's steady time of the same night by the result's
  kCompile,  ///< what the first repetition compiled for, s
  kTracing,  ///< an iteration's time until its calls return, likewise, s
  kDevice,   ///< an iteration's time on the device, likewise, s
  // Counts: exact, any change is a change. None of a cache's: those follow what ran before.
  kGraphBreaks,
  kGraphs,              ///< graphs that Dynamo captured
  kRecompiles,          ///< what Dynamo calls so
  kXlaCompilations,     ///< of steady repetitions
  kFallbackOperations,  ///< calls of operations that lack a lowering
  // Verdicts.
  kVerification,  ///< the verifier's code
  kTiming,        ///< whether it could be timed
  // What no single night changed.
  kDrift,  ///< the steady time against the best stretch and pinned nights (drift_detector.h)
};
inline constexpr std::size_t kTimedMetrics = 5;  ///< the first ones
inline constexpr std::size_t kCountMetrics = 5;  ///< those after them
inline constexpr std::size_t kWatchedMetrics = 13;

enum class MetricKind : std::uint8_t { kTimed, kCount, kVerdict, kDrift };

struct WatchedMetricInfo {
  WatchedMetric metric{};
  std::string_view name;   ///< "steady", …: as in addresses and files
  std::string_view title;  ///< for people, within a sentence: "steady time"
  std::string_view unit;   ///< "s", "count", ""
  schema::Direction better{};
  MetricKind kind{};
  /// A smaller change is not told, as a share of the level before; counts: 0.
  double least_effect = 0;
};

/// A better level that lasted so many nights is what people count on: its loss is a change for the
/// worse like any other, not merely the end of the improvement.
inline constexpr std::size_t kSettledNights = 20;

/// 1 where what grew (`change` > 0) or shrank got worse by it, -1 where better, 0 where neither.
int worse_of(double change, schema::Direction better);

/// All of them, in the order of the enumeration.
const std::array<WatchedMetricInfo, kWatchedMetrics>& watched_metrics();
const WatchedMetricInfo& watched_metric_info(WatchedMetric metric);
std::optional<WatchedMetric> watched_metric_of(std::string_view name);

/// By which times of a fleet's series a metric is judged: speedups and drifts follow from steady
/// times, all others are judged by their own.
constexpr WatchedMetric judged_metric_of(WatchedMetric metric) {
  const bool is_of_steady = metric == WatchedMetric::kSpeedup || metric == WatchedMetric::kDrift;
  return is_of_steady ? WatchedMetric::kSteady : metric;
}

constexpr std::size_t place_of(WatchedMetric metric) { return static_cast<std::size_t>(metric); }

}  // namespace benchhud::analysis
