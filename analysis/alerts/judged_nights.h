// The nights that a change was judged by, as whoever looks at its chart wants to see them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/alerts/alert_detector.h"

namespace benchhud::analysis {

struct JudgedNight {
  std::size_t night = 0;  ///< as AlertDetector numbers them
  double value = 0;
  std::optional<double> low, high;
  std::size_t count = 0;
};

/// Of a timed member that is not common: what its series' nights were judged to be, in the metric's
/// unit, without what moved the machine and the backend. `low` and `high`: at 95 %, as the night's
/// repetitions tell; none where they don't. `count`: of repetitions. Oldest first, the nights that
/// are kept from `first` on.
std::vector<JudgedNight> judged_nights(const AlertDetector& fleet, const WatchedMember& member,
                                       std::size_t first);

/// Of a common change: by night the median over those of its series that are among `experiments`
/// (ascending) of how many times its level before it each took, without what else moved them. `low`
/// and `high`: the quartiles. `count`: of series.
std::vector<JudgedNight> judged_nights(const AlertDetector& fleet,
                                       const WatchedAlert::Common& common,
                                       std::span<const schema::ExperimentId> experiments,
                                       std::size_t first);

}  // namespace benchhud::analysis
