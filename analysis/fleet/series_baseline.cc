#include "analysis/fleet/series_baseline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "analysis/changes/night_series.h"
#include "analysis/statistics/lanes.h"
#include "analysis/statistics/selection.h"
#include "analysis/statistics/sorting_network.h"

namespace benchhud::analysis {
namespace {

constexpr double kMedianToDeviation = 1.4826, kNinetyToDeviation = 1 / 1.645;

// As quantile() of summary.h, and reorders the values, from `begin` on, instead of copying them:
// the share of those before them, too, which are no greater.
double quantile_in_place(std::vector<float>* values, double share, std::size_t* begin) {
  const double place = share * static_cast<double>(values->size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const double at = select(std::span(*values).subspan(*begin), low - *begin);
  *begin = low;
  if (low + 1 == values->size()) return at;
  const double next =
      *std::min_element(values->begin() + static_cast<std::ptrdiff_t>(low) + 1, values->end());
  return at + (place - std::floor(place)) * (next - at);
}

void add_differences(std::span<const float> nights, std::size_t apart, std::vector<float>* all) {
  std::size_t count = all->size();
  all->resize(count + nights.size());
  for (std::size_t n = apart; n < nights.size(); ++n) {
    const float difference = std::abs(nights[n] - nights[n - apart]);
    (*all)[count] = difference;
    count += std::isfinite(difference) ? 1 : 0;
  }
  all->resize(count);
}

using OfSeries = SeriesNights::OfSeries<double>;

// Of each series the median of its nights, and how many it has.
void begin_at_medians(const SeriesNights& nights, OfSeries* level, OfSeries* known) {
  const FloatLanes beyond = FloatLanes{} + std::numeric_limits<float>::infinity();
  for (std::size_t first = 0; first < SeriesNights::kSeries; first += kFloatLanes) {
    FloatLanes sorted[SeriesNights::kMostNights], count{};
    for (std::size_t n = 0; n < nights.count; ++n) {
      const auto values = lanes_of<FloatLanes>(&nights.levels[n][first]);
      const auto is_known = values - values == FloatLanes{};
      sorted[n] = is_known ? values : beyond;
      count += is_known ? FloatLanes{} + 1 : FloatLanes{};
    }
    sort_by_network(sorted, nights.count);
    for (std::size_t s = 0; s < kFloatLanes; ++s) {
      (*known)[first + s] = count[s];
      if (count[s] == 0) continue;
      const double place = 0.5 * (count[s] - 1);
      const auto low = static_cast<std::size_t>(place);
      double& median = (*level)[first + s];
      median = sorted[low][s];
      if (place > std::floor(place))
        median += (place - std::floor(place)) * (sorted[low + 1][s] - median);
    }
  }
}

}  // namespace

SeriesNoise series_noise(std::span<const float> nights) {
  constexpr std::array<std::size_t, 3> kApart = {5, 10, 15};
  constexpr std::size_t kEnough = 30;  // differences
  constexpr double kAssumed = 0.3, kMost = 0.8;
  SeriesNoise noise;
  noise.correlation = kAssumed;
  thread_local std::vector<float> differences;
  differences.clear();
  add_differences(nights, 1, &differences);
  noise.differences = differences.size();
  if (differences.empty()) return noise;
  std::size_t from = 0;
  const double near =
      kMedianToDeviation * quantile_in_place(&differences, 0.5, &from) / std::numbers::sqrt2;
  const double tail =
      kNinetyToDeviation * quantile_in_place(&differences, 0.9, &from) / std::numbers::sqrt2;
  noise.deviation = std::max({near, tail, kLeastNoise});
  differences.clear();
  for (const std::size_t apart : kApart) add_differences(nights, apart, &differences);
  noise.is_correlation_known = differences.size() >= kEnough;
  if (!noise.is_correlation_known) return noise;
  from = 0;
  const double far =
      kMedianToDeviation * quantile_in_place(&differences, 0.5, &from) / std::numbers::sqrt2;
  const double ratio = near / std::max(far, 1e-9);
  noise.correlation = std::clamp(1 - ratio * ratio, 0.0, kMost);
  return noise;
}

SeriesNights::OfSeries<SeriesLevel> series_levels(const SeriesNights& nights) {
  constexpr double kCut = 4.685;
  constexpr int kIterations = 4;
  const DoubleLanes none{}, one = none + 1;
  OfSeries begin{}, known{};
  begin_at_medians(nights, &begin, &known);
  SeriesNights::OfSeries<SeriesLevel> levels;
  for (std::size_t first = 0; first < SeriesNights::kSeries; first += kDoubleLanes) {
    DoubleLanes values[SeriesNights::kMostNights], weights[SeriesNights::kMostNights];
    for (std::size_t n = 0; n < nights.count; ++n) {
      const float* const level = &nights.levels[n][first];
      const DoubleLanes own{level[0], level[1]};
      const auto is_known = own - own == none;
      values[n] = is_known ? own : none;
      weights[n] = is_known ? lanes_of<DoubleLanes>(&nights.weights[n][first]) : none;
    }
    const DoubleLanes bound = kCut * lanes_of<DoubleLanes>(&nights.deviation[first]);
    auto level = lanes_of<DoubleLanes>(&begin[first]);
    DoubleLanes weight{};
    for (int k = 0; k < kIterations; ++k) {
      DoubleLanes sum{};
      weight = none;
      for (std::size_t n = 0; n < nights.count; ++n) {
        const DoubleLanes off = (values[n] - level) / bound;
        const DoubleLanes left = one - off * off;
        const DoubleLanes own = left > none ? weights[n] * left * left : none;
        sum += own * values[n];
        weight += own;
      }
      level = weight > none ? sum / weight : level;
    }
    for (std::size_t s = 0; s < kDoubleLanes; ++s) {
      if (known[first + s] > 0) levels[first + s] = {level[s], weight[s]};
    }
  }
  return levels;
}

}  // namespace benchhud::analysis
