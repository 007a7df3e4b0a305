#include "analysis/fleet/series_baseline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "analysis/changes/night_series.h"

namespace benchhud::analysis {
namespace {

constexpr double kMedianToDeviation = 1.4826, kNinetyToDeviation = 1 / 1.645;

// As quantile() of summary.h, and reorders the values instead of copying them.
double quantile_in_place(std::vector<double>* values, double share) {
  const double place = share * static_cast<double>(values->size() - 1);
  const auto low = values->begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values->begin(), low, values->end());
  if (low + 1 == values->end()) return *low;
  const double next = *std::min_element(low + 1, values->end());
  return *low + (place - std::floor(place)) * (next - *low);
}

void add_differences(std::span<const float> nights, std::size_t apart, std::vector<double>* all) {
  for (std::size_t n = apart; n < nights.size(); ++n) {
    const double difference = std::abs(nights[n] - nights[n - apart]);
    if (std::isfinite(difference)) all->push_back(difference);
  }
}

}  // namespace

SeriesNoise series_noise(std::span<const float> nights) {
  constexpr std::array<std::size_t, 3> kApart = {5, 10, 15};
  constexpr std::size_t kEnough = 30;  // differences
  constexpr double kAssumed = 0.3, kMost = 0.8;
  SeriesNoise noise;
  noise.correlation = kAssumed;
  thread_local std::vector<double> differences;
  differences.clear();
  add_differences(nights, 1, &differences);
  noise.differences = differences.size();
  if (differences.empty()) return noise;
  const double near =
      kMedianToDeviation * quantile_in_place(&differences, 0.5) / std::numbers::sqrt2;
  const double tail =
      kNinetyToDeviation * quantile_in_place(&differences, 0.9) / std::numbers::sqrt2;
  noise.deviation = std::max({near, tail, kLeastNoise});
  differences.clear();
  for (const std::size_t apart : kApart) add_differences(nights, apart, &differences);
  noise.is_correlation_known = differences.size() >= kEnough;
  if (!noise.is_correlation_known) return noise;
  const double far =
      kMedianToDeviation * quantile_in_place(&differences, 0.5) / std::numbers::sqrt2;
  const double ratio = near / std::max(far, 1e-9);
  noise.correlation = std::clamp(1 - ratio * ratio, 0.0, kMost);
  return noise;
}

SeriesLevel series_level(std::span<const float> nights, std::span<const double> weights,
                         double deviation) {
  constexpr double kCut = 4.685;
  constexpr int kIterations = 4;
  thread_local std::vector<double> known;
  known.clear();
  for (std::size_t n = 0; n < nights.size(); ++n) {
    if (std::isfinite(nights[n]) && weights[n] > 0) known.push_back(nights[n]);
  }
  if (known.empty()) return {};
  SeriesLevel level{quantile_in_place(&known, 0.5), 0};
  for (int k = 0; k < kIterations; ++k) {
    double sum = 0, weight = 0;
    for (std::size_t n = 0; n < nights.size(); ++n) {
      if (!std::isfinite(nights[n])) continue;
      const double off = (nights[n] - level.level) / (kCut * deviation);
      if (std::abs(off) >= 1) continue;
      const double own = weights[n] * (1 - off * off) * (1 - off * off);
      sum += own * nights[n];
      weight += own;
    }
    level.weight = weight;
    if (weight > 0) level.level = sum / weight;
  }
  return level;
}

}  // namespace benchhud::analysis
