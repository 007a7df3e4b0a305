// What is different between two runs, result by result: with how sure that is, given how nights
// differ of which nothing changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/changes/night_series.h"
#include "analysis/results/run_pairs.h"
#include "analysis/results/run_speedups.h"

namespace benchhud::analysis {

// The rule of a verdict. It stands in every answer, so that pages say the very same.

/// Of all that is called worse or better at most this share is expected to be neither.
inline constexpr double kVerdictRate = 0.05;
/// A smaller change of a time has no verdict, as a share of the left side.
inline constexpr double kLeastTimeEffect = 0.02;
/// Where nothing is known of how nights differ, only what is at least this large may have one.
inline constexpr double kLeastEffectWithoutNoise = 0.2;
/// So many earlier nights are looked at, and at least so many must have been timed.
inline constexpr std::size_t kNoiseNights = 30;
inline constexpr std::size_t kFewestNoiseNights = 6;

enum class Verdict : std::uint8_t {
  kWorse,
  kBetter,
  kUnclear,
  kMissingLeft,   ///< the left side has no time
  kMissingRight,  ///< the right side has none
  kMissingBoth,
};
/// "worse", "better", "unclear", "missing_left", "missing_right" or "missing_both".
std::string_view verdict_name(Verdict verdict);

enum class VerdictReason : std::uint8_t {
  kSignificant,     ///< worse or better: q and the effect are as the rule wants them
  kApart,           ///< worse or better without known nights: the intervals lie apart, by a lot
  kNotSignificant,  ///< the change may well be noise
  kSmallEffect,     ///< surely there, and too small to matter
  kFewNights,       ///< too few nights to know how nights differ
  kSameResult,      ///< one result on both sides
  kMissing,
};
/// "significant", "apart", …
std::string_view verdict_reason_name(VerdictReason reason);

/// Nights before a comparison, oldest first; none where an experiment was not timed.
using PastNights = std::vector<std::optional<Night>>;
/// Those of a result on the left or the right side, neither the later of the compared runs nor
/// anything behind it among them; null where nothing is known.
using FindPastNights = std::function<const PastNights*(const PairedSide&)>;

/// A night from what was estimated of one, s: the level is the logarithm of the time, the variance
/// that of a normal distribution whose 95 % interval goes from `low` to `high`; 0 where they are
/// NaN. (Below six repetitions such intervals cover less, those of past nights and of this one
/// alike; what counts is whether a night is less sure than the others.) `time`: above 0.
Night night_of_time(double time, double low, double high);
Night night_of_time(const Estimate& time);

/// How the nights of an experiment differ.
struct KnownNoise {
  NightNoise nights;
  double within = 0;  ///< the median of the nights' own variances, which `nights` holds too
  std::size_t count = 0;
};
/// None for fewer than kFewestNoiseNights.
std::optional<KnownNoise> known_noise(const PastNights& past);

/// A change of a time, and how sure it is.
struct TimeChange {
  double ratio = 1;                  ///< right / left: above 1 is slower
  std::optional<Interval> interval;  ///< nights and repetitions; repetitions alone where !is_known
  std::optional<double> p, q;        ///< two-sided; q: over all rows
  bool has_noise = false;            ///< the interval knows how nights differ
  double deviation = 0;              ///< of the two sides' nights, in logarithms; 0 if unknown
  std::size_t nights = 0;            ///< known of the side of which fewer are known
};

/// What became of a speedup: its parts are logarithms, so they add up to the whole.
struct SpeedupChange {
  enum class Due : std::uint8_t { kNothing, kOwn, kBaseline, kBoth };
  double ratio = 1;     ///< right speedup / left speedup
  double own = 0;       ///< -log(own time, right / left): above 0, ours became faster
  double baseline = 0;  ///< log(baseline's time, right / left): above 0, the baseline became slower
  Due due = Due::kNothing;
};
/// "nothing", "own", "baseline" or "both".
std::string_view due_name(SpeedupChange::Due due);

/// Which part a speedup's change is due to: the one that is at least twice the other; to nothing
/// where neither is kLeastTimeEffect.
SpeedupChange::Due due_to(double own, double baseline);

struct ComparisonRow {
  ResultPair pair;
  JudgedSpeedup left_speedup, right_speedup;
  std::optional<TimeChange> change;
  std::optional<SpeedupChange> speedup;
  Verdict verdict = Verdict::kMissingBoth;
  VerdictReason reason = VerdictReason::kMissing;
  /// Newly failing, newly passing or changed; else unchanged. However small, it is an event.
  Transition verification = Transition::kUnchanged;
};

struct ComparisonOptions {
  /// How many runs of the accelerator model the right one is behind the left one, or before it; 0
  /// where they are not of one accelerator model. Nights that are near are more alike.
  std::size_t nights_apart = 0;
};

/// Compares the pairs, each side with its speedups over its baseline. Pure: what it is given says
/// it all.
std::vector<ComparisonRow> compare_pairs(std::span<const ResultPair> pairs, schema::RunId left_run,
                                         const Baseline& left_baseline, schema::RunId right_run,
                                         const Baseline& right_baseline, const Catalog& catalog,
                                         const FindPastNights& past,
                                         const ComparisonOptions& options);

/// How a difference of two sides' nights spreads in which nothing changed: its standard deviation
/// in logarithms, by the noise of each side's nights and the variances of the two nights
/// themselves. `nights_apart` above 0: the two are nights of one series.
double difference_deviation(const KnownNoise& left, const KnownNoise& right, double left_variance,
                            double right_variance, std::size_t nights_apart);
/// How sure a noise is that is known of so many nights, as degrees of freedom: one less. (The
/// robust scale of noise_of() is less sure than a standard deviation and larger; by simulation the
/// two make up for each other, with alike nights and without.)
double noise_degrees(std::size_t nights);
/// The two-sided p-value of a difference that has such a deviation, and its 95 % interval as a
/// ratio.
double change_p_value(double difference, double deviation, double degrees);
Interval change_interval(double difference, double deviation, double degrees);

}  // namespace benchhud::analysis
