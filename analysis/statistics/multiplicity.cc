#include "analysis/statistics/multiplicity.h"

#include <algorithm>
#include <numeric>

namespace benchhud::analysis {
namespace {

std::vector<std::size_t> ranked(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  return order;
}

// The least, over larger ranks, of p-value × price / rank, and at most 1: `price` is what a test
// costs of all of them.
std::vector<double> stepped_up(std::span<const double> p_values, double price) {
  const auto order = ranked(p_values);
  std::vector<double> q_values(p_values.size(), 1);
  double least = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    least = std::min(least, p_values[order[rank - 1]] * price / static_cast<double>(rank));
    q_values[order[rank - 1]] = least;
  }
  return q_values;
}

}  // namespace

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  return stepped_up(p_values, static_cast<double>(p_values.size()));
}

std::vector<double> benjamini_yekutieli(std::span<const double> p_values, std::size_t hypotheses) {
  double harmonic = 0;
  for (std::size_t i = hypotheses; i > 0; --i) harmonic += 1 / static_cast<double>(i);
  return stepped_up(p_values, static_cast<double>(hypotheses) * harmonic);
}

}  // namespace benchhud::analysis
