// Where the level of a series changes, if it is a series of levels with noise and outliers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace benchhud::analysis {

/// Cuts a series where its level changes: returns the first index of each level but the first,
/// ascending. It minimizes, exactly, the sum over all values of min(weight (value − level)², cut²)
/// plus `penalty` for each change. A value that is off by more than `cut` standard deviations costs
/// no more than one that is off by just that much, so outliers make no change, however far out they
/// are, unless there are so many in a row that their cost exceeds two changes.
///
/// Functional pruning over the level with the biweight loss (Fearnhead & Rigaill, Changepoint
/// Detection in the Presence of Outliers, JASA 114, 2019). `weights`: one over the variance of each
/// value, positive; as many as values, all finite. The time grows with the length times the number
/// of pieces of the cost as a function of the level, which is some dozens on timings. Of equal
/// optima the one with the later changes is taken. Empty for fewer than two values.
std::vector<std::size_t> segment_robustly(std::span<const double> values,
                                          std::span<const double> weights, double cut,
                                          double penalty);

/// Whether segment_robustly() may find anything, told in a tenth of its time: the two sides of some
/// cut are so far from the level of all values that it pays for three quarters of a change, or some
/// run of values for half of one and more. No proof, as runs are not tried at every length: of
/// 84,547 made-up series that segment_robustly() cuts, 17 are not told.
bool may_have_changes(std::span<const double> values, std::span<const double> weights, double cut,
                      double penalty);

}  // namespace benchhud::analysis
