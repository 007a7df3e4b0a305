// How well steps in real series are found that are known as a whole.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/changes/change_points.h"
#include "analysis/changes/night_series.h"
#include "real_series.h"
#include "scores.h"

namespace benchhud::eval {

/// A step is found if a change is told within so many builds of it.
inline constexpr std::size_t kMargin = 2;

/// Where it is told, or suspected, that a series got slower; counted from `first`, the number of
/// its first night. Of builds as `benchhud detect` tells it.
std::vector<std::size_t> slowdowns(std::span<const analysis::Night> nights, std::size_t first,
                                   analysis::ChangeState state = analysis::ChangeState::kConfirmed);
std::vector<std::size_t> slowdowns(std::span<const std::vector<double>> builds, std::size_t first,
                                   analysis::ChangeState state = analysis::ChangeState::kConfirmed);

struct StepScore {
  EventScore all;
  std::map<double, EventScore> by_step;  ///< hits and misses only
  std::size_t builds = 0;                ///< that were looked at
  std::vector<std::string> flagged;      ///< series that got slower without a step
};
/// Of StepData::offline, and of the series as they are.
StepScore score_steps(const StepData& data);

}  // namespace benchhud::eval
