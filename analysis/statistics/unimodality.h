// Whether a sample has one hump or two.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace benchhud::analysis {

/// The dip: the largest distance between the sample's distribution function and the unimodal
/// distribution function nearest to it (Hartigan & Hartigan, The Dip Test of Unimodality, Annals of
/// Statistics 13, 1985). Between 1 / (2n), which is as unimodal as n different values can be, and
/// 1/4. Equal values are taken for values that a clock rounded, and spread evenly over its tick.
/// Values in any order, finite; n log n. NaN for an empty sample, 0 where all values are equal.
double dip(std::span<const double> samples);

/// How often critical_dip() is exceeded by chance, at most.
inline constexpr double kDipAlarmRate = 0.01;

/// A dip above this says of n values that there is more than one hump. A uniform distribution,
/// which is the hardest to tell from two humps among those with one, exceeds it in 1 % of samples,
/// a normal one in 0.2 % at n = 9. From a table that was simulated (the test "TableOfCriticalDips"
/// makes it again), between its n interpolated. None for fewer than eight values: too few to tell.
std::optional<double> critical_dip(std::size_t n);

/// A sample cut in two.
struct TwoGroups {
  double low_median = 0;
  double high_median = 0;
  std::size_t low_count = 0;
  std::size_t high_count = 0;
};

/// The cut of the sorted values that leaves the least squared distance to the two groups' means
/// (Fisher, On Grouping for Maximum Homogeneity, 1958): every sample can be cut so; that there are
/// two groups is for the dip to say. None for fewer than two values.
std::optional<TwoGroups> two_groups(std::span<const double> samples);

}  // namespace benchhud::analysis
