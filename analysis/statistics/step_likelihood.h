// How much likelier a value is after a step than without one.
#pragma once

#include <array>
#include <cmath>

namespace benchhud::analysis {

/// Steps of several sizes, in standard deviations: what is asked of each, by equal shares.
inline constexpr std::array kStepSizes = {2.0, 4.0, 8.0, 16.0};
/// A value further off than this, in standard deviations, is taken for one this far: beyond the
/// largest step the ratio falls again.
inline constexpr double kFarthestOff = 20;

/// The natural logarithm of the ratio of two likelihoods, of Student's t with so many degrees of
/// freedom: of a value that is `off` the level by so many standard deviations, after a step of
/// `size` and without one.
inline double log_likelihood_ratio(double off, double size, double degrees) {
  return (degrees + 1) / 2 *
         (std::log1p(off * off / degrees) - std::log1p((off - size) * (off - size) / degrees));
}

}  // namespace benchhud::analysis
