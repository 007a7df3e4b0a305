#include "analysis/changes/recent_step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/changes/step_fit.h"
#include "analysis/statistics/step_likelihood.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kLevelNights = 20;
constexpr double kWorthALook = 3;  // standard deviations
constexpr double kBegins = 4, kGoesOn = 2;

// Of the last nights, all of one variance.
double location_of(std::span<const Night> nights, double deviation) {
  std::array<double, kLevelNights> levels;
  const auto last = nights.last(std::min(nights.size(), kLevelNights));
  std::ranges::transform(last, levels.begin(), &Night::level);
  return biweight_mean(std::span(levels).first(last.size()), 1 / (deviation * deviation));
}

// Of the ratio that log_likelihood_ratio() is of a value, for each size of a step, no less than it
// is: the most between two values a quarter of a standard deviation apart.
class RatioBounds {
 public:
  explicit RatioBounds(double degrees) : degrees_(degrees) {
    constexpr double kRounding = 1e-6;
    for (std::size_t s = 0; s < kStepSizes.size(); ++s) {
      const double size = kStepSizes[s];
      // Where the ratio is greatest. It falls towards a least value below 0, and rises to 0 again.
      const double peak = (size + std::sqrt(size * size + 4 * degrees)) / 2;
      for (std::size_t cell = 0; cell < kCells; ++cell) {
        const double low = static_cast<double>(cell) / kPerDeviation - kFarthestOff;
        const double high = low + 1 / kPerDeviation;
        bounds_[cell][s] = std::max(log_likelihood_ratio(low, size, degrees),
                                    log_likelihood_ratio(high, size, degrees)) +
                           kRounding;
        if (low <= peak && peak <= high) {
          bounds_[cell][s] = log_likelihood_ratio(peak, size, degrees) + kRounding;
        }
        if (cell == 0) bounds_[cell][s] = std::max(bounds_[cell][s], kRounding);  // all below it
      }
    }
  }

  double degrees() const { return degrees_; }
  // By size of the step. `off`: no number is taken for one of which anything may be.
  const std::array<double, kStepSizes.size()>& of(double off) const {
    constexpr double kLast = kCells - 1;
    const double cell = (off + kFarthestOff) * kPerDeviation;
    return bounds_[cell >= 0 ? static_cast<std::size_t>(std::min(cell, kLast)) : 0];
  }

 private:
  static constexpr double kPerDeviation = 4;
  static constexpr std::size_t kCells =
      static_cast<std::size_t>(2 * kFarthestOff * kPerDeviation) + 1;
  double degrees_;
  std::array<std::array<double, kStepSizes.size()>, kCells> bounds_{};
};

const RatioBounds& bounds_for(double degrees) {
  thread_local RatioBounds bounds(degrees);
  if (bounds.degrees() != degrees) bounds = RatioBounds(degrees);
  return bounds;
}

}  // namespace

RecentNights::RecentNights(std::span<const Night> nights, const NightNoise& noise)
    : deviation_(noise.deviation), worth_((1 - noise.correlation) / (1 + noise.correlation)) {
  if (nights.size() <= kFewestBefore || deviation_ <= 0) return;
  const auto off_by = [&](const Night& night, double level) {
    return (night.level - level) / deviation_;
  };
  // The level is a mean of nights that are near it. Where most are as near the last night as is not
  // worth a look, and the others so far from it that they do not count, it is as near.
  const std::span before = nights.first(nights.size() - 1);
  constexpr double kSurely = 1e-9;  // of what is compared, whatever is rounded
  const double near = kWorthALook * (1 - kSurely) * deviation_;
  const double far = (kWorthALook + kFarOff) * (1 + kSurely) * deviation_;
  std::size_t is_near = 0, is_far = 0;
  const auto in_view = before.last(std::min(before.size(), kLevelNights));
  for (const Night& night : in_view) {
    const double off = std::abs(nights.back().level - night.level);
    is_near += off < near ? 1 : 0;
    is_far += off > far ? 1 : 0;
  }
  if (is_near + is_far == in_view.size() && is_near > is_far + 1) return;
  const double level = location_of(before, deviation_);
  // Of a step that most nights in view already show, the level is near the last night; its first
  // nights were looked at then.
  is_off_ = std::abs(off_by(nights.back(), level)) > kWorthALook;
  if (!is_off_) return;
  const std::size_t most = std::min(kMost, nights.size() - kFewestBefore);
  for (std::size_t count = 1; count <= most; ++count) {
    before_.push_back(location_of(nights.first(nights.size() - count), deviation_));
    std::vector<double>& off = off_.emplace_back();
    for (const Night& night : nights.last(count)) off.push_back(off_by(night, before_.back()));
  }
}

// Each night beside the ten before it.
void RecentNights::count_excursions(std::span<const Night> nights) {
  constexpr std::size_t kInView = 60, kBeside = 10, kLongest = 10;
  const std::size_t end = nights.size() - std::min(nights.size(), std::size_t{3});
  const std::size_t begin = end - std::min(end, kInView);
  double run = 0, level = 0;
  seen_ = begun_ = stayed_ = nights_off_ = 0;
  std::vector<double> beside;
  for (std::size_t n = begin; n < end; ++n) {
    if (run == 0) {
      beside.clear();
      for (std::size_t k = n - std::min(n - begin, kBeside); k < n; ++k) {
        beside.push_back(nights[k].level);
      }
      if (beside.size() < 3) continue;
      level = median(beside);
    }
    ++seen_;
    const double off = (nights[n].level - level) / deviation_;
    if (run == 0 && std::abs(off) <= kBegins) continue;
    if (run == 0) {
      ++begun_;
      run = off > 0 ? 1 : -1;
    } else if (off * run > 0 && std::abs(off) >= kGoesOn && std::abs(run) < kLongest) {
      run += off > 0 ? 1 : -1;
    } else {
      stayed_ += std::abs(run) - 1;
      nights_off_ += std::abs(run);
      run = 0;
    }
  }
}

double RecentNights::most_of_first(double bound) const {
  return std::min(std::log((50 + seen_) / (0.5 + begun_)), bound);
}

double RecentNights::most_of_next(double bound) const {
  const double stays = (0.5 + stayed_) / (15 + nights_off_);
  return std::min(most_of_first(bound), std::max(2 * std::log((1 - stays) / stays), 0.3));
}

RecentStep recent_step(std::span<const std::vector<double>> off, const RecentStepRules& rules) {
  RecentStep best;
  for (const int direction : {1, -1}) {
    RecentStep step;
    step.direction = direction;
    double most = 0;
    for (std::size_t k = 1; k <= off.size(); ++k) {
      double sum = 0;
      for (const double one : off[k - 1]) {
        sum += std::clamp(direction * one, -kFarthestOff, kFarthestOff);
      }
      if (sum > 0 && sum * sum / static_cast<double>(k) > most) {
        most = sum * sum / static_cast<double>(k);
        step.nights = k;
      }
      for (const double size : kStepSizes) {
        double log_ratio = 0;
        bool is_first = true;
        for (const double one : off[k - 1]) {
          const double own =
              log_likelihood_ratio(std::min(direction * one, kFarthestOff), size, rules.degrees);
          log_ratio += is_first ? std::min(own, rules.most_of_first)
                                : std::min(rules.worth * own, rules.most_of_next);
          is_first = false;
        }
        step.statistic += std::exp(log_ratio) / kStepSizes.size();
      }
    }
    if (step.nights > 0 && step.statistic > best.statistic) best = step;
  }
  return best;
}

bool may_reach(std::span<const std::vector<double>> off, const RecentStepRules& rules,
               double statistic) {
  if (off.empty()) return statistic <= 0;
  const RatioBounds& bounds = bounds_for(rules.degrees);
  // Of the sum over as many nights on which a step may have begun one is no less than this.
  const double least = std::log(statistic / static_cast<double>(off.size()));
  for (const double direction : {1.0, -1.0}) {
    for (const std::vector<double>& nights : off) {
      std::array<double, kStepSizes.size()> most{};
      bool is_first = true;
      for (const double one : nights) {
        const auto& of_night = bounds.of(direction * one);
        for (std::size_t s = 0; s < most.size(); ++s) {
          most[s] += is_first ? std::min(of_night[s], rules.most_of_first)
                              : std::min(rules.worth * of_night[s], rules.most_of_next);
        }
        is_first = false;
      }
      if (std::ranges::max(most) >= least) return true;
    }
  }
  return false;
}

}  // namespace benchhud::analysis
