#include "analysis/changes/series_changes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/changes/shape_changes.h"
#include "analysis/statistics/multiplicity.h"

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

std::vector<std::vector<double>> repetitions_of(std::span<const std::span<const double>> nights,
                                                std::optional<double> magnitude) {
  std::vector<std::vector<double>> repetitions;
  for (const auto& night : nights) {
    repetitions.push_back(magnitude ? shares_of(night, *magnitude) : logarithms_of(night));
  }
  return repetitions;
}

// Changes as they are found, in the unit of levels, become what is told of the series.
class Telling {
 public:
  Telling(std::optional<double> magnitude, double least_effect, SeriesChanges* told)
      : magnitude_(magnitude), least_effect_(least_effect), told_(told) {}

  void found(std::span<const ChangePoint> changes, NightStatistic level) {
    for (const ChangePoint& change : changes) {
      ValueChange value = in_values(change, magnitude_);
      value.level = level;
      if (magnitude_ && value.effect && std::abs(*value.effect) < least_effect_) {
        told_->rejected.push_back({value, Rejection::kTooSmall});
      } else {
        told_->found.push_back(value);
      }
    }
    std::ranges::stable_sort(told_->found, {}, &ValueChange::at);
  }

  // What is told of a night, as a suspect or by another look, is not rejected as well.
  void rejected(std::span<const RejectedChange> changes, NightStatistic level) {
    for (const RejectedChange& rejected : changes) {
      ValueChange value = in_values(rejected.change, magnitude_);
      value.level = level;
      const bool is_reported = std::ranges::any_of(
          told_->found, [&](const auto& other) { return other.at == value.at; });
      if (!is_reported) told_->rejected.push_back({value, rejected.reason});
    }
    sort_by_night(&told_->rejected);
  }

 private:
  std::optional<double> magnitude_;
  double least_effect_;
  SeriesChanges* told_;
};

}  // namespace

SeriesChanges changes_of_series(std::span<const std::span<const double>> nights,
                                const ChangeRules& rules) {
  const std::optional<double> magnitude = linear_magnitude(nights);
  const auto repetitions = repetitions_of(nights, magnitude);
  const SummarizedSeries series = magnitude ? medians_of(repetitions) : nights_of(repetitions);
  ChangeRules in_levels = rules;
  // A share of what is usual is judged as a step of logarithms; down it is smaller than the share.
  if (magnitude) in_levels.least_effect = -std::expm1(-rules.least_effect);
  const Changes changes = find_changes(series.nights, in_levels);
  const auto shaped = shape_changes(repetitions, series.nights, changes, in_levels);

  SeriesChanges told;
  told.nights = nights.size();
  told.is_linear = magnitude.has_value();
  told.level = shaped ? NightStatistic::kShape : series.level;
  const NightNoise& noise = shaped ? shaped->changes.noise : changes.noise;
  if (noise.deviation > 0) told.noise = noise;
  told.noise_class = noise_class(series.nights, changes);
  Telling telling(magnitude, rules.least_effect, &told);
  if (shaped) telling.found(shaped->others, series.level);
  telling.found(shaped ? shaped->changes.found : changes.found, told.level);
  telling.rejected(shaped ? shaped->changes.rejected : changes.rejected, told.level);
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
