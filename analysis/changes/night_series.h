// A series as change detection sees it: a value a night, with what the night's own repetitions and
// its neighbours say of its noise.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace benchhud::analysis {

/// What one night says. Repetitions of a night share its machine, its clocks and its neighbours:
/// they are not independent, so the night is the unit, and more repetitions make a night surer of
/// itself only as far as nights agree with each other.
struct Night {
  double level = 0;       ///< the natural logarithm of the night's value; or as shares_of()
  double variance = 0;    ///< of `level`, from its repetitions; 0: they do not tell
  std::size_t count = 1;  ///< repetitions

  bool operator==(const Night&) const = default;
};

/// A night from the steady repetitions of a time: the logarithm of their lower quartile, which what
/// disturbs a machine moves less than the median, for disturbances only make slower. None where no
/// sample is positive and finite.
std::optional<Night> night_of(std::span<const double> samples);

/// What of a night's samples its level is.
enum class NightStatistic : std::uint8_t {
  kLowerQuartile,
  kMedian,
  kShape,  ///< repetition_shape.h
};
/// "lower_quartile", "median" or "shape".
std::string_view night_statistic_name(NightStatistic statistic);

/// Of each night the values of its repetitions, in the unit of Night::level: one at least.
using Repetitions = std::span<const std::vector<double>>;

/// Those of a night of times: natural logarithms of the samples that have one, positive and finite.
std::vector<double> logarithms_of(std::span<const double> samples);

/// What is usual in a series: the median of its values' magnitudes, zeros left out; 1 where all are
/// zero. In the values' unit, finite and above 0. `values`: finite, in any order.
double typical_magnitude(std::span<const double> values);

/// Those of a night of a series that has values of zero or below, which have no logarithms: the
/// finite samples as shares of `magnitude`, the typical_magnitude() of the whole series. So a
/// difference of two levels is a share of what is usual, as that of two small steps of logarithms
/// is a share of the level, and what is too small to tell, or too still to be true, means the same.
/// None is further from 0 than 10^12.
std::vector<double> shares_of(std::span<const double> samples, double magnitude);

struct SummarizedSeries {
  std::vector<Night> nights;
  NightStatistic level = NightStatistic::kLowerQuartile;
};
/// The nights of a series of times. Where disturbances make samples faster as well as slower, or
/// nights have few samples and not equally many, lower quartiles scatter more than medians: nights
/// are medians if these have a deviation (noise_of()) below 85 % of the quartiles'.
SummarizedSeries nights_of(Repetitions repetitions);

/// The nights of a series of which it is not known on which side of its values disturbances lie.
SummarizedSeries medians_of(Repetitions repetitions);

/// How many nights lie between two.
constexpr std::size_t nights_apart(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

/// How nights of one level differ.
struct NightNoise {
  /// The standard deviation of a night's level, of one alone; ≥ kLeastNoise.
  double deviation = 0;
  /// How alike a night is to the one before, between 0 and 0.8: the correlation of a first-order
  /// autoregression.
  double correlation = 0;

  /// What neighbouring nights differ by, as a standard deviation of each: without what they have in
  /// common.
  double level_deviation() const { return deviation * std::sqrt(1 - correlation); }
};
/// Timings repeat no better than this, whatever a few equal values say: 0.05 %.
inline constexpr double kLeastNoise = 5e-4;

/// From differences of nights, which a few changes of level do not spoil: of the night before, the
/// larger of two robust scales, the median of their absolute values and their 90 % quantile, each
/// scaled to a standard deviation (the second keeps a series with two modes from being taken for
/// one with spikes); how much more nights differ that are two, three and four apart gives the
/// correlation, and the deviation that the differences of alike nights hide. For 12 nights and
/// more; with fewer, a correlation of 0.3 is assumed.
NightNoise noise_of(std::span<const Night> nights);

}  // namespace benchhud::analysis
