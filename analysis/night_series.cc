#include "analysis/night_series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analysis/summary.h"

namespace benchhud::analysis {
namespace {

constexpr double kQ90ToDeviation = 1 / 1.6449;  // of a normal distribution
constexpr std::size_t kFewestForCorrelation = 12;
constexpr double kAssumedCorrelation = 0.3;
constexpr double kMostCorrelation = 0.8;
constexpr std::size_t kFurthest = 4;  // nights apart
// The variance of a sample quartile, and of a median, is about this times that of a mean.
constexpr double kQuartileVariance = 1.86;
constexpr double kMedianVariance = 1.57;
constexpr double kFarthestLevel = 1e12;  // squares of it are far from the range of double

// How much nights differ that are one, two, … apart.
using Differences = std::array<std::vector<double>, kFurthest>;

Differences differences_of(std::span<const Night> nights) {
  Differences differences;
  for (std::size_t apart = 1; apart <= kFurthest; ++apart) {
    for (std::size_t i = apart; i < nights.size(); ++i) {
      differences[apart - 1].push_back(std::abs(nights[i].level - nights[i - apart].level));
    }
  }
  return differences;
}

double mean_square(const std::vector<double>& values, double most) {
  double sum = 0;
  for (const double value : values) sum += std::min(value, most) * std::min(value, most);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// By how much nights two to four apart differ more than neighbours do, on average, if each night is
// like the one before with this correlation: (1 − r^k) / (1 − r).
double spread_of(double correlation) {
  double sum = 0;
  for (std::size_t k = 2; k <= kFurthest; ++k) {
    sum += (1 - std::pow(correlation, static_cast<double>(k))) / (1 - correlation);
  }
  return sum / (kFurthest - 1);
}

double correlation_of(const Differences& differences) {
  const auto& [neighbours, two, three, four] = differences;
  if (neighbours.size() + 1 < kFewestForCorrelation) return kAssumedCorrelation;
  std::vector<double> all;
  for (const auto& some : differences) all.insert(all.end(), some.begin(), some.end());
  // A change of level is in k differences of nights k apart: it counts no more than noise may.
  const double most = 3.5 * kMadToDeviation * median(all);
  const double nearest = mean_square(neighbours, most);
  if (nearest <= 0) return 0;
  const double further =
      (mean_square(two, most) + mean_square(three, most) + mean_square(four, most)) /
      (kFurthest - 1);
  const double spread = further / nearest;
  double low = 0, high = kMostCorrelation;
  if (spread <= spread_of(low)) return low;
  if (spread >= spread_of(high)) return high;
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (spread_of(middle) < spread ? low : high) = middle;
  }
  return low;
}

// A night whose level is a quantile of `values`, with the variance that this has for a mean's of 1.
std::optional<Night> night_at(std::span<const double> values, double share, double variance) {
  if (values.empty()) return std::nullopt;
  Night night;
  night.level = quantile(values, share);
  night.count = values.size();
  if (values.size() > 1) {
    const double deviation = sample_sd(values);
    night.variance = variance * deviation * deviation / static_cast<double>(values.size());
  }
  return night;
}

}  // namespace

std::optional<Night> night_of(std::span<const double> samples) {
  std::vector<double> logs;
  for (const double sample : samples) {
    if (std::isfinite(sample) && sample > 0) logs.push_back(std::log(sample));
  }
  return night_at(logs, 0.25, kQuartileVariance);
}

double typical_magnitude(std::span<const double> values) {
  std::vector<double> magnitudes;
  for (const double value : values) {
    if (value != 0) magnitudes.push_back(std::abs(value));
  }
  return magnitudes.empty() ? 1 : median(magnitudes);
}

std::optional<Night> linear_night_of(std::span<const double> samples, double magnitude) {
  std::vector<double> shares;
  for (const double sample : samples) {
    if (!std::isfinite(sample)) continue;
    shares.push_back(std::clamp(sample / magnitude, -kFarthestLevel, kFarthestLevel));
  }
  return night_at(shares, 0.5, kMedianVariance);
}

NightNoise noise_of(std::span<const Night> nights) {
  NightNoise noise;
  const Differences differences = differences_of(nights);
  noise.correlation = correlation_of(differences);
  const std::vector<double>& steps = differences.front();
  if (!steps.empty()) {
    const double scale =
        std::max(kMadToDeviation * median(steps), kQ90ToDeviation * quantile(steps, 0.9));
    noise.deviation = scale / std::sqrt(2 * (1 - noise.correlation));
  }
  noise.deviation = std::max(noise.deviation, kLeastNoise);
  return noise;
}

}  // namespace benchhud::analysis
