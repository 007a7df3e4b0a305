// Nights told by the shape that their repetitions have in common.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/changes/night_series.h"

namespace benchhud::analysis {

/// Nights whose repetitions fall into humps: a clock that has two states, a process that lands on
/// one socket or the other. How many of a night's few repetitions fall into each hump is chance,
/// and moves each quantile and the mean of them much; a change moves the humps. So a night's level
/// is by how much the shape that all nights' repetitions have around `levels` must be shifted to
/// fit the night's own: the posterior mean of the shift, which has equal chances beforehand up to
/// half of where nine tenths of all repetitions lie (Pitman, The Estimation of the Location and
/// Scale Parameters of a Continuous Population of Any Given Form, Biometrika 30, 1939). The shape
/// is a kernel density of all other nights' repetitions, as wide as predicts each of them best,
/// with tails; `variance` is that of the posterior.
///
/// `levels`: of each night what it is thought to be, as where one level holds for many. None where
/// the repetitions have one hump (by their dip, unimodality.h), which quantiles tell of as well,
/// are fewer than 30, or most nights have one only. The time grows as that of sorting them, times a
/// few hundred shifts that are tried.
std::optional<std::vector<Night>> nights_by_shape(Repetitions repetitions,
                                                  std::span<const double> levels);

/// The standard deviation of all repetitions around the levels of their nights; 0 for fewer than
/// two.
double scatter_of(Repetitions repetitions, std::span<const double> levels);

}  // namespace benchhud::analysis
