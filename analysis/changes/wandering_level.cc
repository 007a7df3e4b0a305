#include "analysis/changes/wandering_level.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "analysis/statistics/boost_math_policy.h"

namespace benchhud::analysis {
namespace {

constexpr double kFarthest = 3.5;  // standard deviations

struct FilteredLevel {
  double level = 0;
  double variance = 1;  // of a night's variance
};

// From the first of the nights to the last of them.
template <class Iterator>
FilteredLevel filtered_level(const Iterator& begin, const Iterator& end, double deviation,
                             double wander) {
  FilteredLevel filtered{begin->level, 1};
  for (auto night = std::next(begin); night != end; ++night) {
    const double expected = filtered.variance + wander;
    const double most = kFarthest * deviation * std::sqrt(expected + 1);
    const double gain = expected / (expected + 1);
    filtered.level += gain * std::clamp(night->level - filtered.level, -most, most);
    filtered.variance = gain;
  }
  return filtered;
}

}  // namespace

double wandering_level_p_value(std::span<const Night> nights, std::size_t at, double deviation,
                               double wander) {
  using StudentsT = boost::math::students_t_distribution<double, DoublePolicy>;
  const auto cut = nights.begin() + static_cast<std::ptrdiff_t>(at);
  const FilteredLevel before = filtered_level(nights.begin(), cut, deviation, wander);
  const FilteredLevel after =
      filtered_level(nights.rbegin(), std::make_reverse_iterator(cut), deviation, wander);
  const double error = deviation * std::sqrt(before.variance + after.variance + wander);
  const double degrees = std::max(2.0, static_cast<double>(nights.size()) - 2);
  return 2 * boost::math::cdf(boost::math::complement(
                 StudentsT(degrees), std::abs(after.level - before.level) / error));
}

}  // namespace benchhud::analysis
