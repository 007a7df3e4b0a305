#include "analysis/alerts/common_causes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace benchhud::analysis {

namespace {

// The place of a name; one that is new gets the next.
std::size_t number_of(std::string_view name, std::vector<std::string>* names) {
  const auto known = std::ranges::find(*names, name);
  const auto number = static_cast<std::size_t>(known - names->begin());
  if (number == names->size()) names->emplace_back(name);
  return number;
}

}  // namespace

std::size_t CommonCauses::backend_number(std::string_view backend) {
  return number_of(backend, &backends_);
}

std::size_t CommonCauses::machine_number(std::string_view machine) {
  const bool is_known = std::ranges::find(machines_, machine) != machines_.end();
  if (machine.empty() || (!is_known && machines_.size() == kMostMachines)) return 0;
  return number_of(machine, &machines_);
}

bool CommonCauses::is_new_machine(std::string_view machine) const {
  return !machine.empty() && !machines_.empty() && machines_.size() < kMostMachines &&
         std::ranges::find(machines_, machine) == machines_.end();
}

std::vector<CommonChangeDetector::Value> CommonCauses::values_of(WatchedMetric metric,
                                                                 const RunObservations& night,
                                                                 const IsWatched& is_watched) {
  OfMetric& own = of(metric);
  std::vector<std::pair<const CatalogEntry*, double>> timed;
  for (const ExperimentObservation& result : night.results) {
    const auto& time = result.times[place_of(metric)];
    const CatalogEntry* entry = time ? catalog_.find(result.experiment) : nullptr;
    if (entry != nullptr && is_watched(*entry, metric)) timed.emplace_back(entry, time->level);
  }
  // Sums of numbers depend on their order: it is that of the catalog, whatever the ids.
  std::ranges::sort(timed, {}, [&](const auto& one) { return catalog_.place(*one.first); });
  std::vector<CommonChangeDetector::Value> values;
  for (const auto& [entry, level] : timed) {
    const auto [series, is_new] = own.series.try_emplace(entry->id(), own.experiments.size());
    if (is_new) {
      own.experiments.push_back(entry->id());
      own.detector.add_series(entry->model(), backend_number(entry->backend()));
    }
    values.push_back({series->second, level});
  }
  return values;
}

void CommonCauses::add(std::size_t number, RunObservations* night, const IsWatched& is_watched) {
  const std::size_t machine = machine_number(night->machine);
  for (const WatchedMetric metric : kMetrics) {
    const auto values = values_of(metric, *night, is_watched);
    OfMetric& own = of(metric);
    if (own.experiments.empty()) continue;
    own.detector.add(number, values, machine);
    const std::vector<double>& levels = own.detector.judged().back().levels;
    for (ExperimentObservation& result : night->results) {
      const auto series = own.series.find(result.experiment);
      auto& time = result.times[place_of(metric)];
      if (time && series != own.series.end()) time->level = levels[series->second];
    }
  }
}

void CommonCauses::recall(std::size_t number, const RunObservations& night,
                          const IsWatched& is_watched) {
  for (const WatchedMetric metric : kMetrics) {
    of(metric).detector.recall(number, values_of(metric, night, is_watched));
  }
}

std::optional<NightNoise> CommonCauses::noise(WatchedMetric metric,
                                              schema::ExperimentId experiment) const {
  const OfMetric& own = of(metric);
  const auto series = own.series.find(experiment);
  if (series == own.series.end()) return std::nullopt;
  const NightNoise noise = own.detector.noise(series->second);
  return noise.deviation > 0 ? std::optional(noise) : std::nullopt;
}

void CommonCauses::finish_recall() {
  for (const WatchedMetric metric : kMetrics) of(metric).detector.finish_recall();
}

void CommonCauses::restart() {
  for (const WatchedMetric metric : kMetrics) of(metric).detector.restart();
}

void CommonCauses::visit_revised(
    WatchedMetric metric,
    const std::function<void(schema::ExperimentId, std::size_t, double)>& visit) const {
  const OfMetric& own = of(metric);
  const auto judged = own.detector.judged();
  for (std::size_t n = 0; n + 1 < judged.size(); ++n) {
    for (std::size_t s = 0; s < judged[n].levels.size(); ++s) {
      const double level = judged[n].levels[s];
      if (std::isfinite(level)) visit(own.experiments[s], judged[n].night, level);
    }
  }
}

void CommonCauses::visit_revised_speedups(
    const std::function<const schema::ExperimentId*(schema::ExperimentId)>& baseline_of,
    const std::function<void(schema::ExperimentId, std::size_t, double)>& visit) const {
  const OfMetric& steady = of(WatchedMetric::kSteady);
  const auto judged = steady.detector.judged();
  if (judged.size() < 2) return;
  for (std::size_t s = 0; s < steady.experiments.size(); ++s) {
    const schema::ExperimentId* baseline = baseline_of(steady.experiments[s]);
    if (baseline == nullptr) continue;
    const auto other = steady.series.find(*baseline);
    if (other == steady.series.end()) continue;
    for (std::size_t n = 0; n + 1 < judged.size(); ++n) {
      const double level = judged[n].levels[other->second] - judged[n].levels[s];
      if (std::isfinite(level)) visit(steady.experiments[s], judged[n].night, level);
    }
  }
}

bool CommonCauses::find_experiments() {
  const OfMetric& speedups = of(WatchedMetric::kSpeedup);
  if (!speedups.experiments.empty() || !speedups.detector.changes().empty()) return false;
  for (const WatchedMetric metric : kMetrics) {
    OfMetric& own = of(metric);
    own.series.clear();
    const bool is_whole = own.experiments.size() == own.detector.series_count() &&
                          own.detector.backend_count() <= backends_.size() &&
                          own.detector.is_consistent();
    if (!is_whole) return false;
    for (std::size_t s = 0; s < own.experiments.size(); ++s) {
      const CatalogEntry* entry = catalog_.find(own.experiments[s]);
      if (entry == nullptr) return false;
      own.series.emplace(entry->id(), s);
      own.detector.set_model(s, entry->model());
    }
  }
  return true;
}

}  // namespace benchhud::analysis
