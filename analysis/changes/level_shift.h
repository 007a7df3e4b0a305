// A change of level, or nights that are like the ones before.
#pragma once

#include <cstddef>
#include <span>

namespace benchhud::analysis {

/// How often a series without a change at `at`, whose nights are each like the one before as much
/// as fits it best, looks as much like two levels: the p-value (two-sided, at this one place) of
/// the step in a first-order autoregression, by the squared innovations that are left with and
/// without it. A series that wanders for some nights and comes back is told from one that changed:
/// each of the two explanations may choose its own correlation, between 0 and 0.95 (generalized
/// least squares, a search over the correlation as Cochrane & Orcutt's, JASA 44, 1949, with the
/// first night kept as Prais & Winsten do). `weights`: as many as `values`, each one over the
/// variance of its innovation, in any unit. `at`: the first value of the new level, above 0 and
/// below the length. 1 for fewer than five values.
double level_shift_p_value(std::span<const double> values, std::span<const double> weights,
                           std::size_t at);

}  // namespace benchhud::analysis
