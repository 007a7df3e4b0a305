#include "analysis/statistics/trend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kMostValues = 512;
constexpr std::size_t kMostExact = 60;

/// As many stretches as can be looked at pair by pair, each by its median.
std::vector<double> shortened(std::span<const double> values) {
  if (values.size() <= kMostValues) return {values.begin(), values.end()};
  std::vector<double> medians(kMostValues);
  for (std::size_t i = 0; i < kMostValues; ++i) {
    const std::size_t begin = i * values.size() / kMostValues;
    const std::size_t end = (i + 1) * values.size() / kMostValues;
    medians[i] = median(values.subspan(begin, end - begin));
  }
  return medians;
}

struct Pairs {
  double score = 0;  ///< pairs that rise less those that fall
  std::vector<double> slopes;
};

Pairs pairs_of(std::span<const double> values) {
  Pairs pairs;
  pairs.slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      pairs.score += (values[j] > values[i]) - (values[j] < values[i]);
      pairs.slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  return pairs;
}

/// P(|score| >= `score`) over all orders of n different values. The number of falling pairs is a
/// sum of independent uniform numbers, 0 to i for the value at place i (Kendall, Rank Correlation
/// Methods, chapter 5).
double exact_p_value(std::size_t n, double score) {
  std::vector<double> probability = {1};
  for (std::size_t i = 1; i < n; ++i) {
    std::vector<double> next(probability.size() + i);
    for (std::size_t falls = 0; falls < probability.size(); ++falls) {
      for (std::size_t more = 0; more <= i; ++more) {
        next[falls + more] += probability[falls] / static_cast<double>(i + 1);
      }
    }
    probability = std::move(next);
  }
  const auto all = static_cast<double>(n * (n - 1) / 2);
  double tail = 0;
  for (std::size_t falls = 0; falls < probability.size(); ++falls) {
    if (std::abs(all - 2 * static_cast<double>(falls)) >= std::abs(score)) {
      tail += probability[falls];
    }
  }
  return std::min(tail, 1.0);
}

double approximate_p_value(const std::map<double, double>& ties, double n, double score) {
  double variance = n * (n - 1) * (2 * n + 5);
  for (const auto& [value, count] : ties) variance -= count * (count - 1) * (2 * count + 5);
  variance /= 18;
  if (!(variance > 0)) return 1;
  return std::erfc(std::max(std::abs(score) - 1, 0.0) / std::sqrt(2 * variance));
}

}  // namespace

std::optional<Trend> trend(std::span<const double> all_values) {
  if (all_values.size() < 3) return std::nullopt;
  const std::vector<double> values = shortened(all_values);
  const std::size_t n = values.size();
  const Pairs pairs = pairs_of(values);
  std::map<double, double> ties;
  for (const double value : values) ++ties[value];
  Trend trend;
  trend.n = n;
  trend.slope =
      median(pairs.slopes) * static_cast<double>(n) / static_cast<double>(all_values.size());
  trend.p_value = n <= kMostExact && ties.size() == n
                      ? exact_p_value(n, pairs.score)
                      : approximate_p_value(ties, static_cast<double>(n), pairs.score);
  return trend;
}

}  // namespace benchhud::analysis
