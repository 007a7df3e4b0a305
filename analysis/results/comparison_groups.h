// The rows of a comparison added up: what of each suite, test and backend passes, how much faster
// it is, and how sure that is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/results/result_counts.h"
#include "analysis/results/run_comparison.h"

namespace benchhud::analysis {

/// A smaller change of a geometric mean has no verdict, as a share.
inline constexpr double kLeastMeanEffect = 0.01;

/// A geometric mean over the models that have the value on both sides, so that no change comes from
/// which models there are. A model's several rows enter as one.
struct MeanChange {
  std::optional<double> left, right;  ///< the two geometric means; none without models
  std::optional<double> ratio;        ///< right / left
  std::optional<Interval> interval;   ///< of the ratio: over models, and over nights where known
  std::size_t n = 0;                  ///< models
};

/// A value of a model on both sides, above 0.
struct ModelValues {
  std::size_t model = 0;  ///< CatalogEntry::model
  double left = 0, right = 0;
};

/// The geometric means of both sides and of their ratio: a model with several values enters with
/// their geometric mean.
MeanChange mean_change(std::vector<ModelValues> values);

/// The change of the own time, with a verdict.
struct TimeMeanChange {
  MeanChange mean;  ///< s
  bool has_noise = false;
  std::size_t nights = 0;
  std::optional<double> p, q;  ///< q: over all groups of the comparison
  Verdict verdict = Verdict::kUnclear;
  VerdictReason reason = VerdictReason::kMissing;
};

/// A metric beside the times, of which no verdict is given: how much memory was taken.
struct SideMetric {
  std::string name;
  std::unordered_map<schema::ExperimentId, double> left, right;  ///< by the side's experiment
};

/// Places in the rows that the group was made of.
using RowPlaces = std::vector<std::size_t>;

struct ComparisonGroup {
  std::string suite, test;
  std::string left_backend, right_backend;
  bool is_total = false;  ///< of all rows: the names are ""
  ResultCounts left, right;
  RowPlaces newly_failing, newly_passing, changed;  ///< verification
  RowPlaces appeared, gone;                         ///< a result on one side only
  RowPlaces stopped, started;                       ///< timed on the left only, on the right only
  std::size_t worse = 0, better = 0, unclear = 0;   ///< verdicts of times
  TimeMeanChange time;
  /// Of all that has a speedup on a side, whatever the other side has.
  GeomeanView left_speedup, right_speedup;
  MeanChange speedup;
  std::vector<MeanChange> metrics;  ///< in the order of what was given; only where both are above 0
  MeanChange compile;  ///< s; only where both are above 0, as the estimate of no time may be below
};

/// By suite, test and backends; the total first. Rows that have a result on one side only count for
/// the group of that side's backend.
std::vector<ComparisonGroup> comparison_groups(std::span<const ComparisonRow> rows,
                                               const FindPastNights& past,
                                               const ComparisonOptions& options,
                                               std::span<const SideMetric> metrics = {});

}  // namespace benchhud::analysis
