#include "analysis/alerts/night_qualities.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

// Of one repetition, in proportion; 0 where a night does not tell.
double variance_of(const Night& night) {
  return night.count > 1 ? night.variance * static_cast<double>(night.count) : 0;
}

std::uint8_t bit_of(WatchedMetric metric) {
  return static_cast<std::uint8_t>(1U << place_of(judged_metric_of(metric)));
}

// Whether repetitions scatter so much, with many series off, that something else was running.
bool is_scattered(const NightQuality& night) {
  constexpr double kScatter = 2.5;
  constexpr std::size_t kShareOff = 4;  // one in so many
  return night.is_known() && night.scatter >= kScatter && night.off * kShareOff >= night.judged;
}

}  // namespace

void UsualRepetitions::follow(std::span<const Night> nights, std::span<const std::uint32_t> numbers,
                              std::size_t count) {
  const auto last = nights.last(std::min(nights.size(), kNights));
  const bool is_one_more =
      count == count_ + 1 && count_ > 0 &&
      (nights_ == kNights ? nights.size() > kNights : last.size() == nights_ + 1);
  const auto begin = sorted_.begin();
  const auto add = [&](double variance) {
    if (variance <= 0) return;
    const auto end = begin + static_cast<std::ptrdiff_t>(telling_++);
    const auto place = std::upper_bound(begin, end, variance);
    std::copy_backward(place, end, end + 1);
    *place = variance;
  };
  if (is_one_more && nights_ == kNights) {
    const double gone = variance_of(nights[nights.size() - kNights - 1]);
    if (gone > 0) {
      const auto end = begin + static_cast<std::ptrdiff_t>(telling_--);
      const auto place = std::lower_bound(begin, end, gone);
      std::copy(place + 1, end, place);
    }
  }
  if (is_one_more) {
    add(variance_of(last.back()));
  } else if (count != count_ || last.size() != nights_) {
    telling_ = 0;
    for (const Night& night : last) add(variance_of(night));
  }
  nights_ = last.size();
  count_ = count;
  first_ = nights_ == 0 ? 0 : numbers[numbers.size() - nights_];
}

std::optional<double> UsualRepetitions::variance() const {
  constexpr std::size_t kFewestNights = 5;
  if (telling_ < kFewestNights) return std::nullopt;
  return median_of_sorted(std::span(sorted_).first(telling_));
}

double repetition_scatter(std::span<const RepetitionsTonight> series) {
  constexpr std::size_t kFewestSeries = 6;
  std::vector<double> ratios;
  for (const auto& [tonight, usual] : series) {
    const double own = variance_of(tonight);
    if (own > 0) ratios.push_back(std::sqrt(own / usual));
  }
  if (ratios.size() < kFewestSeries) return std::numeric_limits<double>::quiet_NaN();
  return median(ratios);
}

void NightQualities::add_night() {
  changed_from_ = std::min(changed_from_, nights_.size());
  nights_.emplace_back();
  disturbed_.push_back(0);
}

void NightQualities::judge(WatchedMetric metric,
                           std::span<const CommonChangeDetector::Judged> judged) {
  for (const CommonChangeDetector::Judged& one : judged) {
    std::uint8_t& disturbed = disturbed_[one.night];
    disturbed &= static_cast<std::uint8_t>(~bit_of(metric));
    if (one.quality.is_disturbed) disturbed |= bit_of(metric);
    if (metric != WatchedMetric::kSteady) continue;
    NightQuality& kept = nights_[one.night];
    const double scatter = kept.scatter;  // of its repetitions no more becomes known
    kept = one.quality;
    kept.scatter = scatter;
    kept.is_disturbed = kept.is_disturbed || is_scattered(kept);
    changed_from_ = std::min(changed_from_, one.night);
  }
}

bool NightQualities::is_disturbed(WatchedMetric metric, std::size_t night) const {
  return (disturbed_[night] & bit_of(metric)) != 0 || is_scattered(nights_[night]);
}

bool NightQualities::is_consistent_with(std::size_t nights) const {
  return nights_.size() == nights && disturbed_.size() == nights &&
         std::ranges::all_of(nights_, [&](const NightQuality& night) {
           return std::ranges::all_of(night.alike,
                                      [&](std::size_t other) { return other < nights; });
         });
}

}  // namespace benchhud::analysis
