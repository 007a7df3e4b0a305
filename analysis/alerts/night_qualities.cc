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
  const bool is_speedup = metric == WatchedMetric::kSpeedup;
  return static_cast<std::uint8_t>(1U << place_of(is_speedup ? WatchedMetric::kSteady : metric));
}

// Whether repetitions scatter so much, with many series off, that something else was running.
bool is_scattered(const NightQuality& night) {
  constexpr double kScatter = 2.5;
  constexpr std::size_t kShareOff = 4;  // one in so many
  return night.is_known() && night.scatter >= kScatter && night.off * kShareOff >= night.judged;
}

}  // namespace

double repetition_scatter(std::span<const RepetitionsTonight> series) {
  constexpr std::size_t kNights = 20, kFewestNights = 5, kFewestSeries = 6;
  std::vector<double> ratios;
  for (const auto& [tonight, before] : series) {
    const double own = variance_of(tonight);
    std::vector<double> usual;
    for (const Night& night : before.last(std::min(before.size(), kNights))) {
      if (variance_of(night) > 0) usual.push_back(variance_of(night));
    }
    if (own > 0 && usual.size() >= kFewestNights) ratios.push_back(std::sqrt(own / median(usual)));
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
