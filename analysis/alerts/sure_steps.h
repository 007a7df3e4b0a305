// Steps of single models that the night's series, and those of each model together, make sure of
// before a search of any series can.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/alerts/timing_change_detector.h"
#include "analysis/changes/recent_step.h"

namespace benchhud::analysis {

/// A series of which there is a value tonight.
struct SeriesTonight {
  std::size_t model = 0;
  TimingChangeDetector* watch = nullptr;
  NightNoise noise;  ///< as its fleet has it
};

struct SureStep {
  TimingChangeDetector* watch = nullptr;
  std::size_t nights = 0;  ///< since the step
  double before = 0;       ///< the level before it
  NightNoise noise;
};

/// By Shiryaev-Roberts statistics (recent_step.h): of each series, and of the mean of each model's
/// series. Either kind may be wrong once in 300 nights, whatever the number of series. Of a
/// model those series are told that moved its way by two standard errors.
std::vector<SureStep> sure_steps(const std::vector<SeriesTonight>& tonight);

}  // namespace benchhud::analysis
