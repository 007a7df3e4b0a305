#include "analysis/series_changes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/multiplicity.h"

namespace benchhud::analysis {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

void add_ratio(const ChangePoint& change, ValueChange* told) {
  const double before = change.before, after = change.after;
  if (!(before > 0)) return;
  told->effect = after / before - 1;
  // The error of the difference, of which the level of fewer nights has the larger part.
  const double square =
      change.reach * change.reach / static_cast<double>(change.nights_before + change.nights_after);
  const double of_before = square * static_cast<double>(change.nights_after);
  const double of_after = square * static_cast<double>(change.nights_before);
  const double certain = before * before - of_before;
  if (!(certain > 0)) return;
  const double center = after * before / certain;
  const double reach = std::sqrt(of_after * certain + after * after * of_before) / certain;
  told->interval = {center - reach - 1, center + reach - 1, change.interval.confidence};
}

ValueChange in_values(const ChangePoint& change, std::optional<double> magnitude) {
  ValueChange told;
  told.at = change.at;
  told.earliest = change.earliest;
  told.latest = change.latest;
  told.p_value = told.q_value = change.p_value;
  told.state = change.state;
  if (magnitude) {
    told.before = change.before * *magnitude;
    told.after = change.after * *magnitude;
    add_ratio(change, &told);
  } else {
    // The logarithm of the largest number is rounded up.
    told.before = std::min(std::exp(change.before), kMost);
    told.after = std::min(std::exp(change.after), kMost);
    told.effect = change.effect;
    told.interval = change.interval;
  }
  return told;
}

void sort_by_night(std::vector<RejectedValueChange>* rejected) {
  std::stable_sort(rejected->begin(), rejected->end(),
                   [](const auto& a, const auto& b) { return a.change.at < b.change.at; });
}

// What all nights' repetitions are measured in, if they have no logarithms.
std::optional<double> linear_magnitude(std::span<const std::span<const double>> nights) {
  std::vector<double> values;
  for (const auto& night : nights) values.insert(values.end(), night.begin(), night.end());
  const bool is_positive =
      std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
  return is_positive ? std::nullopt : std::optional(typical_magnitude(values));
}

SummarizedSeries linear_nights(std::span<const std::span<const double>> samples, double magnitude) {
  SummarizedSeries series{{}, NightStatistic::kMedian};
  for (const auto& night : samples) series.nights.push_back(*linear_night_of(night, magnitude));
  return series;
}

}  // namespace

SeriesChanges changes_of_series(std::span<const std::span<const double>> nights,
                                const ChangeRules& rules) {
  const std::optional<double> magnitude = linear_magnitude(nights);
  const SummarizedSeries series = magnitude ? linear_nights(nights, *magnitude) : nights_of(nights);
  const std::vector<Night>& levels = series.nights;
  ChangeRules linear = rules;
  // Judged as a step of logarithms; down it is smaller than the share.
  linear.least_effect = -std::expm1(-rules.least_effect);
  const Changes changes = find_changes(levels, magnitude ? linear : rules);

  SeriesChanges told;
  told.nights = nights.size();
  told.is_linear = magnitude.has_value();
  told.level = series.level;
  if (changes.noise.deviation > 0) told.noise = changes.noise;
  told.noise_class = noise_class(levels, changes);
  for (const ChangePoint& change : changes.found) {
    const ValueChange value = in_values(change, magnitude);
    if (magnitude && value.effect && std::abs(*value.effect) < rules.least_effect) {
      told.rejected.push_back({value, Rejection::kTooSmall});
    } else {
      told.found.push_back(value);
    }
  }
  for (const RejectedChange& rejected : changes.rejected) {
    const ValueChange value = in_values(rejected.change, magnitude);
    const bool is_told = std::any_of(told.found.begin(), told.found.end(),
                                     [&](const auto& other) { return other.at == value.at; });
    if (!is_told) told.rejected.push_back({value, rejected.reason});
  }
  sort_by_night(&told.rejected);
  return told;
}

void tell_together(std::span<SeriesChanges> all, double most) {
  std::vector<double> p_values;
  for (const SeriesChanges& series : all) {
    for (const ValueChange& change : series.found) p_values.push_back(change.p_value);
  }
  const auto q_values = benjamini_yekutieli(p_values, std::max(all.size(), p_values.size()));
  auto next = q_values.begin();
  for (SeriesChanges& series : all) {
    std::vector<ValueChange> told;
    for (ValueChange& change : series.found) {
      change.q_value = *next++;
      if (change.state == ChangeState::kConfirmed && change.q_value > most) {
        series.rejected.push_back({change, Rejection::kNotSignificantAmongSeries});
      } else {
        told.push_back(change);
      }
    }
    series.found = std::move(told);
    sort_by_night(&series.rejected);
  }
}

}  // namespace benchhud::analysis
