// What kind of noise a series has, in a word that tells a reader how far to trust it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "analysis/changes/change_points.h"

namespace benchhud::analysis {

/// The first that fits, in this order.
enum class NoiseClass : std::uint8_t {
  kBimodal,        ///< nights have two humps (dip test, 1 % of noise with one hump passes for two)
  kSpiky,          ///< 2 % of the nights, two at least, are off by more than kSpike
  kDrifting,       ///< the last level leans by kLeastLean and more (Mann-Kendall, 0.1 %)
  kHighDeviation,  ///< a night's deviation is above kHighDeviation
  kStable,
};
/// "bimodal", "spiky", "drifting", "high_deviation" or "stable".
std::string_view noise_class_name(NoiseClass noise);
std::optional<NoiseClass> noise_class_of(std::string_view name);
/// What it means for a reader, a sentence.
std::string_view noise_class_meaning(NoiseClass noise);

inline constexpr double kSpike = 5;             ///< standard deviations, by the median of distances
inline constexpr double kLeastLean = 0.02;      ///< of the level, from its first night to its last
inline constexpr double kHighDeviation = 0.05;  ///< of the level

/// The class of a series, once its levels are known: `changes` is what find_changes() says of it,
/// or who watches it (timing_change_detector.h). Fewer than eight nights are stable or of high
/// deviation: they tell no more.
NoiseClass noise_class(std::span<const Night> nights, const Changes& changes);
/// The same of nights' levels, which are all that it takes of them.
NoiseClass noise_class_of_levels(std::span<const double> levels, const Changes& changes);

}  // namespace benchhud::analysis
