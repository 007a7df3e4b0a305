// Bootstrap intervals for what the pages show most: a ratio of two medians (one model's speedup)
// and a geometric mean over models (a backend's speedup).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {

/// One value of a discrete distribution and its probability.
struct Mass {
  double value = 0;
  double probability = 0;
};

/// The bootstrap distribution of the sample median, exactly, without resampling: what one would get
/// from all n^n resamples. For odd n its support are the samples, with binomial tails as weights;
/// for even n the mid-points of any two, weighted by the joint distribution of the two middle order
/// statistics of a resample (Efron 1979; Maritz & Jarrett 1978; Hutson & Ernst 2000). Sorted by
/// value; values with a probability under 1e-10 are left out (at n = 1000 all together under 1e-6)
/// and the rest scaled to sum to 1. Empty for an empty sample.
std::vector<Mass> bootstrap_median(std::span<const double> samples);

/// The percentile bootstrap interval for median(numerator) / median(denominator), both resampled
/// independently: the (1 - c) / 2 and (1 + c) / 2 quantiles (inverses of the distribution function)
/// of the ratio's exact bootstrap distribution. Deterministic. None where a side has less than two
/// values (a single one does not tell how far another would be off), where a value is not positive
/// and finite, and for a `confidence` that is not between 0 and 1.
///
/// The `confidence` of the answer is the nominal level c. For independent normal samples of equal
/// length the true coverage at c = 0.95 was simulated as 90 % for 3 values a side, 97 % for 5, 9
/// and 27; samples of one run are not independent, and nothing here knows how runs differ.
std::optional<Interval> ratio_of_medians_interval(std::span<const double> numerator,
                                                  std::span<const double> denominator,
                                                  double confidence = 0.95);

/// How many times `geomean_interval` resamples.
inline constexpr int kGeomeanResamples = 2000;

/// The percentile bootstrap interval for the geometric mean of `ratios` (one a model): models are
/// drawn with replacement 2,000 times, the logarithms' means sorted, and the two quantiles
/// interpolated linearly. The generator is SplitMix64 with a fixed seed and the ratios are sorted
/// first, so the same set of ratios gives the same interval, in whatever order it comes. It says
/// how much the geomean hangs on which models are in the suite, not how noisy their timings are.
/// None for fewer than two ratios, where one is not positive and finite, and for a `confidence`
/// that is not between 0 and 1.
std::optional<Interval> geomean_interval(std::span<const double> ratios, double confidence = 0.95);

}  // namespace benchhud::analysis
