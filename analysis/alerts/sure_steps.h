// Steps of single models that the night's series, and those of each model together, make sure of
// before a search of any series can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "analysis/alerts/timing_change_detector.h"
#include "analysis/changes/recent_step.h"

namespace benchhud::analysis {

struct SureStep {
  TimingChangeDetector* watch = nullptr;
  std::size_t nights = 0;  ///< since the step
  double before = 0;       ///< the level before it
  NightNoise noise;
};

/// By Shiryaev-Roberts statistics (recent_step.h): of each series, and of the mean of each model's
/// series. Either kind may be wrong once in 300 nights, whatever the number of series. Of a
/// model those series are told that moved its way by two standard errors.
class SureStepSearch {
 public:
  static constexpr double kPatience = 300;  ///< nights in which either kind may be wrong once

  /// A series of which there is a value tonight, which its watch has. `noise`: as its fleet has it.
  void add(std::size_t model, TimingChangeDetector* watch, const NightNoise& noise);
  std::size_t series() const { return series_; }
  /// Of all that were added. To be called once.
  std::vector<SureStep> run();

 private:
  // Most series are not off tonight, and are only counted.
  struct SeriesOff {
    TimingChangeDetector* watch = nullptr;
    NightNoise noise;
    RecentNights recent;
  };

  void look_at(std::size_t place);
  void look_at(const std::vector<std::size_t>& off, std::size_t members);
  bool is_large_in(std::size_t place, const RecentStep& step) const;
  void tell(std::size_t place, const RecentStep& step);

  std::size_t series_ = 0;
  std::vector<std::uint32_t> in_model_;                       // series, by model
  std::vector<SeriesOff> off_;                                // those that are off tonight
  std::map<std::size_t, std::vector<std::size_t>> of_model_;  // their places
  std::size_t models_ = 0;
  std::set<std::size_t> told_;  // places
  std::vector<SureStep> found_;
};

}  // namespace benchhud::analysis
