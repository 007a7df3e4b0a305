// What is different in a run from an earlier one: verification and times.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/results/result_view.h"

namespace benchhud::analysis {

struct VerificationChange {
  Transition kind = Transition::kUnchanged;
  schema::ExperimentId experiment{};
  std::optional<VerificationView> before;
  std::optional<VerificationView> after;
};

/// What verification says in `run` that it did not say in `since`, an earlier run on the same
/// accelerator model. Before is the last verification up to `since`, after the last one behind it:
/// a night that was not verified yields no transition. `kDisappeared` and `kNew` are experiments
/// that have no result in `run` or in `since`; whether a verification came or went does not matter
/// for them. `started_at` gives the start of a run that a stale verification is from.
///
/// Newly failing first, then newly passing, changed, disappeared, new; each in the order of the
/// catalog.
std::vector<VerificationChange> verification_changes(
    const JudgedRun& since, const JudgedRun& run, const Catalog& catalog,
    const std::function<double(schema::RunId)>& started_at);

struct Move {
  schema::ExperimentId experiment{};
  Estimate before;
  Estimate after;
  double ratio = 1;                  ///< after / before: above 1 is slower
  std::optional<Interval> interval;  ///< bootstrap over both runs' samples
};

/// The `limit` largest changes of steady time between two runs, largest first. No verdict: the
/// intervals know the noise within the two runs alone.
std::vector<Move> largest_moves(const JudgedRun& before, const JudgedRun& after, std::size_t limit);

}  // namespace benchhud::analysis
