// Whether one group's values are larger than another's, whatever they are distributed like.
#pragma once

#include <span>

namespace benchhud::analysis {

/// The two-sided p-value of Mann & Whitney's U (On a Test of Whether One of Two Random Variables Is
/// Stochastically Larger than the Other, Annals of Mathematical Statistics 18, 1947), by its normal
/// approximation, corrected for ties and for continuity: where a group has very few values it
/// is never as small as their order alone may make it. 1 if a group has none, or all values are
/// equal. Values in any order, finite.
double rank_sum_p_value(std::span<const double> a, std::span<const double> b);

}  // namespace benchhud::analysis
