// Whether a series goes up or down with time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace benchhud::analysis {

struct Trend {
  /// The median of the slopes between any two values, a step of the series (Sen, Estimates of the
  /// Regression Coefficient Based on Kendall's Tau, 1968).
  double slope = 0;
  /// How often a series in no order would lean at least so far, to either side: the two-sided
  /// Mann-Kendall test (Mann 1945; Kendall 1975). Exact for up to 60 values without ties; else the
  /// normal approximation with the correction for ties and for continuity.
  double p_value = 1;
  std::size_t n = 0;  ///< values that it is over
};

/// The trend of values in order of time, all finite. It knows ranks only, so no outlier makes or
/// hides one. A series of more than 512 values is cut into 512 stretches and the stretches' medians
/// are looked at. None for fewer than three values.
std::optional<Trend> trend(std::span<const double> values);

}  // namespace benchhud::analysis
