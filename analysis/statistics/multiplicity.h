// Many tests at once: how many of what is told may be false.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace benchhud::analysis {

/// The false discovery rate at which each would just be told: q-values of Benjamini & Hochberg
/// (Controlling the False Discovery Rate, Journal of the Royal Statistical Society B 57, 1995), for
/// tests that are independent or rise and fall together, as those of models on one machine do. In
/// the order of `p_values`; between p and 1.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

/// The false discovery rate at which each would just be told: q-values of Benjamini & Yekutieli
/// (The Control of the False Discovery Rate in Multiple Testing under Dependency, Annals of
/// Statistics 29, 2001), which hold however the tests hang together. In the order of `p_values`;
/// between p and 1. `hypotheses`: how many tests there were, at least as many as p-values; those
/// without a p-value here have 1.
std::vector<double> benjamini_yekutieli(std::span<const double> p_values, std::size_t hypotheses);

}  // namespace benchhud::analysis
