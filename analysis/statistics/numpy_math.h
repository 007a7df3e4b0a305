// Statistics to the last bit as numpy, scipy and Python compute and print them: whoever compares a
// report with an old one must see no digit change. What is judged here uses summary.h instead.
#pragma once

#include <span>
#include <string>

namespace benchhud::analysis {

/// The sum in numpy's order of additions (pairwise, in blocks of 128, eight accumulators a block).
double numpy_sum(std::span<const double> values);

/// numpy.mean. NaN for no values.
double numpy_mean(std::span<const double> values);

/// numpy.std: the two-pass standard deviation. `ddof` 0: of the population; 1: of the sample. 0 / 0
/// is NaN.
double numpy_std(std::span<const double> values, int ddof);

/// numpy.percentile with linear interpolation, `percent` in [0, 100]. Needs a value; NaN if any is.
double numpy_percentile(std::span<const double> values, double percent);

/// numpy.median. Needs a value; NaN if any is.
double numpy_median(std::span<const double> values);

/// scipy.stats.gmean: e to the mean of the logarithms.
double scipy_gmean(std::span<const double> values);

/// numpy's round() to 8 decimals: scaled, rounded half to even, scaled back.
double numpy_round8(double value);

/// Python's round() of its own floats to 8 decimals: correct in decimal, half to even.
double python_round8(double value);

/// str() of a float: the shortest text that reads back the same ("1.0", "1e-08", "nan", "inf").
std::string python_text(double value);

/// str() of datetime.utcfromtimestamp(): "2023-11-11 05:32:18.723407", without a fraction where it
/// is 0.
std::string python_datetime(double seconds);

}  // namespace benchhud::analysis
