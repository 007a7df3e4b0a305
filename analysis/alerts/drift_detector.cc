#include "analysis/alerts/drift_detector.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFewestSteps = 6;

// What changes that were told moved from `place` on: those that lead back are among them. What
// creeps up looks like one change or another for some nights, and none of these holds.
double explained_since(const TimingChangeDetector& series, std::size_t place) {
  double moved = 0;
  for (const WatchedChange& change : series.changes()) {
    if (change.withdrawn || !change.confirmed || change.point.at < place) continue;
    moved += change.point.after - change.point.before;
  }
  return moved;
}

}  // namespace

double DriftDetector::least(double error) {
  return std::max(std::log1p(kLeastDrift), kDriftErrors * error);
}

bool DriftDetector::is_due(const TimingChangeDetector& series) {
  const std::size_t count = series.count();
  return count >= series.begin() + kFewestForDrift && count % kEvery == 0;
}

DriftDetector::Stretch DriftDetector::stretch_of(const TimingChangeDetector& series,
                                                 std::size_t begin) {
  std::vector<double> levels;
  for (const Night& night : series.nights().subspan(begin - series.first(), kStretch)) {
    levels.push_back(night.level);
  }
  return {begin, series.numbers()[begin + kStretch - 1 - series.first()], median(levels)};
}

// A series is looked at while the nights of the next stretch are kept, unless it has few values.
void DriftDetector::add_stretches(const TimingChangeDetector& series) {
  if (begin_ != series.begin()) stretches_.clear();
  begin_ = series.begin();
  std::size_t from = stretches_.empty() ? begin_ : stretches_.back().begin + kStretch;
  for (from = std::max(from, series.first()); from + kStretch <= series.count(); from += kStretch) {
    stretches_.push_back(stretch_of(series, from));
  }
}

// A pinned night is one that the series has, and whose stretch is not among the last nights.
void DriftDetector::add_pinned(const TimingChangeDetector& series,
                               std::span<const std::size_t> pinned) {
  for (; seen_pinned_ < pinned.size(); ++seen_pinned_) {
    const auto numbers = series.numbers();
    const auto night = std::ranges::lower_bound(numbers, pinned[seen_pinned_]);
    if (night == numbers.end()) return;
    if (*night != pinned[seen_pinned_]) continue;
    const std::size_t place = series.first() + static_cast<std::size_t>(night - numbers.begin());
    const std::size_t from =
        std::max({begin_, series.first(), place - std::min(place, kStretch / 2)});
    if (from + 2 * kStretch > series.count()) return;
    pinned_.push_back(stretch_of(series, from));
  }
}

// Of the difference of two stretches: as the noise of single nights has it, and as neighbouring
// stretches really differ, whichever is more. What nights have in common for weeks is in the second
// alone.
double DriftDetector::standard_error(const NightNoise& noise) const {
  const double alike = (1 + noise.correlation) / (1 - noise.correlation);
  const double of_nights =
      noise.deviation * std::sqrt(std::numbers::pi / 2 * alike * 2 / static_cast<double>(kStretch));
  std::vector<double> steps;
  for (std::size_t i = 1; i < stretches_.size(); ++i) {
    steps.push_back(stretches_[i].level - stretches_[i - 1].level);
  }
  // What creeps up is in all steps alike and is no noise. Few steps do not tell what that is.
  const double common = steps.size() < kFewestSteps ? 0 : median(steps);
  for (double& step : steps) step = std::abs(step - common);
  return std::max(of_nights, kMadToDeviation * median(steps));
}

std::vector<DriftDetector::Stretch> DriftDetector::references(const TimingChangeDetector& series,
                                                              int worse) const {
  // The best stretch that lies wholly before the last two, then those of the pinned nights.
  std::optional<Stretch> best;
  double best_level = 0;
  for (const Stretch& stretch : stretches_) {
    if (stretch.begin + 3 * kStretch > series.count()) break;
    const double level =
        worse * (stretch.level + explained_since(series, stretch.begin + kStretch / 2));
    if (best && level >= best_level) continue;
    best = stretch;
    best_level = level;
  }
  std::vector<Stretch> all;
  if (best) all.push_back(*best);
  for (const Stretch& stretch : pinned_) {
    if (stretch.begin >= begin_) all.push_back(stretch);
  }
  return all;
}

bool DriftDetector::look(const TimingChangeDetector& series, schema::Direction better,
                         std::span<const std::size_t> pinned, double wander) {
  if (!is_due(series)) return false;
  if (better == schema::Direction::kNeither) return false;
  const int worse = better == schema::Direction::kLowerIsBetter ? 1 : -1;
  if (series.nights().size() < kStretch) return false;
  const double now = stretch_of(series, series.count() - kStretch).level;
  add_stretches(series);
  add_pinned(series, pinned);
  const double of_stretches = standard_error(series.noise());
  const std::size_t number = series.numbers().back();
  bool changed = false;

  for (WatchedDrift& drift : drifts_) {
    if (drift.recovered) continue;
    const double left = now - drift.before - explained_since(series, drift.place);
    changed = true;
    drift.after = drift.before + left;
    if (worse * left > worse * drift.most) drift.most = left;
    if (worse * left < worse * drift.most / 2) drift.recovered = number;
  }
  for (const Stretch& stretch : references(series, worse)) {
    const double before = stretch.level;
    const double moved = now - before - explained_since(series, stretch.begin + kStretch / 2);
    const auto nights = static_cast<double>(series.count() - kStretch - stretch.begin);
    const double error =
        std::hypot(of_stretches, series.noise().level_deviation() * std::sqrt(wander * nights));
    if (worse * moved < least(error)) continue;
    const bool is_known = std::any_of(drifts_.begin(), drifts_.end(), [&](const auto& drift) {
      return !drift.recovered && worse * (before + moved - drift.after) < std::log1p(kLeastDrift);
    });
    if (is_known) continue;
    drifts_.push_back({stretch.last,
                       stretch.begin + kStretch - 1,
                       number,
                       before,
                       before + moved,
                       moved,
                       error,
                       {}});
    changed = true;
  }
  return changed;
}

}  // namespace benchhud::analysis
