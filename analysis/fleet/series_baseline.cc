#include "analysis/fleet/series_baseline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "analysis/changes/night_series.h"
#include "analysis/statistics/selection.h"
#include "analysis/statistics/sorting_network.h"

namespace benchhud::analysis {
namespace {

constexpr double kMedianToDeviation = 1.4826, kNinetyToDeviation = 1 / 1.645;

// As quantile() of summary.h, of one of several that are sorted side by side. `count`: one at
// least.
double quantile_of(const FloatLanes* sorted, std::size_t lane, double count, double share) {
  const double place = share * (count - 1);
  const auto low = static_cast<std::size_t>(place);
  const double at = sorted[low][lane];
  if (static_cast<double>(low + 1) == count) return at;
  return at + (place - static_cast<double>(low)) * (sorted[low + 1][lane] - at);
}

// Values of some series, side by side.
struct SideBySide {
  std::vector<FloatLanes> values;
  FloatLanes known{};  // how many of each are numbers

  void clear() {
    values.clear();
    known = FloatLanes{};
  }
  // What is no number goes behind all others.
  void add(const FloatLanes& value) {
    const FloatLanes none{};
    const auto is_known = value - value == none;
    values.push_back(is_known ? value : none + std::numeric_limits<float>::infinity());
    known += is_known ? none + 1 : none;
  }
  std::size_t count(std::size_t lane) const { return static_cast<std::size_t>(known[lane]); }
  void sort() { sort_by_network(values.data(), values.size()); }
  // After sort(). `count(lane)` is one at least.
  double quantile(std::size_t lane, double share) const {
    return quantile_of(values.data(), lane, known[lane], share);
  }
};

// Of one series.
void add_differences(std::span<const FloatLanes> nights, std::size_t lane, std::size_t apart,
                     std::vector<float>* all) {
  std::size_t count = all->size();
  all->resize(count + nights.size());
  for (std::size_t n = apart; n < nights.size(); ++n) {
    const float difference = std::abs(nights[n][lane] - nights[n - apart][lane]);
    (*all)[count] = difference;
    count += std::isfinite(difference) ? 1 : 0;
  }
  all->resize(count);
}

void add_differences(std::span<const FloatLanes> nights, std::size_t apart, SideBySide* all) {
  for (std::size_t n = apart; n < nights.size(); ++n) {
    const FloatLanes difference = nights[n] - nights[n - apart];
    all->add(difference < FloatLanes{} ? -difference : difference);
  }
}

// As SideBySide::quantile() of 0.5, of one series: many are sooner selected from than sorted.
double median_in_place(std::span<float> values) {
  const std::size_t low = (values.size() - 1) / 2;
  const double at = select(values, low);
  if (values.size() % 2 == 1) return at;
  const double next = *std::ranges::min_element(values.subspan(low + 1));
  return at + 0.5 * (next - at);
}

// Of nights whose differences these absolute ones are, of each: some are spoiled by steps.
double deviation_of(std::span<float> differences) {
  return kMedianToDeviation * median_in_place(differences) / std::numbers::sqrt2;
}

using OfSeries = SeriesNights::OfSeries<double>;

// Of each series the median of its nights, and how many it has.
void begin_at_medians(const SeriesNights& nights, OfSeries* level, OfSeries* known) {
  const FloatLanes none{}, one = none + 1, beyond = none + std::numeric_limits<float>::infinity();
  for (std::size_t first = 0; first < SeriesNights::kSeries; first += kFloatLanes) {
    FloatLanes sorted[SeriesNights::kMostNights], count{};
    for (std::size_t n = 0; n < nights.count; ++n) {
      const auto values = lanes_of<FloatLanes>(&nights.levels[n][first]);
      const auto is_known = values - values == none;
      sorted[n] = is_known ? values : beyond;
      count += is_known ? one : none;
    }
    sort_by_network(sorted, nights.count);
    for (std::size_t s = 0; s < kFloatLanes; ++s) {
      (*known)[first + s] = count[s];
      if (count[s] > 0) (*level)[first + s] = quantile_of(sorted, s, count[s], 0.5);
    }
  }
}

}  // namespace

std::array<SeriesNoise, kFloatLanes> series_noise(std::span<const FloatLanes> nights) {
  constexpr std::array<std::size_t, 3> kApart = {5, 10, 15};
  constexpr std::size_t kEnough = 30;  // differences
  constexpr double kAssumed = 0.3, kMost = 0.8;
  thread_local SideBySide near;
  near.clear();
  add_differences(nights, 1, &near);
  near.sort();
  thread_local std::vector<float> far;
  std::array<SeriesNoise, kFloatLanes> noises;
  for (std::size_t s = 0; s < kFloatLanes; ++s) {
    SeriesNoise& noise = noises[s];
    noise.correlation = kAssumed;
    noise.differences = near.count(s);
    if (noise.differences == 0) continue;
    const double neighbours = kMedianToDeviation * near.quantile(s, 0.5) / std::numbers::sqrt2;
    const double tail = kNinetyToDeviation * near.quantile(s, 0.9) / std::numbers::sqrt2;
    noise.deviation = std::max({neighbours, tail, kLeastNoise});
    far.clear();
    for (const std::size_t apart : kApart) add_differences(nights, s, apart, &far);
    noise.is_correlation_known = far.size() >= kEnough;
    if (!noise.is_correlation_known) continue;
    const double further = deviation_of(far);
    const double ratio = neighbours / std::max(further, 1e-9);
    noise.correlation = std::clamp(1 - ratio * ratio, 0.0, kMost);
  }
  return noises;
}

std::optional<double> series_wander(std::span<const FloatLanes> nights, std::size_t lane) {
  constexpr std::size_t kNear = 5, kFar = 15, kEnough = 10;
  thread_local std::vector<float> differences;
  // Half of the variance of the difference of nights so far apart.
  const auto variance = [&](std::size_t apart) -> std::optional<double> {
    differences.clear();
    add_differences(nights, lane, apart, &differences);
    if (differences.size() < kEnough) return std::nullopt;
    const double deviation = deviation_of(differences);
    return deviation * deviation;
  };
  const auto neighbours = variance(1), near = variance(kNear), far = variance(kFar);
  if (!neighbours || !near || !far) return std::nullopt;
  const double walk = 2 * (*far - *near) / (kFar - kNear);
  const double noise = std::max(*neighbours - walk / 2, kLeastNoise * kLeastNoise);
  return std::min(walk / noise, kMostWander);
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
