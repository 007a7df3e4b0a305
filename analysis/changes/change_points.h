// Changes of a series' level that are worth telling somebody: found, then tried one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/changes/night_series.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {

struct ChangeRules {
  /// A night that is off by more standard deviations than this counts no more for it.
  double cut = 3.5;
  /// What a change costs, times the logarithm of the number of nights. 2 is Schwarz's criterion for
  /// independent nights; nights are not, quite.
  double penalty = 4.25;
  double significance = 2e-3;     ///< p_value of a change, at most
  double least_effect = 0.02;     ///< a smaller change, as a share of the level before, is not told
  std::size_t fewest_nights = 3;  ///< at a level, on either side
  std::size_t most_nights = 100;  ///< of a level that are looked at: it drifts
  /// The last nights may be the beginning of a change that is too young to be told: with so many
  /// nights before them at least.
  std::size_t fewest_before_suspect = 5;
  /// Night::variance is known of each night by itself. Otherwise it is of a few repetitions, which
  /// hardly tell, and what all nights' repetitions scatter by is taken for each.
  bool is_variance_known = false;
  /// Of a series of up to kFewNightsForNoise nights, whose noise a search knows too badly to be
  /// sure of a step, one that a t test of its two levels tells, paying for each place it may lie
  /// at, is a suspect. For who looks at a series once: whoever watches it sees the step as it
  /// begins.
  bool suspects_in_few_nights = false;

  bool operator==(const ChangeRules&) const = default;
};

/// ChangeRules::suspects_in_few_nights.
inline constexpr std::size_t kFewNightsForNoise = 20;

/// Nights that are no more than a suspect.
inline constexpr std::size_t kMostSuspect = 2;

/// Whether the nights `last` of a series can be a suspect, going by those `before` them: one in
/// fifty of these at most reaches as far up as all the last do, or as far down. A suspect needs it.
bool is_far_out(std::span<const Night> before, std::span<const Night> last);

enum class ChangeState : std::uint8_t {
  kSuspect,    ///< one or two nights, or of few: another night, or a rerun, settles it
  kConfirmed,  ///< ChangeRules::fewest_nights and more
};
/// "suspect" or "confirmed".
std::string_view change_state_name(ChangeState state);

/// A level that changed.
struct ChangePoint {
  std::size_t at = 0;  ///< the first night of the new level
  /// Between which it lies, at 95 %: of the probability of where the cut is, a fortieth lies
  /// outside on either side.
  std::size_t earliest = 0, latest = 0;
  double before = 0, after = 0;  ///< levels, natural logarithms
  double reach = 0;              ///< `after` − `before` is known up to this, at 95 %
  double effect = 0;             ///< after against before: 0.1 is 10 % more
  Interval interval;             ///< of `effect`, at 95 %
  /// How often the best cut of a series without a change separates two levels as well: of a
  /// confirmed one wherever it may be cut (max_scan_p_value.h), of a suspect at its last two
  /// nights.
  double p_value = 1;
  ChangeState state = ChangeState::kConfirmed;
  std::size_t nights_before = 0, nights_after = 0;  ///< that were looked at
};

/// Why a change that was found is not told.
enum class Rejection : std::uint8_t {
  kTooFewNights,
  kTooSmall,
  kNotSignificant,
  kCreeping,                   ///< a straight line explains the nights better than two levels do
  kNotSignificantAmongSeries,  ///< not once it pays for the series beside its own
};
/// "too_few_nights", "too_small", "not_significant", "creeping", "not_significant_among_series".
std::string_view rejection_name(Rejection reason);

struct RejectedChange {
  ChangePoint change;
  Rejection reason{};
};

struct Changes {
  NightNoise noise;
  std::vector<ChangePoint> found;  ///< ascending; a suspect is the last
  std::vector<RejectedChange> rejected;
};

/// The changes of a series, oldest night first. Candidates are where segment_robustly() cuts, which
/// is asked where may_have_changes() says so; each night weighs by its variance, four fifths of
/// which at most its own repetitions may tell. Then the worst candidate goes and its neighbours'
/// levels are taken anew, until all that are left hold: nights enough on both sides, an effect
/// worth telling, a t test of the two levels (Tukey's biweight mean; a variance pooled with the
/// noise of the whole series, which counts for six nights; the number of nights reduced for their
/// correlation), whose p-value pays for having searched and is no smaller than that of a step among
/// nights that wander (level_shift.h), nor than that of as many spikes together, and levels
/// that do not creep (step_fit.h). What holds is moved to where it lies most probably. Then the
/// last night, or the last two, are looked at: they are a suspect if they are as significantly off
/// the last level, and further off than nights of it ever were (is_far_out()). Deterministic. Empty
/// for fewer than four nights.
Changes find_changes(std::span<const Night> nights, const ChangeRules& rules = {});

/// Nights that are known to change from one level to another at `at`, measured: the two levels, the
/// effect with its interval, and how many nights are on each side. Nothing is searched or tested:
/// `p_value` is 1. `nights`: finite levels; `at`: one night at least on either side.
ChangePoint measure_step(std::span<const Night> nights, std::size_t at, const ChangeRules& rules);

}  // namespace benchhud::analysis
