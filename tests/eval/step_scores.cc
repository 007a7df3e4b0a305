#include "step_scores.h"

#include "analysis/changes/change_points.h"
#include "analysis/changes/series_changes.h"

namespace benchhud::eval {

using analysis::ChangePoint;
using analysis::Night;

std::vector<std::size_t> slowdowns(std::span<const Night> nights, std::size_t first,
                                   analysis::ChangeState state) {
  std::vector<std::size_t> found;
  for (const ChangePoint& change : analysis::find_changes(nights).found) {
    if (change.effect > 0 && change.state == state) found.push_back(first + change.at);
  }
  return found;
}

std::vector<std::size_t> slowdowns(std::span<const std::vector<double>> builds, std::size_t first,
                                   analysis::ChangeState state) {
  const std::vector<std::span<const double>> nights(builds.begin(), builds.end());
  std::vector<std::size_t> found;
  for (const analysis::ValueChange& change : analysis::changes_of_series(nights).found) {
    if (change.is_up() && change.state == state) found.push_back(first + change.at);
  }
  return found;
}

StepScore score_steps(const StepData& data) {
  StepScore score;
  for (const StepCase& one : data.offline) {
    const Builds& builds = data.series.at(one.series);
    score.builds += builds.size();
    bool is_hit = false;
    for (const std::size_t at : slowdowns(builds_of(builds, 0, builds.size(), one), 0)) {
      if (!is_hit && analysis::nights_apart(at, one.at) <= kMargin) {
        is_hit = true;
      } else {
        ++score.all.others;
      }
    }
    for (EventScore* of : {&score.all, &score.by_step[one.step]})
      ++(is_hit ? of->hits : of->misses);
  }
  for (const auto& [name, builds] : data.series) {
    if (!slowdowns(builds, 0).empty()) {
      score.flagged.push_back(name);
    }
  }
  return score;
}

}  // namespace benchhud::eval
