#include "analysis/results/run_comparison.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>

#include "analysis/statistics/bootstrap.h"
#include "analysis/statistics/multiplicity.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr double kNormal975 = 1.959964;  // the quantile of a 95 % interval
constexpr double kConfidence = 0.95;

double least_effect(double share) { return std::log1p(share); }

double p_of(double statistic, double degrees) {
  return 2 * boost::math::cdf(
                 boost::math::complement(boost::math::students_t(degrees), std::abs(statistic)));
}

std::optional<KnownNoise> noise_of_side(const PairedSide& side, const FindPastNights& past) {
  const PastNights* nights = past(side);
  return nights == nullptr ? std::nullopt : known_noise(*nights);
}

/// Whether the two sides' own intervals have nothing in common.
bool lie_apart(const Estimate& left, const Estimate& right) {
  if (!left.interval || !right.interval) return false;
  return left.interval->high < right.interval->low || right.interval->high < left.interval->low;
}

TimeChange change_of(const ResultPair& pair, const FindPastNights& past, std::size_t apart) {
  const Estimate &left = *pair.left.view->steady, &right = *pair.right.view->steady;
  TimeChange change;
  change.ratio = right.value / left.value;
  change.interval =
      ratio_of_medians_interval(pair.right.view->steady_samples, pair.left.view->steady_samples);
  const auto left_noise = noise_of_side(pair.left, past);
  const auto right_noise = noise_of_side(pair.right, past);
  if (!left_noise || !right_noise) return change;
  change.has_noise = true;
  change.nights = std::min(left_noise->count, right_noise->count);
  change.deviation =
      difference_deviation(*left_noise, *right_noise, night_of_time(left).variance,
                           night_of_time(right).variance, pair.is_one_experiment() ? apart : 0);
  const double degrees = noise_degrees(change.nights);
  change.interval = change_interval(std::log(change.ratio), change.deviation, degrees);
  change.p = change_p_value(std::log(change.ratio), change.deviation, degrees);
  return change;
}

std::pair<Verdict, VerdictReason> without_time(const ResultPair& pair) {
  if (!pair.right.absent) return {Verdict::kMissingLeft, VerdictReason::kMissing};
  if (!pair.left.absent) return {Verdict::kMissingRight, VerdictReason::kMissing};
  return {Verdict::kMissingBoth, VerdictReason::kMissing};
}

std::pair<Verdict, VerdictReason> judge(const ResultPair& pair, const TimeChange& change) {
  if (pair.is_one_result()) return {Verdict::kUnclear, VerdictReason::kSameResult};
  const double size = std::abs(std::log(change.ratio));
  const Verdict direction = change.ratio > 1 ? Verdict::kWorse : Verdict::kBetter;
  if (!change.has_noise) {
    const bool is_clear = size >= least_effect(kLeastEffectWithoutNoise) &&
                          lie_apart(*pair.left.view->steady, *pair.right.view->steady);
    if (is_clear) return {direction, VerdictReason::kApart};
    return {Verdict::kUnclear, VerdictReason::kFewNights};
  }
  if (!(*change.q < kVerdictRate)) return {Verdict::kUnclear, VerdictReason::kNotSignificant};
  if (size < least_effect(kLeastTimeEffect)) {
    return {Verdict::kUnclear, VerdictReason::kSmallEffect};
  }
  return {direction, VerdictReason::kSignificant};
}

/// The q-values of all changes that have a p-value.
void add_q_values(std::vector<ComparisonRow>* rows) {
  std::vector<double> p_values;
  for (const auto& row : *rows) {
    if (row.change && row.change->p) p_values.push_back(*row.change->p);
  }
  const auto q_values = benjamini_hochberg(p_values);
  std::size_t next = 0;
  for (auto& row : *rows) {
    if (row.change && row.change->p) row.change->q = q_values[next++];
  }
}

std::optional<SpeedupChange> speedup_change(const ComparisonRow& row) {
  if (!row.change || !row.left_speedup.speedup || !row.right_speedup.speedup) return {};
  SpeedupChange change;
  change.ratio = row.right_speedup.speedup->value / row.left_speedup.speedup->value;
  change.own = -std::log(row.change->ratio);
  // A speedup is the baseline's time by the own one.
  change.baseline = std::log(change.ratio) - change.own;
  if (!std::isfinite(change.own) || !std::isfinite(change.baseline)) return {};
  change.due = due_to(change.own, change.baseline);
  return change;
}

Transition verification_of(const ResultPair& pair) {
  const auto code = [](const PairedSide& side) -> std::optional<std::string_view> {
    if (side.view == nullptr || !side.view->verification) return {};
    return side.view->verification->code;
  };
  const Transition kind = transition(code(pair.left), code(pair.right));
  // What only came or went says nothing of right and wrong.
  const bool tells = kind == Transition::kNewlyFailing || kind == Transition::kNewlyPassing ||
                     kind == Transition::kChanged;
  return tells ? kind : Transition::kUnchanged;
}

/// Of one side's results, each pair's; a side without a result has no speedup.
std::vector<JudgedSpeedup> speedups_of(std::span<const ResultPair> pairs,
                                       PairedSide ResultPair::* side, schema::RunId run,
                                       const Catalog& catalog, const Baseline& baseline) {
  std::vector<ResultView> views;
  for (const auto& pair : pairs) {
    if ((pair.*side).view != nullptr) views.push_back(*(pair.*side).view);
  }
  const auto judged = run_speedups(run, views, catalog, baseline, {});
  std::vector<JudgedSpeedup> all;
  all.reserve(pairs.size());
  std::size_t next = 0;
  for (const auto& pair : pairs) {
    all.push_back((pair.*side).view != nullptr ? judged[next++]
                                               : JudgedSpeedup{{}, Exclusion::kNotTimed});
  }
  return all;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kWorse:
      return "worse";
    case Verdict::kBetter:
      return "better";
    case Verdict::kUnclear:
      return "unclear";
    case Verdict::kMissingLeft:
      return "missing_left";
    case Verdict::kMissingRight:
      return "missing_right";
    case Verdict::kMissingBoth:
      return "missing_both";
  }
  return "unclear";
}

std::string_view verdict_reason_name(VerdictReason reason) {
  switch (reason) {
    case VerdictReason::kSignificant:
      return "significant";
    case VerdictReason::kApart:
      return "apart";
    case VerdictReason::kNotSignificant:
      return "not_significant";
    case VerdictReason::kSmallEffect:
      return "small_effect";
    case VerdictReason::kFewNights:
      return "few_nights";
    case VerdictReason::kSameResult:
      return "same_result";
    case VerdictReason::kMissing:
      return "missing";
  }
  return "missing";
}

std::string_view due_name(SpeedupChange::Due due) {
  switch (due) {
    case SpeedupChange::Due::kNothing:
      return "nothing";
    case SpeedupChange::Due::kOwn:
      return "own";
    case SpeedupChange::Due::kBaseline:
      return "baseline";
    case SpeedupChange::Due::kBoth:
      return "both";
  }
  return "nothing";
}

Night night_of_time(double time, double low, double high) {
  Night night;
  night.level = std::log(time);
  const double half = std::log(high / low) / 2;
  if (std::isfinite(half)) night.variance = half * half / (kNormal975 * kNormal975);
  return night;
}

Night night_of_time(const Estimate& time) {
  if (!time.interval) return night_of_time(time.value, time.value, time.value);
  return night_of_time(time.value, time.interval->low, time.interval->high);
}

std::optional<KnownNoise> known_noise(const PastNights& past) {
  std::vector<Night> nights;
  std::vector<double> variances;
  for (const auto& night : past) {
    if (!night) continue;
    nights.push_back(*night);
    variances.push_back(night->variance);
  }
  if (nights.size() < kFewestNoiseNights) return {};
  return KnownNoise{noise_of(nights), median(variances), nights.size()};
}

double difference_deviation(const KnownNoise& left, const KnownNoise& right, double left_variance,
                            double right_variance, std::size_t nights_apart) {
  const auto part = [&](const KnownNoise& noise, double own) {
    double nightly = noise.nights.deviation * noise.nights.deviation;
    if (nights_apart > 0) {
      nightly *= 1 - std::pow(noise.nights.correlation, static_cast<double>(nights_apart));
    }
    // Nights differ by their repetitions too; a night that is less sure than usual adds to that.
    return nightly + std::max(0.0, own - noise.within);
  };
  return std::sqrt(part(left, left_variance) + part(right, right_variance));
}

double noise_degrees(std::size_t nights) {
  return static_cast<double>(std::max<std::size_t>(nights, 2) - 1);
}

double change_p_value(double difference, double deviation, double degrees) {
  return p_of(difference / deviation, degrees);
}

Interval change_interval(double difference, double deviation, double degrees) {
  const double quantile =
      boost::math::quantile(boost::math::students_t(degrees), (1 + kConfidence) / 2);
  return {std::exp(difference - quantile * deviation), std::exp(difference + quantile * deviation),
          kConfidence};
}

SpeedupChange::Due due_to(double own, double baseline) {
  using enum SpeedupChange::Due;
  const double ours = std::abs(own), theirs = std::abs(baseline);
  if (std::max(ours, theirs) < least_effect(kLeastTimeEffect)) return kNothing;
  if (ours >= 2 * theirs) return kOwn;
  if (theirs >= 2 * ours) return kBaseline;
  return kBoth;
}

std::vector<ComparisonRow> compare_pairs(std::span<const ResultPair> pairs, schema::RunId left_run,
                                         const Baseline& left_baseline, schema::RunId right_run,
                                         const Baseline& right_baseline, const Catalog& catalog,
                                         const FindPastNights& past,
                                         const ComparisonOptions& options) {
  auto left = speedups_of(pairs, &ResultPair::left, left_run, catalog, left_baseline);
  auto right = speedups_of(pairs, &ResultPair::right, right_run, catalog, right_baseline);
  std::vector<ComparisonRow> rows(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ComparisonRow& row = rows[i];
    row.pair = pairs[i];
    row.left_speedup = std::move(left[i]);
    row.right_speedup = std::move(right[i]);
    row.verification = verification_of(row.pair);
    if (!row.pair.is_timed()) continue;
    // Of one result nothing can be told that another night would say.
    row.change =
        row.pair.is_one_result() ? TimeChange{} : change_of(row.pair, past, options.nights_apart);
    row.speedup = speedup_change(row);
  }
  add_q_values(&rows);
  for (ComparisonRow& row : rows) {
    std::tie(row.verdict, row.reason) =
        row.change ? judge(row.pair, *row.change) : without_time(row.pair);
  }
  return rows;
}

}  // namespace benchhud::analysis
