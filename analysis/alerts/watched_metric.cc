#include "analysis/alerts/watched_metric.h"

namespace benchhud::analysis {

int worse_of(double change, schema::Direction better) {
  if (better == schema::Direction::kNeither || change == 0) return 0;
  return (change > 0) == (better == schema::Direction::kLowerIsBetter) ? 1 : -1;
}

const std::array<WatchedMetricInfo, kWatchedMetrics>& watched_metrics() {
  using enum WatchedMetric;
  constexpr auto kTimed = MetricKind::kTimed;
  constexpr auto kCount = MetricKind::kCount;
  constexpr auto kVerdict = MetricKind::kVerdict;
  using enum schema::Direction;
  // Compiling happens once a night, with warm and cold caches of the file system: it repeats worse
  // than what is repeated.
  static constexpr std::array<WatchedMetricInfo, kWatchedMetrics> kInfos = {{
      {kSteady, "steady", "steady time", "s", kLowerIsBetter, kTimed, 0.02},
      {kSpeedup, "speedup", "speedup", "", kHigherIsBetter, kTimed, 0.02},
      {kCompile, "compile", "compile time", "s", kLowerIsBetter, kTimed, 0.1},
      {kTracing, "tracing", "tracing time", "s", kLowerIsBetter, kTimed, 0.05},
      {kDevice, "device", "device time", "s", kLowerIsBetter, kTimed, 0.02},
      {kGraphBreaks, "graph_breaks", "graph breaks", "count", kLowerIsBetter, kCount, 0},
      {kGraphs, "graphs", "captured graphs", "count", kNeither, kCount, 0},
      {kRecompiles, "recompiles", "recompilations", "count", kLowerIsBetter, kCount, 0},
      {kXlaCompilations, "xla_compilations", "XLA compilations after the first repetition", "count",
       kLowerIsBetter, kCount, 0},
      {kFallbackOperations, "fallback_operations", "calls that fell back to the CPU", "count",
       kLowerIsBetter, kCount, 0},
      {kVerification, "verification", "verification", "", kNeither, kVerdict, 0},
      {kTiming, "timing", "timing", "", kNeither, kVerdict, 0},
      {WatchedMetric::kDrift, "drift", "drift of the steady time", "s", kLowerIsBetter,
       MetricKind::kDrift, 0.05},
  }};
  return kInfos;
}

const WatchedMetricInfo& watched_metric_info(WatchedMetric metric) {
  return watched_metrics()[place_of(metric)];
}

std::optional<WatchedMetric> watched_metric_of(std::string_view name) {
  for (const WatchedMetricInfo& info : watched_metrics()) {
    if (info.name == name) return info.metric;
  }
  return std::nullopt;
}

}  // namespace benchhud::analysis
