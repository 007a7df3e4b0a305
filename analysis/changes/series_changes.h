// The changes of series of values, whatever their unit and sign, told in that unit.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/changes/change_points.h"
#include "analysis/changes/night_series.h"
#include "analysis/changes/noise_class.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {

/// A level that changed, as ChangePoint.
struct ValueChange {
  std::size_t at = 0;  ///< the first night of the new level
  std::size_t earliest = 0, latest = 0;
  double before = 0, after = 0;      ///< levels, in the unit of the values
  std::optional<double> effect;      ///< after / before − 1; none where `before` is not above 0
  std::optional<Interval> interval;  ///< of `effect`, at 95 %; none where `before` may not be
  double p_value = 1;
  double q_value = 1;  ///< among all series (tell_together())
  ChangeState state = ChangeState::kConfirmed;
  /// What of a night's repetitions tells it.
  NightStatistic level = NightStatistic::kLowerQuartile;

  bool is_up() const { return after > before; }
};

struct RejectedValueChange {
  ValueChange change;
  Rejection reason{};
};

struct SeriesChanges {
  std::size_t nights = 0;
  /// Whether levels are shares of what is usual (shares_of()) instead of logarithms.
  bool is_linear = false;
  /// What of a night's repetitions was looked at; of shape_changes() the last, whose noise it is.
  NightStatistic level = NightStatistic::kLowerQuartile;
  std::optional<NightNoise> noise;  ///< none for fewer than four nights
  NoiseClass noise_class = NoiseClass::kStable;
  std::vector<ValueChange> found;             ///< ascending; a suspect is the last
  std::vector<RejectedValueChange> rejected;  ///< ascending
};

/// The changes of a series, each of whose nights is its repetitions: one finite value at least.
/// Levels are logarithms where all values are positive, of what nights_of() takes. Where not, they
/// are linear, medians, and of a change's effect that has one both hold: as a share of what is
/// usual and as a share of the level before it is no less than `rules.least_effect`. Its interval
/// is then that of a ratio of two means (Fieller, Some Problems in Interval Estimation, Journal of
/// the Royal Statistical Society B 16, 1954). `q_value` is `p_value` as yet. A candidate that is
/// told as a suspect is not rejected. Nights whose repetitions have humps are looked at once more,
/// by the shape of these (shape_changes.h).
SeriesChanges changes_of_series(std::span<const std::span<const double>> nights,
                                const ChangeRules& rules = {});

/// Judges the changes of several series together: the q-values are Benjamini & Yekutieli's
/// (multiplicity.h) over all that were found, of as many hypotheses as there are series (or
/// changes, if there are more). A confirmed one whose q-value is above `most` is rejected.
void tell_together(std::span<SeriesChanges> all, double most);

}  // namespace benchhud::analysis
