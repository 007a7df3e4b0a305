// What a p-value is worth that was looked for.
#pragma once

#include <cstddef>

namespace benchhud::analysis {

/// How often the best of all cuts of a series in which nothing changes separates two levels as well
/// as one does that has `p_value` (two-sided; 0 is too small for a double) where it stands: the
/// chance that the largest standardized difference of means over every cut of `nights` independent
/// nights, at least `fewest` from either end, is as large. Siegmund's approximation of the tail of
/// the maximum of a discretely sampled Brownian bridge (Siegmund, Boundary Crossing Probabilities
/// and Statistical Applications, Annals of Statistics 14, 1986; with ν as in Siegmund & Yakir, The
/// Statistics of Gene Mapping, 2007). Between `p_value` and 1, above 0. `nights` need not be whole:
/// nights that are alike count for fewer.
double max_scan_p_value(double p_value, double nights, std::size_t fewest);

}  // namespace benchhud::analysis
