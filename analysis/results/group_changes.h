// What became of each test and backend from an earlier run to a later one, over the same models:
// two means over different models say nothing of either.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/comparison_groups.h"
#include "analysis/results/run_digest.h"

namespace benchhud::analysis {

/// A model that was timed in the earlier run and is not in the later one.
struct UntimedModel {
  schema::ExperimentId experiment{};       ///< one of its experiments, in the earlier run
  Outcome outcome = Outcome::kNotRun;      ///< what became of it in the later run
  std::shared_ptr<const ErrorText> error;  ///< null where there is none
};

/// Of one test and backend. `left` is the earlier run, `right` the later one.
struct GroupChange {
  std::string test;
  std::string backend;
  /// Speedup over the baseline in the same run, over models that have one in both runs.
  MeanChange speedup;
  std::size_t speedups_before = 0, speedups_after = 0;  ///< models that have one in either run
  /// Compile time, s, over models that have one above 0 in both runs.
  MeanChange compile;
  std::vector<UntimedModel> no_longer_timed;  ///< in the catalog's order
  std::size_t newly_timed = 0;                ///< models timed now that were not before
};

/// By test, then backend; groups of either run. A model is timed in a group where any of its
/// results is, of whatever batch size or configuration: the line of a crash has no batch size.
/// Speedups by the steady estimator.
std::vector<GroupChange> group_changes(const JudgedRun& before, const JudgedRun& after,
                                       const Catalog& catalog, std::string_view baseline);

}  // namespace benchhud::analysis
