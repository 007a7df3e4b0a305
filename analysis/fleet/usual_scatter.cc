#include "analysis/fleet/usual_scatter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kNights = 60;
constexpr double kModeration = 10;  // nights

void keep_last(std::size_t count, std::vector<double>* values) {
  if (values->size() <= count) return;
  values->erase(values->begin(), values->end() - static_cast<std::ptrdiff_t>(count));
}

double weight_of(std::size_t nights) {
  const auto count = static_cast<double>(nights);
  return count / (count + kModeration);
}

}  // namespace

double MeanScatter::correlation() const {
  double correlation = usual_;
  if (!excess_.empty()) {
    const double learnt = std::accumulate(excess_.begin(), excess_.end(), 0.0) /
                          std::max(std::accumulate(pairs_.begin(), pairs_.end(), 0.0), 1e-9);
    const double weight = weight_of(excess_.size());
    correlation = weight * learnt + (1 - weight) * usual_;
  }
  return std::clamp(correlation, 0.02, 0.6);
}

double MeanScatter::deviation(double count, double correlation) {
  return std::sqrt((1 + (count - 1) * correlation) / count);
}

void MeanScatter::learn(std::span<const Mean> night) {
  constexpr double kMostSquare = 4,
                   kForCut = 1.3;  // for what cutting squares at 4 takes away, of heavy tails
  double excess = 0, pairs = 0;
  const double known = correlation();
  for (const auto& [mean, count] : night) {
    const double usual = deviation(count, known);
    const double square =
        kForCut * std::min(mean * mean / (usual * usual), kMostSquare) * usual * usual;
    excess += square * count - 1;
    pairs += count - 1;
  }
  if (night.empty()) return;
  excess_.push_back(excess);
  pairs_.push_back(pairs);
  keep_last(kNights, &excess_);
  keep_last(kNights, &pairs_);
}

double UsualDisagreement::standard(double mean_square, double count) const {
  double centre = kUsualSquare, variance = 1.3 / std::max(count, 1.0) + 0.05;
  if (!nights_.empty()) {
    const double weight = weight_of(nights_.size());
    variance = weight * std::max(deviation_ * deviation_, 0.5 / std::max(count, 1.0)) +
               (1 - weight) * variance;
    centre = weight * middle_ + (1 - weight) * centre;
  }
  return (mean_square - centre) / std::sqrt(variance);
}

void UsualDisagreement::learn(double mean_square) {
  nights_.push_back(mean_square);
  keep_last(3 * kNights, &nights_);
  middle_ = median(nights_);
  deviation_ = kMadToDeviation * median_absolute_deviation(nights_);
}

}  // namespace benchhud::analysis
