// Summaries of a sample: pure functions that know nothing of metrics or of the store.
//
// Every function takes finite values in any order and leaves them as they are. What is not finite
// (a null or NaN in a file) is taken out before, by who knows what it means (estimators.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace benchhud::analysis {

/// A closed interval for an unknown value and how sure it is.
struct Interval {
  double low = 0;
  double high = 0;
  /// Between 0 and 1. What it means is said by the function that made the interval: for
  /// `median_interval` the coverage that is truly reached, for a bootstrap the nominal level.
  double confidence = 0;
};

/// The sum, added in blocks and then pairwise, so that the error grows with the logarithm of the
/// length. The order of the additions is numpy's (numpy.add.reduce of a contiguous array), so that
/// a mean agrees with the upstream report to the last bit. 0 for an empty sample.
double sum(std::span<const double> samples);

/// The arithmetic mean. Finite even where the sum would overflow. NaN for an empty sample.
double mean(std::span<const double> samples);

/// The sample standard deviation (divisor n - 1). NaN for fewer than two values.
double sample_sd(std::span<const double> samples);

/// The smallest and the largest value. NaN for an empty sample.
double minimum(std::span<const double> samples);
double maximum(std::span<const double> samples);

/// The middle value, or the mean of the two middle values. NaN for an empty sample.
double median(std::span<const double> samples);

/// As `median`, of values that are sorted already.
double median_of_sorted(std::span<const double> sorted);

/// The q-quantile by linear interpolation between the order statistics at q * (n - 1), which is
/// numpy's default and type 7 of Hyndman & Fan (1996). NaN for an empty sample and for a q that is
/// not between 0 and 1.
double quantile(std::span<const double> samples, double q);

/// As `quantile`, of values that are sorted already.
double quantile_of_sorted(std::span<const double> sorted, double q);

/// What makes a median of absolute deviations a standard deviation, if the data are normal.
inline constexpr double kMadToDeviation = 1.4826;

/// The median of the absolute deviations from the median, not scaled by kMadToDeviation. NaN for an
/// empty sample.
double median_absolute_deviation(std::span<const double> samples);

/// exp of the mean of the logarithms. NaN for an empty sample and where a value is not positive.
double geometric_mean(std::span<const double> samples);

/// A distribution-free interval for the median of what the samples were drawn from: two order
/// statistics x_(d) and x_(n+1-d), which hold the median with probability 1 - 2 P(B < d) where B is
/// binomial(n, 1/2); the narrowest such pair that covers at least `confidence` (the sign test
/// turned round; David & Nagaraja, Order Statistics, 7.1). Where even the whole range covers less
/// (0.95 wants n >= 6), the range with its true coverage 1 - 2 * 0.5^n. Its `confidence` is the
/// coverage reached, exact for independent draws from a continuous distribution and a lower bound
/// where values tie. None for fewer than two values.
std::optional<Interval> median_interval(std::span<const double> samples, double confidence = 0.95);

}  // namespace benchhud::analysis
