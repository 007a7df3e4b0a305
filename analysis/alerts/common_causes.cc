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
  struct Timed {
    std::size_t place = 0;  // in the catalog
    double level = 0;
    bool is_new = false;
  };
  std::vector<Timed> timed;
  bool has_new = false;
  for (const ExperimentObservation& result : night.results) {
    const auto& time = result.times[place_of(metric)];
    const CatalogEntry* entry = time ? catalog_.find(result.experiment) : nullptr;
    if (entry == nullptr || !is_watched(*entry, metric)) continue;
    const std::size_t place = catalog_.place(*entry);
    const bool is_new = place >= own.series.size() || own.series[place] == kNoSeries;
    has_new = has_new || is_new;
    timed.push_back({place, time->level, is_new});
  }
  // Sums of numbers depend on the order of series: it is that of the catalog, whatever the ids.
  if (has_new) {
    own.series.resize(catalog_.entries().size(), kNoSeries);
    std::ranges::sort(timed, {}, &Timed::place);
  }
  std::vector<CommonChangeDetector::Value> values;
  values.reserve(timed.size());
  for (const Timed& one : timed) {
    if (one.is_new && own.series[one.place] == kNoSeries) {
      const CatalogEntry& entry = catalog_.entries()[one.place];
      own.series[one.place] = static_cast<std::uint32_t>(own.experiments.size());
      own.experiments.push_back(entry.id());
      own.detector.add_series(entry.model(), backend_number(entry.backend()));
    }
    values.push_back({own.series[one.place], one.level});
  }
  return values;
}

std::uint32_t CommonCauses::series_of(const OfMetric& metric,
                                      schema::ExperimentId experiment) const {
  const CatalogEntry* entry = metric.series.empty() ? nullptr : catalog_.find(experiment);
  return entry == nullptr ? kNoSeries : metric.series[catalog_.place(*entry)];
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
      auto& time = result.times[place_of(metric)];
      const std::uint32_t series = time ? series_of(own, result.experiment) : kNoSeries;
      if (series != kNoSeries) time->level = levels[series];
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
  const std::uint32_t series = series_of(own, experiment);
  if (series == kNoSeries) return std::nullopt;
  const NightNoise noise = own.detector.noise(series);
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
    const std::uint32_t other = series_of(steady, *baseline);
    if (other == kNoSeries) continue;
    for (std::size_t n = 0; n + 1 < judged.size(); ++n) {
      const double level = judged[n].levels[other] - judged[n].levels[s];
      if (std::isfinite(level)) visit(steady.experiments[s], judged[n].night, level);
    }
  }
}

bool CommonCauses::find_experiments() {
  const OfMetric& speedups = of(WatchedMetric::kSpeedup);
  if (!speedups.experiments.empty() || !speedups.detector.changes().empty()) return false;
  for (const WatchedMetric metric : kMetrics) {
    OfMetric& own = of(metric);
    own.series.assign(own.experiments.empty() ? 0 : catalog_.entries().size(), kNoSeries);
    const bool is_whole = own.experiments.size() == own.detector.series_count() &&
                          own.detector.backend_count() <= backends_.size() &&
                          own.detector.is_consistent();
    if (!is_whole) return false;
    for (std::size_t s = 0; s < own.experiments.size(); ++s) {
      const CatalogEntry* entry = catalog_.find(own.experiments[s]);
      if (entry == nullptr) return false;
      std::uint32_t& place = own.series[catalog_.place(*entry)];
      if (place == kNoSeries) place = static_cast<std::uint32_t>(s);
      own.detector.set_model(s, entry->model());
    }
  }
  return true;
}

}  // namespace benchhud::analysis
