// Whether a step is more than what a level that wanders does by itself.
#pragma once

#include <cstddef>
#include <span>

#include "analysis/changes/night_series.h"

namespace benchhud::analysis {

/// How often a level that wanders is, by the nights before a cut and by those after it, as far from
/// itself as here (two-sided, of this one cut). The level takes a step of its own each night, whose
/// variance is `wander` times that of a night about its level: a random walk plus noise (the local
/// level model; Harvey, Forecasting, Structural Time Series Models and the Kalman Filter, 1989).
/// The level on either side of the cut is filtered from the farthest night towards it; a night that
/// is off by more than 3.5 standard deviations counts as that far off. Student's t, with two
/// degrees of freedom fewer than there are nights. `nights`: oldest first; `at`: of the first night
/// after the cut, one at least on either side. `deviation`: of a night about its level, above 0.
double wandering_level_p_value(std::span<const Night> nights, std::size_t at, double deviation,
                               double wander);

}  // namespace benchhud::analysis
