#include "analysis/statistics/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace benchhud::analysis {

double rank_sum_p_value(std::span<const double> a, std::span<const double> b) {
  std::vector<std::pair<double, bool>> all;  // values, and whether they are of `a`
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  const auto n = static_cast<double>(all.size()), of_a = static_cast<double>(a.size()),
             of_b = static_cast<double>(b.size());
  double ranks = 0, ties = 0;  // of `a`, from 1; the sum of t³ − t over groups of t equal values
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    double hits = 0;
    for (; end < all.size() && all[end].first == all[first].first; ++end) {
      hits += all[end].second ? 1 : 0;
    }
    const auto count = static_cast<double>(end - first);
    ranks += hits * (static_cast<double>(first) + (count + 1) / 2);
    ties += count * count * count - count;
  }
  const double off = std::abs(ranks - of_a * (n + 1) / 2);
  const double variance = of_a * of_b / 12 * (n + 1 - ties / (n * (n - 1)));
  if (!(variance > 0)) return 1;
  return std::erfc(std::max(0.0, off - 0.5) / std::sqrt(2 * variance));
}

}  // namespace benchhud::analysis
