// The quality of each night, as steady times tell it, and on which nights other times are
// disturbed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/alerts/watched_metric.h"
#include "analysis/changes/night_series.h"
#include "analysis/fleet/common_changes.h"
#include "analysis/fleet/night_quality.h"

namespace benchhud::analysis {

/// What the repetitions of a series usually scatter by: the median of its last twenty nights,
/// followed night by night.
class UsualRepetitions {
 public:
  /// `nights`: of the series, oldest first, those that are kept, and their numbers. `count`: how
  /// many there ever were. Takes little time where there is one more than last time.
  void follow(std::span<const Night> nights, std::span<const std::uint32_t> numbers,
              std::size_t count);
  /// Of one repetition, in proportion; none of fewer than five nights of several repetitions.
  std::optional<double> variance() const;
  /// Whether it is of as many nights as it looks back, from night number `oldest` on.
  bool is_full(std::size_t oldest) const { return nights_ == kNights && first_ >= oldest; }

 private:
  static constexpr std::size_t kNights = 20;

  std::array<double, kNights> sorted_{};  // variances of the nights that tell, ascending
  std::size_t telling_ = 0;               // of the last nights
  std::size_t nights_ = 0, count_ = 0;    // in view; that there ever were
  std::size_t first_ = 0;                 // number of the first night in view
};

/// A night's repetitions of a series, and what is usual for it.
struct RepetitionsTonight {
  const Night& tonight;
  double usual = 0;  ///< UsualRepetitions::variance()
};

/// NightQuality::scatter of a night: over the series that have several repetitions tonight; NaN for
/// fewer than six such series.
double repetition_scatter(std::span<const RepetitionsTonight> series);

class NightQualities {
 public:
  /// A night of which nothing is known yet. Nights are numbered from 0, in the order of calls.
  void add_night();
  /// What the detector of a metric made of nights, again or for the first time.
  void judge(WatchedMetric metric, std::span<const CommonChangeDetector::Judged> judged);
  void set_scatter(double scatter) { nights_.back().scatter = scatter; }

  std::span<const NightQuality> nights() const { return nights_; }
  /// Whether the times of a metric are disturbed on a night; speedups where steady times are.
  bool is_disturbed(WatchedMetric metric, std::size_t night) const;
  /// Whether what was read can be of so many nights.
  bool is_consistent_with(std::size_t nights) const;
  /// The first night of which anything else is known than when the state was read.
  std::size_t changed_from() const { return changed_from_; }

 private:
  friend struct StateFields;

  std::vector<NightQuality> nights_;
  std::vector<std::uint8_t> disturbed_;  // by night: a bit for each metric
  std::size_t changed_from_ = static_cast<std::size_t>(-1);
};

}  // namespace benchhud::analysis
