#include "analysis/timed_watch.h"

#include <algorithm>
#include <cmath>

#include "analysis/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFew = 20;     // nights, up to which every one is searched
constexpr std::size_t kYoung = 10;   // nights for which a change is looked at again each night
constexpr std::size_t kRecent = 12;  // nights that may be off the level together
constexpr double kOff = 3;           // standard deviations
// A confirmed change is not taken back because of one search that did not find it.
constexpr std::size_t kMissedSearches = 5;

std::size_t distance(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

}  // namespace

bool TimedWatch::add(const Night& night, std::size_t number) {
  nights_.push_back(night);
  numbers_.push_back(number);
  if (!wants_search()) return false;
  const std::size_t first = std::max(begin_, nights_.size() - std::min(nights_.size(), kWindow));
  search_ = find_changes(std::span(nights_).subspan(first), rules_);
  searched_ = nights_.size();
  std::vector<double> last;
  for (std::size_t i = first + (search_.found.empty() ? 0 : search_.found.back().at);
       i < nights_.size(); ++i) {
    last.push_back(nights_[i].level);
  }
  level_ = median(last);
  const bool merged = merge(first, number);
  return note_recoveries(number) || merged;
}

bool TimedWatch::wants_search() const {
  const std::size_t count = nights_.size() - begin_;
  if (count <= kFew || searched_ + kRoutine <= nights_.size() || searched_ <= begin_) return true;
  const bool young = std::any_of(changes_.begin(), changes_.end(), [&](const auto& change) {
    return !change.withdrawn && (!change.confirmed || change.point.at + kYoung > nights_.size());
  });
  return young || is_off_level();
}

bool TimedWatch::is_off_level() const {
  const double bound = rules_.cut * search_.noise.deviation;
  double sum = 0;
  for (std::size_t k = 1; k <= std::min(kRecent, nights_.size()); ++k) {
    sum += std::clamp(nights_[nights_.size() - k].level - level_, -bound, bound);
    // Of one night the clamp leaves kOff and more; neighbours that are alike make it easier.
    if (std::abs(sum) > kOff * search_.noise.deviation * std::sqrt(static_cast<double>(k))) {
      return true;
    }
  }
  return false;
}

WatchedChange* TimedWatch::known(const ChangePoint& point) {
  WatchedChange* nearest = nullptr;
  for (WatchedChange& change : changes_) {
    if (change.withdrawn || (change.point.effect < 0) != (point.effect < 0)) continue;
    if (distance(change.point.at, point.at) > kSameChange) continue;
    if (nearest == nullptr ||
        distance(change.point.at, point.at) < distance(nearest->point.at, point.at)) {
      nearest = &change;
    }
  }
  return nearest;
}

bool TimedWatch::merge(std::size_t first, std::size_t number) {
  bool changed = false;
  std::vector<bool> seen(changes_.size(), false);
  for (ChangePoint point : search_.found) {
    point.at += first;
    point.earliest += first;
    point.latest += first;
    WatchedChange* change = known(point);
    if (change == nullptr) {
      changes_.emplace_back().first_seen = number;
      seen.push_back(false);
      change = &changes_.back();
    }
    seen[static_cast<std::size_t>(change - changes_.data())] = true;
    change->missed = 0;
    // What was confirmed stays so: a change whose last nights alone are left in view is no suspect.
    if (change->confirmed && point.state == ChangeState::kSuspect) continue;
    change->point = point;
    change->onset = numbers_[point.at];
    change->earliest = numbers_[point.earliest];
    change->latest = numbers_[std::min(point.latest, numbers_.size() - 1)];
    changed = true;
  }
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    WatchedChange& change = changes_[i];
    // What lies too near the beginning of the window cannot be found any more.
    const bool in_view = change.point.at >= first + rules_.fewest_before_suspect;
    if (seen[i] || change.withdrawn || !in_view) continue;
    if (change.confirmed && ++change.missed < kMissedSearches) continue;
    change.withdrawn = number;
    changed = true;
  }
  return changed;
}

// A change is over when a later one leads back to the level before it, to half of what it moved.
bool TimedWatch::note_recoveries(std::size_t number) {
  bool changed = false;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    WatchedChange& change = changes_[i];
    if (change.recovered || change.withdrawn || !change.confirmed) continue;
    for (WatchedChange& later : changes_) {
      if (later.withdrawn || later.point.at <= change.point.at) continue;
      const double moved = std::abs(change.point.after - change.point.before);
      if (std::abs(later.point.after - change.point.before) >= moved / 2) continue;
      changed = changed || later.recovery_of != i;
      later.recovery_of = i;
      if (later.point.state != ChangeState::kConfirmed) continue;
      change.recovered = number;
      changed = true;
      break;
    }
  }
  return changed;
}

void TimedWatch::decide(std::size_t change, std::optional<std::size_t> number, double q_value) {
  changes_[change].q_value = q_value;
  if (number) changes_[change].confirmed = number;
}

}  // namespace benchhud::analysis
