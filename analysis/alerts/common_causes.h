// What moved the machine or a backend, in every time that is watched, and each night's times
// without it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/alerts/run_observations.h"
#include "analysis/fleet/common_changes.h"
#include "analysis/results/catalog.h"

namespace benchhud::analysis {

/// A CommonChangeDetector for each timed metric but the speedup, which follows from steady times.
class CommonCauses {
 public:
  /// The metrics that series are judged together by.
  static constexpr std::array kMetrics = {WatchedMetric::kSteady, WatchedMetric::kCompile,
                                          WatchedMetric::kTracing, WatchedMetric::kDevice};

  using IsWatched = std::function<bool(const CatalogEntry&, WatchedMetric)>;

  explicit CommonCauses(const Catalog& catalog) : catalog_(catalog) {}

  /// A night, whose times then are as they are to be judged series by series. Experiments that the
  /// catalog does not have, or whose time is not watched, keep theirs.
  void add(std::size_t number, RunObservations* night, const IsWatched& is_watched);
  /// A night that was added on another day: fills in the times that the state does not keep.
  void recall(std::size_t number, const RunObservations& night, const IsWatched& is_watched);
  /// After all nights that are kept were recalled.
  void finish_recall();
  /// After the state was read, maybe into another catalog. Returns false if that lacks an
  /// experiment, or it cannot be a state.
  bool find_experiments();
  void restart();

  /// CommonChangeDetector::judged(); nothing where the metric was never seen.
  std::span<const CommonChangeDetector::Judged> judged(WatchedMetric metric) const {
    return of(metric).detector.judged();
  }
  std::span<const CommonChange> changes(WatchedMetric metric) const {
    return of(metric).detector.changes();
  }
  /// Calls `visit` with experiment, night and level for each night before the newest that is to be
  /// judged otherwise since the last add().
  void visit_revised(WatchedMetric metric,
                     const std::function<void(schema::ExperimentId, std::size_t night,
                                              double level)>& visit) const;
  /// The same of speedups: `baseline_of` says what an experiment's is against, null for nothing.
  void visit_revised_speedups(
      const std::function<const schema::ExperimentId*(schema::ExperimentId)>& baseline_of,
      const std::function<void(schema::ExperimentId, std::size_t night, double level)>& visit)
      const;

  /// Of the experiment's time, as its fleet has it; none where nothing is known.
  std::optional<NightNoise> noise(WatchedMetric metric, schema::ExperimentId experiment) const;
  /// CommonChangeDetector::wander().
  double wander(WatchedMetric metric) const { return of(metric).detector.wander(); }
  std::span<const schema::ExperimentId> experiments(WatchedMetric metric) const {
    return of(metric).experiments;
  }
  const CatalogEntry& series(WatchedMetric metric, std::size_t series) const {
    return *catalog_.find(of(metric).experiments[series]);
  }
  const std::string& backend(std::size_t number) const { return backends_[number]; }
  /// Nights of more machines than that are taken for those of the first: names that change from
  /// night to night tell nothing.
  static constexpr std::size_t kMostMachines = 64;
  /// Whether nights of other machines were added, and none of this one. Nights that do not say are
  /// of the first machine.
  bool is_new_machine(std::string_view machine) const;

 private:
  friend struct StateFields;

  struct OfMetric {
    CommonChangeDetector detector;
    std::vector<schema::ExperimentId> experiments;  // by series
    // By place in the catalog, kNoSeries where there is none; it follows from `experiments`.
    std::vector<std::uint32_t> series;
  };

  static constexpr std::uint32_t kNoSeries = static_cast<std::uint32_t>(-1);

  std::uint32_t series_of(const OfMetric& metric, schema::ExperimentId experiment) const;
  OfMetric& of(WatchedMetric metric) { return metrics_[place_of(metric)]; }
  const OfMetric& of(WatchedMetric metric) const { return metrics_[place_of(metric)]; }
  std::size_t backend_number(std::string_view backend);
  std::size_t machine_number(std::string_view machine);
  std::vector<CommonChangeDetector::Value> values_of(WatchedMetric metric,
                                                     const RunObservations& night,
                                                     const IsWatched& is_watched);
  const Catalog& catalog_;
  std::array<OfMetric, kTimedMetrics> metrics_;
  std::vector<std::string> backends_, machines_;
};

}  // namespace benchhud::analysis
