#include "analysis/statistics/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "analysis/statistics/selection.h"
#include "analysis/statistics/sorting_network.h"

namespace benchhud::analysis {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A block of eight running sums; numpy's unit of pairwise addition.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 128;

double sum_of_block(std::span<const double> values) {
  if (values.size() < kLanes) return std::accumulate(values.begin(), values.end(), 0.0);
  std::array<double, kLanes> lane{};
  std::copy_n(values.begin(), kLanes, lane.begin());
  std::size_t at = kLanes;
  for (; at + kLanes <= values.size(); at += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) lane[i] += values[at + i];
  }
  double total =
      ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (; at < values.size(); ++at) total += values[at];
  return total;
}

std::vector<double> sorted_copy(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// The value `part` of the way, from the nearer end, as numpy does: monotone, and exact at both
// ends.
double between(double low, double high, double part) {
  const double step = high - low;
  if (!std::isfinite(step)) return std::lerp(low, high, part);
  return part < 0.5 ? low + step * part : high - step * (1 - part);
}

double largest_magnitude(std::span<const double> values) {
  double largest = 0;
  for (double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double sd_with_divisor(std::span<const double> samples, double divisor) {
  const double center = mean(samples);
  std::vector<double> deviations(samples.size());
  std::transform(samples.begin(), samples.end(), deviations.begin(),
                 [center](double value) { return value - center; });
  const auto root_of_squares = [&](double scale) {
    std::vector<double> squares(deviations.size());
    std::transform(deviations.begin(), deviations.end(), squares.begin(),
                   [scale](double d) { return (d / scale) * (d / scale); });
    return std::sqrt(sum(squares) / divisor) * scale;
  };
  const double sd = root_of_squares(1);
  // Squares leave the range of double at 1e154 and at 1e-154: only then is scaling worth the
  // digits.
  const double largest = largest_magnitude(deviations);
  const bool out_of_range = largest > 1e150 || (largest > 0 && largest < 1e-150);
  return out_of_range && std::isfinite(largest) ? root_of_squares(largest) : sd;
}

// P(B = floor(n / 2)) for B binomial(n, 1/2): the product of (2i - 1) / (2i).
double central_probability(std::size_t n) {
  double probability = 1;
  for (std::size_t i = 1; i <= (n + 1) / 2; ++i) {
    probability *= (2.0 * static_cast<double>(i) - 1) / (2.0 * static_cast<double>(i));
  }
  return probability;
}

}  // namespace

double sum(std::span<const double> samples) {
  if (samples.size() <= kBlock) return sum_of_block(samples);
  std::size_t half = samples.size() / 2;
  half -= half % kLanes;
  return sum(samples.first(half)) + sum(samples.subspan(half));
}

double mean(std::span<const double> samples) {
  if (samples.empty()) return kNaN;
  const double n = static_cast<double>(samples.size());
  const double plain = sum(samples) / n;
  if (std::isfinite(plain)) return plain;
  std::vector<double> shares(samples.size());
  std::transform(samples.begin(), samples.end(), shares.begin(), [n](double v) { return v / n; });
  // The shares' own rounding must not carry the mean over the largest sample.
  return std::clamp(sum(shares), minimum(samples), maximum(samples));
}

double sample_sd(std::span<const double> samples) {
  if (samples.size() < 2) return kNaN;
  return sd_with_divisor(samples, static_cast<double>(samples.size() - 1));
}

double minimum(std::span<const double> samples) {
  return samples.empty() ? kNaN : *std::min_element(samples.begin(), samples.end());
}

double maximum(std::span<const double> samples) {
  return samples.empty() ? kNaN : *std::max_element(samples.begin(), samples.end());
}

double median_of_sorted(std::span<const double> sorted) {
  if (sorted.empty()) return kNaN;
  const std::size_t upper = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[upper];
  return std::midpoint(sorted[upper - 1], sorted[upper]);
}

double median(std::span<const double> samples) {
  if (samples.empty()) return kNaN;
  constexpr std::size_t kFew = 32;
  if (samples.size() <= kFew) {
    std::array<double, kFew> sorted;
    std::copy(samples.begin(), samples.end(), sorted.begin());
    sort_by_network(sorted.data(), samples.size());
    return median_of_sorted(std::span(sorted).first(samples.size()));
  }
  std::vector<double> values(samples.begin(), samples.end());
  const std::size_t half = values.size() / 2;
  const double upper = select(values, half);
  if (values.size() % 2 == 1) return upper;
  return std::midpoint(maximum(std::span(values).first(half)), upper);
}

double quantile_of_sorted(std::span<const double> sorted, double q) {
  if (sorted.empty() || !(q >= 0 && q <= 1)) return kNaN;
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return between(sorted[below], sorted[below + 1], place - static_cast<double>(below));
}

double quantile(std::span<const double> samples, double q) {
  if (samples.empty() || !(q >= 0 && q <= 1)) return kNaN;
  const double place = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  // Selecting the two neighbours costs a fraction of sorting all.
  std::vector<double> values(samples.begin(), samples.end());
  const double at = select(values, below);
  if (below + 1 == values.size()) return at;
  const double next = minimum(std::span(values).subspan(below + 1));
  return between(at, next, place - static_cast<double>(below));
}

double median_absolute_deviation(std::span<const double> samples) {
  const double center = median(samples);
  std::vector<double> deviations(samples.size());
  std::transform(samples.begin(), samples.end(), deviations.begin(),
                 [center](double value) { return std::abs(value - center); });
  return median(deviations);
}

double geometric_mean(std::span<const double> samples) {
  std::vector<double> logs(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!(samples[i] > 0)) return kNaN;
    logs[i] = std::log(samples[i]);
  }
  return std::exp(mean(logs));
}

std::optional<Interval> median_interval(std::span<const double> samples, double confidence) {
  const std::size_t n = samples.size();
  if (n < 2) return std::nullopt;
  const std::vector<double> sorted = sorted_copy(samples);
  // coverage(d) = P(d <= B <= n - d). It grows as d falls from the middle, by two equal terms a
  // step.
  std::size_t d = n / 2;
  double term = central_probability(n);
  double coverage = n % 2 == 0 ? term : 2 * term;
  while (d > 1 && coverage < confidence) {
    term *= static_cast<double>(d) / static_cast<double>(n - d + 1);
    --d;
    coverage += 2 * term;
  }
  return Interval{sorted[d - 1], sorted[n - d], std::min(coverage, 1.0)};
}

}  // namespace benchhud::analysis
