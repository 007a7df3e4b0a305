#include "analysis/changes/search_trigger.h"

#include <algorithm>
#include <cmath>

#include "analysis/changes/change_points.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

// Standard deviations that nights are off by, of which find_changes() may make something: of one or
// two nights a suspect, of more a change only if it gains what a change costs, which is more.
constexpr double kOffSuspect = 3, kOff = 3.3;

}  // namespace

void SearchTrigger::learn(std::span<const Night> nights, std::size_t begin, const NightNoise& noise,
                          double cut, std::size_t first) {
  begin_ = begin;
  deviation_ = noise.deviation;
  correlation_ = noise.correlation;
  cut_ = cut;
  const std::span level = nights.subspan(begin - first);
  std::vector<double> last;
  for (const Night& night : level) last.push_back(night.level);
  // Of nights with two humps the median is one of them: their mean is what sums are near.
  const double middle = median(last);
  const double bound = cut_ * deviation_;
  for (double& one : last) one = std::clamp(one, middle - bound, middle + bound);
  level_ = mean(last);
  sums_.clear();
  follow(level);
}

void SearchTrigger::follow(std::span<const Night> level) {
  if (sums_.empty()) {
    sums_.push_back(0);
    double alike = 0, power = 1;  // r + r² + … of the nights' correlation r
    double variance = 0;
    for (double& of_sum : variances_) {
      variance += 1 + 2 * alike;
      of_sum = variance;
      power *= correlation_;
      alike += power;
    }
  }
  while (sums_.size() <= level.size()) {
    const Night& night = level[sums_.size() - 1];
    const double off = (night.level - level_) / deviation_;
    sums_.push_back(sums_.back() + std::clamp(off, -cut_, cut_));
  }
}

// Of more nights than can be suspected; the largest.
double SearchTrigger::off_together() const {
  const std::size_t count = sums_.size() - 1;
  double most = 0;
  for (std::size_t k = kMostSuspect + 1; k <= std::min(kMostTogether, count); ++k) {
    const double sum = sums_[count] - sums_[count - k];
    most = std::max(most, sum * sum / variances_[k - 1]);
  }
  return most;
}

bool SearchTrigger::is_off(std::span<const Night> nights, std::size_t first) {
  const std::span level = nights.subspan(begin_ - first);
  follow(level);
  if (off_together() > kOff * kOff) return true;
  const std::size_t count = sums_.size() - 1;
  for (std::size_t k = 1; k <= kMostSuspect && k < count; ++k) {
    const double sum = sums_[count] - sums_[count - k];
    if (sum * sum <= kOffSuspect * kOffSuspect * variances_[k - 1]) continue;
    if (is_far_out(level.first(count - k), level.last(k))) return true;
  }
  return false;
}

// The largest over all cuts; 0 where that is less than `least` by far.
double SearchTrigger::apart(std::size_t nights, double least) const {
  const std::size_t first = sums_.size() - std::min(sums_.size(), nights + 1);
  const std::span sums = std::span(sums_).subspan(first);
  const auto n = static_cast<double>(sums.size() - 1);
  const double slope = n > 0 ? (sums.back() - sums.front()) / n : 0;
  // Most levels are one by far, and to know that takes no division.
  const double scale = n * (1 - correlation_) / (1 + correlation_);
  std::size_t near = 0;
  for (std::size_t k = 1; k + 1 < sums.size(); ++k) {
    const auto before = static_cast<double>(k);
    const double off = sums[k] - sums.front() - slope * before;
    near += off * off * scale > 0.99 * least * before * (n - before) ? 1 : 0;
  }
  if (near == 0) return 0;
  double most = 0;
  for (std::size_t k = 1; k + 1 < sums.size(); ++k) {
    const auto before = static_cast<double>(k);
    const double off = sums[k] - sums.front() - slope * before;
    most = std::max(most, off * off / (before * (n - before)));  // times n: a variance of 1
  }
  return most * n * (1 - correlation_) / (1 + correlation_);
}

bool SearchTrigger::is_two(std::span<const Night> nights, std::size_t most, std::size_t first) {
  follow(nights.subspan(begin_ - first));
  return apart(most, kOff * kOff) > kOff * kOff;
}

}  // namespace benchhud::analysis
