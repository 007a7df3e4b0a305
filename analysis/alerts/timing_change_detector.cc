#include "analysis/alerts/timing_change_detector.h"

#include <algorithm>
#include <cmath>

#include "analysis/alerts/watched_metric.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFew = 20;    // nights, up to which every one is searched
constexpr std::size_t kYoung = 10;  // nights for which a change is looked at again each night
constexpr std::size_t kTwentieth = 20;
constexpr std::size_t kLookBack = 4;  // nights
// A confirmed change is not taken back because of one search that did not find it.
constexpr std::size_t kMissedSearches = 5;

bool is_same_direction(const ChangePoint& a, const ChangePoint& b) {
  return (a.effect < 0) == (b.effect < 0);
}

// Levels of before a restart are no measure of those after it.
bool leads_back(const WatchedChange& change, const WatchedChange& later) {
  if (later.withdrawn || later.begin != change.begin || later.point.at <= change.point.at ||
      is_same_direction(later.point, change.point)) {
    return false;
  }
  const double moved = std::abs(change.point.after - change.point.before);
  return std::abs(later.point.after - change.point.before) < moved / 2;
}

}  // namespace

void TimingChangeDetector::replay(const Night& night, std::size_t number) {
  levels_.push_back(night.level);
  numbers_.push_back(static_cast<std::uint32_t>(number));
  // A search looks back by kWindow nights, and kRoutine nights later there is another. Seldom more
  // than is needed, as a vector's memory doubles.
  constexpr std::size_t kMost = 256;
  static_assert(kMost > kRecent);
  if (recent_.size() == kMost) {
    recent_.erase(recent_.begin(), recent_.end() - kRecent);
    first_recent_ = levels_.size() - 1 - kRecent;
  }
  recent_.push_back(night);
}

bool TimingChangeDetector::add(const Night& night, std::size_t number) {
  replay(night, number);
  if (!wants_search()) return false;
  const std::size_t first = std::max(begin_, levels_.size() - std::min(levels_.size(), kWindow));
  search_ = find_changes(std::span(recent_).subspan(first - first_recent_), rules_);
  searched_ = levels_.size();
  const std::size_t level = first + (search_.found.empty() ? 0 : search_.found.back().at);
  screen_.learn(recent_, level, search_.noise, rules_.cut, first_recent_);
  const bool merged = merge(first, number);
  return note_recoveries(number) || merged;
}

bool TimingChangeDetector::wants_search() {
  const std::size_t count = levels_.size() - begin_;
  if (count <= kFew || searched_ <= begin_) return true;
  const std::size_t since = levels_.size() - searched_;
  // A level of few nights is known badly, and so is what is off it: again with twice as many.
  if (since >= std::min(kRoutine, count / 2)) return true;
  return is_young(since) || screen_.is_off(recent_, first_recent_) ||
         (since % kLookBack == 0 && screen_.is_two(recent_, kWindow, first_recent_));
}

// A change is looked at again each night while it is young; and until it is confirmed, whenever its
// nights have become more by a twentieth.
bool TimingChangeDetector::is_young(std::size_t since) const {
  return std::any_of(changes_.begin(), changes_.end(), [&](const WatchedChange& change) {
    if (change.withdrawn) return false;
    const std::size_t age = levels_.size() - change.point.at;
    return age < kYoung || (!change.confirmed && since * kTwentieth >= age);
  });
}

// `seen`: those that this search has found already.
WatchedChange* TimingChangeDetector::known(const ChangePoint& point,
                                           const std::vector<bool>& seen) {
  WatchedChange* nearest = nullptr;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    WatchedChange& change = changes_[i];
    if (seen[i] || change.withdrawn || change.begin != begin_) continue;
    if (!is_same_direction(change.point, point)) continue;
    if (nights_apart(change.point.at, point.at) > kSameChange) continue;
    if (nearest == nullptr ||
        nights_apart(change.point.at, point.at) < nights_apart(nearest->point.at, point.at)) {
      nearest = &change;
    }
  }
  return nearest;
}

bool TimingChangeDetector::merge(std::size_t first, std::size_t number) {
  bool changed = false;
  std::vector<bool> seen(changes_.size(), false);
  for (ChangePoint point : search_.found) {
    point.at += first;
    point.earliest += first;
    point.latest += first;
    WatchedChange* change = known(point, seen);
    if (change == nullptr) {
      change = &changes_.emplace_back();
      change->first_seen = number;
      change->begin = begin_;
      seen.push_back(false);
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
    if (seen[i] || change.withdrawn) continue;
    // What lies too near the beginning of the window cannot be found any more: what was confirmed
    // stays so, and of the rest no further night can make anybody sure.
    const bool in_view = change.point.at >= first + rules_.fewest_before_suspect;
    if (change.confirmed && (!in_view || ++change.missed < kMissedSearches)) continue;
    change.withdrawn = number;
    changed = true;
  }
  return changed;
}

// A change is over when a later one leads back to the level before it, to half of what it moved.
// Asked anew each time: what leads back may go away, or turn out to lead elsewhere.
bool TimingChangeDetector::note_recoveries(std::size_t number) {
  // By place: what leads back is no change to undo. What is withdrawn neither leads back nor is
  // over.
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < changes_.size(); ++k) {
    if (!changes_[k].withdrawn) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return changes_[a].point.at < changes_[b].point.at;
  });
  std::vector<std::optional<std::size_t>> recovery_of(changes_.size());
  bool changed = false;
  for (auto i = order.begin(); i != order.end(); ++i) {
    WatchedChange& change = changes_[*i];
    if (!change.confirmed) continue;
    const auto back =
        recovery_of[*i] ? order.end() : std::find_if(i, order.end(), [&](std::size_t later) {
          return leads_back(change, changes_[later]);
        });
    const bool is_recovered =
        back != order.end() && changes_[*back].point.state == ChangeState::kConfirmed;
    if (back != order.end() && !is_loss(change, changes_[*back])) recovery_of[*back] = *i;
    if (is_recovered == change.recovered.has_value()) continue;
    change.recovered = is_recovered ? std::optional(number) : std::nullopt;
    changed = true;
  }
  for (std::size_t k = 0; k < changes_.size(); ++k) {
    changed = changed || changes_[k].recovery_of != recovery_of[k];
    changes_[k].recovery_of = recovery_of[k];
  }
  return changed;
}

bool TimingChangeDetector::is_loss(const WatchedChange& improvement,
                                   const WatchedChange& later) const {
  return later.onset >= improvement.onset + kSettledNights &&
         worse_of(later.point.effect, better_) > 0;
}

std::pair<std::span<const double>, Changes> TimingChangeDetector::current() const {
  Changes current;
  current.noise = search_.noise;
  for (const WatchedChange& change : changes_) {
    if (change.withdrawn || change.begin != begin_) continue;
    if (change.point.state == ChangeState::kSuspect) continue;
    ChangePoint& point = current.found.emplace_back(change.point);
    for (std::size_t* place : {&point.at, &point.earliest, &point.latest}) *place -= begin_;
  }
  std::ranges::sort(current.found, {}, &ChangePoint::at);
  return {std::span(levels_).subspan(begin_), current};
}

void TimingChangeDetector::decide(std::size_t change, std::optional<std::size_t> number,
                                  double q_value) {
  changes_[change].q_value = q_value;
  if (number) changes_[change].confirmed = number;
}

}  // namespace benchhud::analysis
