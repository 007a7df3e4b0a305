#include "analysis/statistics/multiplicity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace benchhud::analysis {
namespace {

// Decays so that its sum over all tests is 1; j from 1.
double decay(std::size_t j) {
  constexpr double kScale = 0.07720838;
  const auto x = static_cast<double>(j);
  return kScale * std::log(std::max(x, 2.0)) / (x * std::exp(std::sqrt(std::log(x))));
}

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

double simes(std::span<const double> p_values, std::size_t hypotheses) {
  const auto order = ranked(p_values);
  double least = 1;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    least = std::min(least, static_cast<double>(hypotheses) * p_values[order[rank]] /
                                static_cast<double>(rank + 1));
  }
  return least;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  return stepped_up(p_values, static_cast<double>(p_values.size()));
}

std::vector<double> benjamini_yekutieli(std::span<const double> p_values, std::size_t hypotheses) {
  double harmonic = 0;
  for (std::size_t i = hypotheses; i > 0; --i) harmonic += 1 / static_cast<double>(i);
  return stepped_up(p_values, static_cast<double>(hypotheses) * harmonic);
}

double LordPlusPlus::level() const {
  const std::size_t test = tests_ + 1;
  const double wealth = rate_ / 2;
  double level = decay(test) * wealth;
  for (std::size_t i = 0; i < alarms_.size(); ++i) {
    level += decay(test - alarms_[i]) * (i == 0 ? rate_ - wealth : rate_);
  }
  return level;
}

void LordPlusPlus::next(bool is_alarm) {
  ++tests_;
  if (is_alarm) alarms_.push_back(tests_);
}

}  // namespace benchhud::analysis
