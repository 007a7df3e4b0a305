// The changes of nights whose repetitions have humps, told by the shape of these as well.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/changes/change_points.h"
#include "analysis/changes/night_series.h"
#include "analysis/changes/repetition_shape.h"

namespace benchhud::analysis {

struct ShapeChanges {
  Changes changes;  ///< of the nights by their shape (nights_by_shape())
  /// Confirmed changes of the nights as they are that the shape does not tell: another share of the
  /// repetitions in each hump, with the humps where they were. They hold by rank as well
  /// (rank_sum.h).
  std::vector<ChangePoint> others;
};

/// Looks at a series a second time, by the shape of its nights' repetitions, where that scatters
/// less than `nights` do by 15 %. `changes`: find_changes() of `nights` by `rules`. Each p-value
/// that is returned is doubled for having looked twice; of what is confirmed it is
/// `rules.significance` at most. Only
/// changes by three tenths of the repetitions' scatter, or by 5 %, are told by their shape: those
/// that are smaller still are easily seen by it, and drown in what repetitions differ by. None
/// where nights_by_shape() has none, or scatters no less.
std::optional<ShapeChanges> shape_changes(Repetitions repetitions, std::span<const Night> nights,
                                          const Changes& changes, const ChangeRules& rules);

}  // namespace benchhud::analysis
