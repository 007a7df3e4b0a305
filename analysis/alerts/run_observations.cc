#include "analysis/alerts/run_observations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "analysis/statistics/estimators.h"
#include "analysis/timing/phases.h"

namespace benchhud::analysis {
namespace {

std::optional<Night> steady_night(std::span<const double> samples) {
  return night_of(steady_samples(samples));
}

std::optional<Night> lone_night(std::optional<double> value) {
  if (!value) return std::nullopt;
  return night_of(std::span(&*value, 1));
}

// Compilations in repetitions that should not compile any more.
std::optional<std::int64_t> later_compilations(const TimingFacts& facts) {
  if (facts.compile_number.empty()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = warmup_count(facts.compile_number.size()); i < facts.compile_number.size();
       ++i) {
    const auto number = usable_sample(facts.compile_number, i);
    if (!number) return std::nullopt;
    sum += *number;
  }
  constexpr double kMost = 1e15;
  return sum < kMost ? std::optional(std::llround(sum)) : std::nullopt;
}

std::optional<std::int64_t> unusual_calls(const std::vector<FallbackOperation>& fallbacks) {
  double calls = 0;
  for (const FallbackOperation& operation : fallbacks) {
    if (!operation.usual) calls += operation.times.calls;
  }
  constexpr double kMost = 1e15;
  return calls < kMost ? std::optional(std::llround(calls)) : std::nullopt;
}

}  // namespace

void observe_timing(const TimingFacts& facts, const std::optional<DynamoReport>& dynamo,
                    const std::optional<std::vector<FallbackOperation>>& fallbacks,
                    ExperimentObservation* night) {
  const auto time = [&](WatchedMetric metric) -> std::optional<Night>& {
    return night->times[place_of(metric)];
  };
  const auto count = [&](WatchedMetric metric) -> std::optional<std::int64_t>& {
    return night->counts[place_of(metric) - kTimedMetrics];
  };
  // Not of a repetition: how many calls one has may be another number tomorrow.
  const double iterations =
      static_cast<double>(std::max(facts.iterations_per_run.value_or(1), std::int64_t{1}));
  const auto steady = [&](std::span<const double> samples) {
    auto of_all = steady_night(samples);
    if (of_all) of_all->level -= std::log(iterations);
    return of_all;
  };
  time(WatchedMetric::kSteady) = steady(facts.total_time);
  time(WatchedMetric::kCompile) = lone_night(compile_time(facts, dynamo.value_or(DynamoReport())));
  time(WatchedMetric::kTracing) = steady(facts.trace_time);
  time(WatchedMetric::kDevice) =
      steady(facts.execute_time.empty() ? facts.cuda_time : facts.execute_time);
  if (dynamo && dynamo->repetitions > 0) {
    count(WatchedMetric::kGraphBreaks) = dynamo->graph_break_count;
    count(WatchedMetric::kGraphs) = dynamo->unique_graphs;
    count(WatchedMetric::kRecompiles) = dynamo->recompiles;
  }
  count(WatchedMetric::kXlaCompilations) = later_compilations(facts);
  if (fallbacks) count(WatchedMetric::kFallbackOperations) = unusual_calls(*fallbacks);
}

Night speedup(const Night& baseline, const Night& steady) {
  return {baseline.level - steady.level, baseline.variance + steady.variance,
          std::min(baseline.count, steady.count)};
}

std::vector<std::optional<schema::ExperimentId>> add_speedups(const Catalog& catalog,
                                                              std::string_view backend,
                                                              RunObservations* night) {
  struct Base {
    const ExperimentObservation* result = nullptr;
    bool ambiguous = false;
  };
  std::unordered_map<std::size_t, Base> bases;  // by comparable
  for (const ExperimentObservation& result : night->results) {
    const CatalogEntry* entry = catalog.find(result.experiment);
    if (entry == nullptr || entry->backend() != backend || !result.times[0]) continue;
    Base& base = bases[entry->comparable()];
    base.ambiguous = base.result != nullptr;
    if (base.result == nullptr) base.result = &result;
  }
  std::vector<std::optional<schema::ExperimentId>> baselines(night->results.size());
  for (std::size_t i = 0; i < night->results.size(); ++i) {
    ExperimentObservation& result = night->results[i];
    const CatalogEntry* entry = catalog.find(result.experiment);
    if (entry == nullptr || entry->backend() == backend || !result.times[0]) continue;
    const auto base = bases.find(entry->comparable());
    if (base == bases.end() || base->second.ambiguous) continue;
    result.times[place_of(WatchedMetric::kSpeedup)] =
        speedup(*base->second.result->times[0], *result.times[0]);
    baselines[i] = base->second.result->experiment;
  }
  return baselines;
}

}  // namespace benchhud::analysis
