#include "analysis/results/failure_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace benchhud::analysis {

std::vector<FailureGroup> group_failures(std::span<const ResultView> results) {
  std::map<std::pair<ErrorKind, std::string>, FailureGroup> groups;
  const auto add = [&](schema::ExperimentId experiment, const FailureView& failure) {
    FailureGroup& group = groups[{failure.error->kind, failure.error->signature}];
    if (group.experiments.empty()) {
      group.error = failure.error;
      group.line = failure.line;
    }
    if (group.experiments.empty() || group.experiments.back() != experiment) {
      group.experiments.push_back(experiment);
    }
  };
  for (const auto& view : results) {
    if (view.failure) add(view.experiment, *view.failure);
    if (view.verification && !view.verification->stale && view.verification->failure) {
      add(view.experiment, *view.verification->failure);
    }
  }
  std::vector<FailureGroup> sorted;
  for (auto& item : groups) sorted.push_back(std::move(item.second));
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    if (a.experiments.size() != b.experiments.size()) {
      return a.experiments.size() > b.experiments.size();
    }
    return a.error->signature < b.error->signature;
  });
  return sorted;
}

}  // namespace benchhud::analysis
