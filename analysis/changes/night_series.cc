#include "analysis/changes/night_series.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/statistics/summary.h"

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
constexpr double kLessScatter = 0.85;    // of medians, to be taken
constexpr double kFarthestLevel = 1e12;  // squares of it are far from the range of double

// How much nights differ that are one, two, … apart.
class Differences {
 public:
  explicit Differences(std::span<const Night> nights) : nights_(nights.size()) {
    all_.reserve(kFurthest * nights_);
    for (std::size_t apart = 1; apart <= kFurthest; ++apart) {
      for (std::size_t i = apart; i < nights_; ++i) {
        all_.push_back(std::abs(nights[i].level - nights[i - apart].level));
      }
    }
  }

  std::span<const double> all() const { return all_; }
  std::span<const double> of(std::size_t apart) const {
    std::size_t first = 0;
    for (std::size_t k = 1; k < apart; ++k) first += count(k);
    return std::span(all_).subspan(first, count(apart));
  }

 private:
  std::size_t count(std::size_t apart) const { return nights_ - std::min(nights_, apart); }

  std::size_t nights_ = 0;
  std::vector<double> all_;
};

double mean_square(std::span<const double> values, double most) {
  double sum = 0;
  for (const double value : values) sum += std::min(value, most) * std::min(value, most);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// By how much nights two to four apart differ more than neighbours do, on average, if each night is
// like the one before with this correlation: (1 − r^k) / (1 − r).
double spread_of(double correlation) {
  double sum = 0, apart = 1, power = correlation;  // apart: 1 + r + … + r^(k − 1)
  for (std::size_t k = 2; k <= kFurthest; ++k) {
    apart += power;
    power *= correlation;
    sum += apart;
  }
  return sum / (kFurthest - 1);
}

double correlation_of(const Differences& differences) {
  if (differences.of(1).size() + 1 < kFewestForCorrelation) return kAssumedCorrelation;
  // A change of level is in k differences of nights k apart: it counts no more than noise may.
  const double most = 3.5 * kMadToDeviation * median(differences.all());
  const double nearest = mean_square(differences.of(1), most);
  if (nearest <= 0) return 0;
  double further = 0;
  for (std::size_t apart = 2; apart <= kFurthest; ++apart) {
    further += mean_square(differences.of(apart), most);
  }
  const double spread = further / (kFurthest - 1) / nearest;
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

std::optional<Night> quartile_night(std::span<const double> values) {
  return night_at(values, 0.25, kQuartileVariance);
}

std::optional<Night> median_night(std::span<const double> values) {
  return night_at(values, 0.5, kMedianVariance);
}

}  // namespace

std::optional<Night> night_of(std::span<const double> samples) {
  return quartile_night(logarithms_of(samples));
}

std::string_view night_statistic_name(NightStatistic statistic) {
  switch (statistic) {
    case NightStatistic::kLowerQuartile:
      return "lower_quartile";
    case NightStatistic::kMedian:
      return "median";
    case NightStatistic::kShape:
      return "shape";
  }
  return "";
}

std::vector<double> logarithms_of(std::span<const double> samples) {
  std::vector<double> logs;
  for (const double sample : samples) {
    if (std::isfinite(sample) && sample > 0) logs.push_back(std::log(sample));
  }
  return logs;
}

double typical_magnitude(std::span<const double> values) {
  std::vector<double> magnitudes;
  for (const double value : values) {
    if (value != 0) magnitudes.push_back(std::abs(value));
  }
  return magnitudes.empty() ? 1 : median(magnitudes);
}

std::vector<double> shares_of(std::span<const double> samples, double magnitude) {
  std::vector<double> shares;
  for (const double sample : samples) {
    if (!std::isfinite(sample)) continue;
    shares.push_back(std::clamp(sample / magnitude, -kFarthestLevel, kFarthestLevel));
  }
  return shares;
}

SummarizedSeries nights_of(Repetitions repetitions) {
  SummarizedSeries quartiles;
  for (const auto& night : repetitions) quartiles.nights.push_back(*quartile_night(night));
  SummarizedSeries medians = medians_of(repetitions);
  const double scatter = noise_of(quartiles.nights).deviation;
  return noise_of(medians.nights).deviation < kLessScatter * scatter ? medians : quartiles;
}

SummarizedSeries medians_of(Repetitions repetitions) {
  SummarizedSeries medians{{}, NightStatistic::kMedian};
  for (const auto& night : repetitions) medians.nights.push_back(*median_night(night));
  return medians;
}

NightNoise noise_of(std::span<const Night> nights) {
  NightNoise noise;
  const Differences differences(nights);
  noise.correlation = correlation_of(differences);
  const std::span<const double> steps = differences.of(1);
  if (!steps.empty()) {
    const double scale =
        std::max(kMadToDeviation * median(steps), kQ90ToDeviation * quantile(steps, 0.9));
    noise.deviation = scale / std::sqrt(2 * (1 - noise.correlation));
  }
  noise.deviation = std::max(noise.deviation, kLeastNoise);
  return noise;
}

}  // namespace benchhud::analysis
