#include "analysis/results/run_changes.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/statistics/bootstrap.h"

namespace benchhud::analysis {
namespace {

using ById = std::unordered_map<schema::ExperimentId, const ResultView*>;

ById by_id(const JudgedRun& run) {
  ById results;
  results.reserve(run.results.size());
  for (const auto& view : run.results) results.emplace(view.experiment, &view);
  return results;
}

std::optional<std::string_view> code_of(const std::optional<VerificationView>& view) {
  if (!view) return {};
  return view->code;
}

int order_of(Transition kind) {
  switch (kind) {
    case Transition::kNewlyFailing:
      return 0;
    case Transition::kNewlyPassing:
      return 1;
    case Transition::kChanged:
      return 2;
    case Transition::kDisappeared:
      return 3;
    case Transition::kNew:
      return 4;
    case Transition::kUnchanged:
      return 5;
  }
  return 5;
}

/// A verification of a run behind `since`, or none.
std::optional<VerificationView> later_than(const JudgedRun& since,
                                           const std::optional<VerificationView>& view,
                                           const std::function<double(schema::RunId)>& started_at) {
  if (!view) return {};
  if (view->stale && started_at(view->run) <= since.run.started_at) return {};
  return view;
}

}  // namespace

std::vector<VerificationChange> verification_changes(
    const JudgedRun& since, const JudgedRun& run, const Catalog& catalog,
    const std::function<double(schema::RunId)>& started_at) {
  std::vector<VerificationChange> changes;
  const ById earlier = by_id(since);
  const ById later = by_id(run);
  for (const auto& view : run.results) {
    const auto found = earlier.find(view.experiment);
    auto after = later_than(since, view.verification, started_at);
    if (found == earlier.end()) {
      changes.push_back({Transition::kNew, view.experiment, {}, std::move(after)});
      continue;
    }
    const auto& before = found->second->verification;
    // Only two verdicts make a transition: a first verdict, or none any more, is neither good nor
    // bad.
    const Transition kind = transition(code_of(before), code_of(after));
    if (kind != Transition::kNewlyFailing && kind != Transition::kNewlyPassing &&
        kind != Transition::kChanged) {
      continue;
    }
    changes.push_back({kind, view.experiment, before, std::move(after)});
  }
  for (const auto& view : since.results) {
    if (later.count(view.experiment) > 0) continue;
    changes.push_back({Transition::kDisappeared, view.experiment, view.verification, {}});
  }
  const auto key = [&](const VerificationChange& change) {
    const auto* entry = catalog.find(change.experiment);
    return std::pair(order_of(change.kind), entry == nullptr ? 0 : catalog.place(*entry));
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return changes;
}

std::vector<Move> largest_moves(const JudgedRun& before, const JudgedRun& after,
                                std::size_t limit) {
  const ById earlier = by_id(before);
  struct Candidate {
    double size;
    const ResultView* before;
    const ResultView* after;
  };
  std::vector<Candidate> candidates;
  for (const auto& view : after.results) {
    const auto found = earlier.find(view.experiment);
    if (found == earlier.end() || !view.steady || !found->second->steady) continue;
    const double size = std::fabs(std::log(view.steady->value / found->second->steady->value));
    if (std::isfinite(size) && size > 0) candidates.push_back({size, found->second, &view});
  }
  // The order of the results breaks ties, so that equal stores give equal lists.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.size > b.size; });
  if (candidates.size() > limit) candidates.resize(limit);
  std::vector<Move> moves;
  for (const auto& candidate : candidates) {
    Move move;
    move.experiment = candidate.after->experiment;
    move.before = *candidate.before->steady;
    move.after = *candidate.after->steady;
    move.ratio = move.after.value / move.before.value;
    move.interval = ratio_of_medians_interval(candidate.after->steady_samples,
                                              candidate.before->steady_samples);
    moves.push_back(std::move(move));
  }
  return moves;
}

}  // namespace benchhud::analysis
