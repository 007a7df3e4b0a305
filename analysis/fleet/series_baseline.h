// What a series' past nights let expect of the next one.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "analysis/statistics/lanes.h"

namespace benchhud::analysis {

/// As logarithms of times, like the levels.
struct SeriesNoise {
  double deviation = 0;         ///< of a night, from differences of neighbouring nights
  double correlation = 0;       ///< what makes nights that are far apart differ by more than that
  std::size_t differences = 0;  ///< of neighbouring nights
  bool is_correlation_known = false;
};

/// From the absolute differences of neighbouring nights, the larger of their median and their 90 %
/// quantile, each scaled to a standard deviation; and of nights 5, 10 and 15 apart, of which a step
/// spoils but those across it. Differences grow with the distance where nights are alike or wander
/// (the variogram: Matheron 1963). Of some series at once, side by side. `nights`: NaN where there
/// is none.
std::array<SeriesNoise, kFloatLanes> series_noise(std::span<const FloatLanes> nights);

/// By how much the level of one of these series wanders: the variance of what it moves by from
/// night to night, as a share of that of a night about it. From how much more nights 15 apart
/// differ than nights 5 apart, by the medians of their differences: of a random walk plus noise,
/// the variance of the difference of nights k apart is twice the noise's and k times the walk's.
/// Below 0 by chance, kMostWander at the most. None with fewer than 10 differences of either kind.
std::optional<double> series_wander(std::span<const FloatLanes> nights, std::size_t lane);
inline constexpr double kMostWander = 1;

struct SeriesLevel {
  double level = 0;
  double weight = 0;  ///< nights' worth that it rests on
};

/// Nights of some series of which levels are computed at once, side by side: that takes hardly
/// longer than of one.
struct SeriesNights {
  static constexpr std::size_t kSeries = 8, kMostNights = 24;
  template <class T>
  using OfSeries = std::array<T, kSeries>;

  std::size_t count = 0;                                ///< nights, kMostNights at most
  std::array<OfSeries<float>, kMostNights> levels{};    ///< NaN where there is none
  std::array<OfSeries<double>, kMostNights> weights{};  ///< above 0
  OfSeries<double> deviation{};                         ///< of a night
};
/// Tukey's biweight (constant 4.685, four iterations from the median) of each series' nights, each
/// of which counts with its weight. NaN nights are left out.
SeriesNights::OfSeries<SeriesLevel> series_levels(const SeriesNights& nights);

}  // namespace benchhud::analysis
