#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "analysis/fleet/common_changes_parts.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr double kFewestNights = 4;  // of a level

}  // namespace

std::vector<double> CommonChangeDetector::states_effect(std::uint8_t states) const {
  std::vector<double> effect(series_.size(), 0);
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if ((states >> s & 1) != 0) add_to_first(states_[s].effect, &effect);
  }
  return effect;
}

const Effects& CommonChangeDetector::machine_effects(const Row& row) const {
  return machines_[row.machine];
}

std::vector<float> CommonChangeDetector::clean_levels(const Row& row) const {
  std::vector<double> known = states_effect(row.states);
  add_to_first(machine_effects(row).effect, &known);
  for (const CommonChange& change : changes_) {
    if (change.is_on(row.night)) add_to_members(change.members, change.effects.effect, &known);
  }
  for (const CommonChange& change : changes_) {
    for (const CommonChange::Spell& spell : change.earlier) {
      const bool is_on = spell.begin <= row.night && row.night < spell.end;
      if (is_on) add_to_members(spell.members, spell.effect, &known);
    }
  }
  std::vector<float> clean(row.levels);
  for (std::size_t i = 0; i < clean.size(); ++i) clean[i] -= static_cast<float>(known[i]);
  return clean;
}

// Something else is known of the rows from `from` on.
void CommonChangeDetector::refresh(std::size_t from) {
  revised_ = std::min(revised_, from);
  tonight_.reset();
  before_judging_.reset();
  for (std::size_t r = from; r < rows_.size(); ++r) rows_[r].clean = clean_levels(rows_[r]);
}

double CommonChangeDetector::weight_of(const Row& row, std::size_t series) const {
  if (!row.disturbance.is_any()) return 1;
  const double own = square(series_[series].deviation);
  return own / (own + row.disturbance.of(own));
}

double CommonChangeDetector::log_of_noise(const Series& series) {
  return 2 * std::log(series.noise.deviation);
}

// Each series' noise is computed again every eighth night, an eighth of them each night: it changes
// slowly, and takes longest.
void CommonChangeDetector::learn_noise(bool is_all) {
  constexpr std::size_t kEvery = 8, kFew = 24;  // nights
  constexpr std::size_t kMostForWander = 256;   // series
  constexpr double kLeastWeight = 0.3;
  const std::size_t night = rows_.back().night;
  std::vector<std::size_t> due;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    if (is_all || rows_.size() <= kFew || (i + night) % kEvery == 0) due.push_back(i);
  }
  // A median of as many is sure enough, and of more would take as long as the noise itself.
  const std::size_t apart = series_.size() / kMostForWander + 1;
  std::vector<FloatLanes> nights(tonight());
  for (std::size_t first = 0; first < due.size(); first += kFloatLanes) {
    const auto some = std::span(due).subspan(first, std::min(kFloatLanes, due.size() - first));
    for (std::size_t r = 0; r < nights.size(); ++r) {
      const Row& row = rows_[r];
      const bool is_disturbed = row.disturbance.is_any();
      for (std::size_t s = 0; s < some.size(); ++s) {
        const bool counts = !is_disturbed || weight_of(row, some[s]) > kLeastWeight;
        nights[r][s] = counts ? row.clean[some[s]] : static_cast<float>(kNone);
      }
    }
    const auto noises = series_noise(nights);
    for (std::size_t s = 0; s < some.size(); ++s) {
      Series& series = series_[some[s]];
      series.noise = noises[s];
      series.wander = some[s] % apart == 0 ? series_wander(nights, s) : std::nullopt;
    }
  }
  if (noise_logs_.size() != series_.size()) {
    noise_logs_.resize(series_.size());
    std::ranges::transform(series_, noise_logs_.begin(), log_of_noise);
  }
  for (const std::size_t i : due) noise_logs_[i] = log_of_noise(series_[i]);
  std::vector<double> wanders;
  for (const Series& series : series_) {
    if (series.wander) wanders.push_back(*series.wander);
  }
  wander_ = wanders.empty() ? 0 : std::max(0.0, median(wanders));
  moderate_noise();
}

// What a series' own nights tell of its noise is moderated by what is usual in the fleet, as much
// as it is uncertain. The logarithm of a variance that rests on n differences has a variance of
// 2 / (0.4 n).
void CommonChangeDetector::moderate_noise() {
  constexpr double kAssumed = 0.3, kOfUsual = 20;
  constexpr std::size_t kFewestDifferences = 3;
  std::vector<double> correlations, logs, uncertain;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const Series& series = series_[i];
    if (series.noise.is_correlation_known) correlations.push_back(series.noise.correlation);
    if (series.noise.differences < kFewestDifferences) continue;
    logs.push_back(noise_logs_[i]);
    uncertain.push_back(5 / static_cast<double>(series.noise.differences));
  }
  const double usual_correlation = correlations.empty() ? kAssumed : median(correlations);
  const double usual_log = logs.empty() ? kNone : median(logs);
  double between = 2;
  if (logs.size() > 3) {
    const double mean_log =
        std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
    double squares = 0;
    for (const double log : logs) squares += square(log - mean_log);
    between = std::max(0.5, squares / static_cast<double>(logs.size()) - median(uncertain));
  }
  std::vector<double> worths;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    Series& series = series_[i];
    const double count =
        static_cast<double>(std::min<std::size_t>(series.noise.differences, kWindow));
    series.correlation = std::max(
        usual_correlation,
        (kOfUsual * usual_correlation + count * series.noise.correlation) / (kOfUsual + count));
    double log = usual_log;
    if (series.noise.differences >= kFewestDifferences) {
      const double own = 5 / static_cast<double>(series.noise.differences);
      log += between / (between + own) * (noise_logs_[i] - usual_log);
    }
    series.deviation = std::sqrt(std::exp(log) / (1 - series.correlation));
    worths.push_back((1 - series.correlation) / (1 + series.correlation));
  }
  usual_worth_ = worths.empty() ? 1 : median(worths);
  before_judging_.reset();
}

// Of the rows from `begin` to `end`, but for one.
std::vector<SeriesLevel> CommonChangeDetector::levels_of(std::span<const std::size_t> series,
                                                         std::size_t begin, std::size_t end,
                                                         std::size_t without) const {
  static_assert(kLevelNights + 1 <= SeriesNights::kMostNights);
  std::vector<SeriesLevel> levels(series.size());
  SeriesNights nights;
  for (std::size_t first = 0; first < series.size(); first += SeriesNights::kSeries) {
    const auto some = series.subspan(first, std::min(SeriesNights::kSeries, series.size() - first));
    nights.count = 0;
    for (std::size_t s = 0; s < some.size(); ++s) {
      nights.deviation[s] = series_[some[s]].deviation;
    }
    for (std::size_t r = begin; r < end; ++r) {
      if (r == without) continue;
      const Row& row = rows_[r];
      const bool is_disturbed = row.disturbance.is_any();
      for (std::size_t s = 0; s < some.size(); ++s) {
        nights.levels[nights.count][s] = row.clean[some[s]];
        nights.weights[nights.count][s] = is_disturbed ? weight_of(row, some[s]) : 1;
      }
      ++nights.count;
    }
    std::copy_n(series_levels(nights).begin(), some.size(),
                levels.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return levels;
}

CommonChangeDetector::Residuals CommonChangeDetector::residuals_of(std::size_t row) const {
  Residuals of;
  of.level.assign(series_.size(), kNone);
  // Of the first nights in view those after them tell the level, too.
  const std::size_t begin = row - std::min(row, kLevelNights);
  const std::size_t end = std::max(row, std::min(kLevelNights, tonight()));
  std::vector<double> uncertain(series_.size(), 0);
  const Row& night = rows_[row];
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if ((night.states >> s & 1) != 0) add_to_first(states_[s].variance, &uncertain);
  }
  add_to_first(machine_effects(night).variance, &uncertain);
  for (const CommonChange& change : changes_) {
    if (!change.is_on(night.night)) continue;
    add_to_members(change.members, change.effects.variance, &uncertain);
  }
  std::vector<std::size_t> known;
  const std::size_t count = std::min(series_.size(), kMostSeries);
  known.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(night.clean[i]) || !std::isfinite(series_[i].deviation)) continue;
    known.push_back(i);
  }
  const std::vector<SeriesLevel> levels = levels_of(known, begin, end, row);
  of.series.reserve(known.size());
  of.residual.reserve(known.size());
  of.variance.reserve(known.size());
  for (std::size_t k = 0; k < known.size(); ++k) {
    const std::size_t i = known[k];
    const SeriesLevel& level = levels[k];
    if (level.weight < kFewestNights) continue;
    of.level[i] = level.level;
    of.series.push_back(i);
    of.residual.push_back(night.clean[i] - level.level);
    of.variance.push_back(square(series_[i].deviation) * (1 + std::min(1 / level.weight, 1.0)) +
                          uncertain[i]);
  }
  return of;
}

const CommonChangeDetector::Residuals& CommonChangeDetector::residuals_of_tonight() {
  if (tonight_) return tonight_->first;
  if (!before_judging_) before_judging_ = residuals_of(tonight());
  return *before_judging_;
}

// How far members moved from `onset` on, by their first nights, against the level before it; with
// what is known of them taken off, but for `own`.
std::vector<Shift> CommonChangeDetector::shifts_of(std::span<const std::size_t> members,
                                                   std::size_t onset,
                                                   const CommonChange* own) const {
  const std::size_t first = row_of(onset);
  const std::size_t begin = first - std::min(first, kLevelNights);
  // What differs from series to series is learnt soon, before something else comes.
  const std::size_t most = own != nullptr && own->is_disagreement ? kYoung / 2 : kYoung;
  std::vector<Shift> shifts(members.size());
  const std::vector<SeriesLevel> levels = levels_of(members, begin, first, first);
  std::vector<double> off;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::size_t series = members[m];
    shifts[m].model = series_[series].model;
    if (!std::isfinite(series_[series].deviation)) continue;
    const SeriesLevel& level = levels[m];
    if (level.weight < kFewestNights) continue;
    off.clear();
    for (std::size_t r = first; r < std::min(first + most, rows_.size()); ++r) {
      double value = rows_[r].clean[series] - level.level;
      if (own != nullptr && own->is_on(rows_[r].night)) value += own->effects.effect[m];
      if (std::isfinite(value)) off.push_back(value);
    }
    if (off.empty()) continue;
    shifts[m].before = level.level;
    shifts[m].size = median(off);
    shifts[m].variance = square(series_[series].deviation) *
                         (1 / static_cast<double>(off.size()) + 1 / level.weight);
    if (off.size() > 1) shifts[m].change = median(std::span(off).subspan(1)) - off[0];
  }
  return shifts;
}

}  // namespace benchhud::analysis
