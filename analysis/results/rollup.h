// What runs say of groups of results (a backend of a suite, say), made from digests, so that a year
// of runs can be looked through.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/catalog.h"
#include "analysis/results/run_digest.h"
#include "analysis/results/run_speedups.h"
#include "analysis/results/run_summary.h"

namespace benchhud::analysis {

/// What tells groups apart. Of nothing: everything is one group. A column is of one backend, so
/// groups by column are groups by backend too.
struct Grouping {
  bool suite = false;
  bool test = false;
  bool backend = false;
  bool column = false;
};

/// A group's name; a part that the grouping lacks is none.
struct GroupKey {
  std::optional<std::string> suite, test, backend, column;

  auto operator<=>(const GroupKey&) const = default;
};

struct RollupSlice {
  Grouping grouping;
  std::string baseline;  ///< backend
  /// Which workloads (suite, model, test) are looked at.
  std::function<bool(const CatalogEntry&)> is_compared;
  /// Which of them are shown. The matched geomeans are over what all compared backends have, shown
  /// or not: choosing backends must not change the numbers of those that are left.
  std::function<bool(const CatalogEntry&)> is_shown;
};

/// Which group each experiment of a catalog is in. Names are texts, and runs have the same
/// experiments over and over: made once for all runs.
class SliceGroups {
 public:
  SliceGroups(const Catalog& catalog, RollupSlice slice);

  struct Place {
    const CatalogEntry* entry;
    std::size_t group;  ///< in keys()
    bool is_shown;
  };
  /// None for an experiment that is not compared, or not in the catalog.
  std::optional<Place> find(schema::ExperimentId experiment) const;
  const std::vector<GroupKey>& keys() const { return keys_; }
  const RollupSlice& slice() const { return slice_; }
  const Catalog& catalog() const { return catalog_; }

 private:
  static constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

  const Catalog& catalog_;
  RollupSlice slice_;
  std::vector<GroupKey> keys_;       // sorted
  std::vector<std::size_t> groups_;  // by place in the catalog
  std::vector<bool> shown_;          // likewise
};

/// One run's word on one group. Counts are of results.
struct GroupRollup : ResultCounts {
  GroupKey key;
  std::array<std::size_t, kOutcomes> outcomes{};  ///< by Outcome; add up to `total`
  /// Speedups over the baseline in the same run; none for the baseline's own backend where groups
  /// are by backend (not where they are by column: its other configurations are compared with it).
  std::optional<PeerGeomeans> geomean;
  std::optional<CompileSummary> compile;
};

/// Speedups over a backend in the same run, by the steady estimator: one a result of the digest, in
/// its order; NaN where there is none. The very numbers that run_speedups() gives.
std::vector<double> digest_speedups(const RunDigest& digest, const Catalog& catalog,
                                    std::string_view baseline);

/// By key; groups without a result that is shown are left out. `speedups` is what digest_speedups()
/// gave. Peers, whose geomeans may be compared, are groups that differ in backend or column alone.
std::vector<GroupRollup> roll_up(const RunDigest& digest, std::span<const double> speedups,
                                 const SliceGroups& groups);

/// The level of a group's steady times over runs: their geometric mean over a set of results that
/// stays the same, so that a change is of times and not of who is there.
struct SteadyLevels {
  GroupKey key;
  /// Results timed in every run in which the group has any that is.
  std::size_t n = 0;
  std::size_t of = 0;  ///< results timed in some run
  /// s; one a run. None where the group has nothing timed, and everywhere where n is 0.
  std::vector<std::optional<double>> levels;
};

/// By key; groups in which nothing was ever timed are left out. No pointer is null.
std::vector<SteadyLevels> steady_levels(std::span<const RunDigest* const> runs,
                                        const SliceGroups& groups);

/// A value of one experiment in a span of runs.
struct SpanValue {
  double value = 0;   ///< the median over runs; 0 where n is 0
  std::size_t n = 0;  ///< runs that have it
};

/// From one span of runs to a later one.
struct SpanChange {
  SpanValue before, after;
  /// after / before; none where a side has none or one of them is not positive.
  std::optional<double> ratio;
  /// ratio_of_medians_interval() of the runs' values: it holds how runs differ from each other.
  /// None with fewer than two runs on a side.
  std::optional<Interval> interval;
};

/// Values are of one run each; those that are not finite are left out.
SpanChange span_change(std::span<const double> before, std::span<const double> after);

}  // namespace benchhud::analysis
