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
  const std::size_t count = series.levels().size();
  return count >= series.begin() + kFewestForDrift && count % kEvery == 0;
}

void DriftDetector::add_stretches(const TimingChangeDetector& series) {
  if (begin_ != series.begin()) stretches_.clear();
  begin_ = series.begin();
  for (;;) {
    const std::size_t from = begin_ + kStretch * stretches_.size();
    if (from + kStretch > series.levels().size()) return;
    stretches_.push_back(median(series.levels().subspan(from, kStretch)));
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
    steps.push_back(stretches_[i] - stretches_[i - 1]);
  }
  // What creeps up is in all steps alike and is no noise. Few steps do not tell what that is.
  const double common = steps.size() < kFewestSteps ? 0 : median(steps);
  for (double& step : steps) step = std::abs(step - common);
  return std::max(of_nights, kMadToDeviation * median(steps));
}

std::vector<std::size_t> DriftDetector::references(const TimingChangeDetector& series,
                                                   std::span<const std::size_t> pinned,
                                                   int worse) const {
  const std::size_t end = series.levels().size();
  std::vector<std::size_t> places;
  // The best stretch that lies wholly before the last two.
  std::optional<std::size_t> best;
  double best_level = 0;
  for (std::size_t i = 0; begin_ + (i + 3) * kStretch <= end; ++i) {
    const std::size_t at = begin_ + i * kStretch;
    const double level = worse * (stretches_[i] + explained_since(series, at + kStretch / 2));
    if (best && level >= best_level) continue;
    best = at;
    best_level = level;
  }
  if (best) places.push_back(*best);
  for (const std::size_t number : pinned) {
    const auto night = std::find(series.numbers().begin(), series.numbers().end(), number);
    if (night == series.numbers().end()) continue;
    const auto place = static_cast<std::size_t>(night - series.numbers().begin());
    const std::size_t from = std::max(begin_, place - std::min(place, kStretch / 2));
    if (from + 2 * kStretch <= end) places.push_back(from);
  }
  return places;
}

bool DriftDetector::look(const TimingChangeDetector& series, schema::Direction better,
                         std::span<const std::size_t> pinned) {
  if (!is_due(series)) return false;
  if (better == schema::Direction::kNeither) return false;
  const int worse = better == schema::Direction::kLowerIsBetter ? 1 : -1;
  const double now = median(series.levels().last(kStretch));
  add_stretches(series);
  const double error = standard_error(series.noise());
  const std::size_t number = series.numbers().back();
  bool changed = false;

  for (WatchedDrift& drift : drifts_) {
    if (drift.recovered) continue;
    const auto onset = std::find(series.numbers().begin(), series.numbers().end(), drift.onset);
    const auto place = static_cast<std::size_t>(onset - series.numbers().begin());
    const double left = now - drift.before - explained_since(series, place);
    changed = true;
    drift.after = drift.before + left;
    if (worse * left > worse * drift.most) drift.most = left;
    if (worse * left < worse * drift.most / 2) drift.recovered = number;
  }
  for (const std::size_t from : references(series, pinned, worse)) {
    const double before = median(series.levels().subspan(from, kStretch));
    const std::size_t last = from + kStretch - 1;
    const double moved = now - before - explained_since(series, from + kStretch / 2);
    if (worse * moved < least(error)) continue;
    const bool is_known = std::any_of(drifts_.begin(), drifts_.end(), [&](const auto& drift) {
      return !drift.recovered && worse * (before + moved - drift.after) < std::log1p(kLeastDrift);
    });
    if (is_known) continue;
    drifts_.push_back({series.numbers()[last], number, before, before + moved, moved, error, {}});
    changed = true;
  }
  return changed;
}

}  // namespace benchhud::analysis
