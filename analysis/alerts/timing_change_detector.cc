#include "analysis/alerts/timing_change_detector.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/alerts/watched_metric.h"
#include "analysis/changes/recent_step.h"
#include "analysis/changes/wandering_level.h"
#include "analysis/statistics/max_scan_p_value.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFew = 20;  // nights, up to which every one is searched
constexpr std::size_t kTwentieth = 20;
constexpr std::size_t kLookBack = 4;  // nights
// Nights at the beginning of a window that does not begin where the series does.
constexpr std::size_t kFewInView = 20;
// A confirmed change is not taken back because of one search that did not find it, unless more is
// known of the nights than when it was confirmed.
constexpr std::size_t kMissedSearches = 5;
// Of the evidence that the level before a change is back: when it is sure, and what one night is
// worth at the most. Natural logarithms.
constexpr double kEnoughToRecover = 7, kMostOfNight = 3.5;

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

void TimingChangeDetector::forget_old(std::size_t number) {
  const std::size_t oldest = number - std::min(number, kKept - 1);
  if (numbers_.empty() || *numbers_.begin() >= oldest) return;
  // Hardly ever more than one, so that looking for it anywhere else would read more memory.
  const auto kept = std::find_if(numbers_.begin(), numbers_.end(),
                                 [&](std::uint32_t night) { return night >= oldest; });
  const auto gone = kept - numbers_.begin();
  if (gone == 0) return;
  numbers_.forget_first(static_cast<std::size_t>(gone));
  nights_.forget_first(static_cast<std::size_t>(gone));
  first_ += static_cast<std::size_t>(gone);
}

void TimingChangeDetector::keep(Night night, std::size_t number) {
  night.level = static_cast<float>(night.level);
  nights_.push_back(night);
  numbers_.push_back(static_cast<std::uint32_t>(number));
}

void TimingChangeDetector::recall(Night night, std::size_t number) {
  const std::size_t place = nights_.size();
  if (place < recalled_.size()) night.level = recalled_[place];
  nights_.push_back(night);
  numbers_.push_back(static_cast<std::uint32_t>(number));
}

bool TimingChangeDetector::finish_recall() {
  const bool is_whole = nights_.size() == recalled_.size();
  recalled_ = {};
  return is_whole;
}

void TimingChangeDetector::revise(std::size_t number, double revised) {
  const auto level = static_cast<float>(revised);
  const auto night = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  if (night == numbers_.end() || *night != number) return;
  double& known = nights_[static_cast<std::size_t>(night - numbers_.begin())].level;
  if (known == level) return;
  constexpr double kMuch = 0.25;  // standard deviations
  if (std::abs(known - level) > kMuch * search_.noise.deviation) {
    const auto place = first_ + static_cast<std::size_t>(night - numbers_.begin());
    revised_from_ = is_revised_ ? std::min(revised_from_, place) : place;
    is_revised_ = true;
  }
  known = level;
  screen_.forget_sums();
}

bool TimingChangeDetector::look_again(std::size_t number) {
  return is_revised_ && !nights_.empty() && search(number);
}

bool TimingChangeDetector::add(const Night& night, std::size_t number) {
  keep(night, number);
  if (wants_search()) return search(number);
  return has_open_change() && note_recoveries(number);
}

bool TimingChangeDetector::search(std::size_t number) {
  const std::size_t first = std::max({begin_, first_, count() - std::min(count(), kWindow)});
  search_ = find_changes(std::span(nights_).subspan(first - first_), rules_);
  searched_ = count();
  const std::size_t level = first + (search_.found.empty() ? 0 : search_.found.back().at);
  screen_.learn(nights_, level, search_.noise, rules_.cut, first_);
  const bool merged = merge(first, number);
  is_revised_ = false;
  return note_recoveries(number) || merged;
}

bool TimingChangeDetector::has_open_change() const {
  return std::ranges::any_of(changes_, [](const WatchedChange& change) {
    return change.confirmed && !change.withdrawn && !change.recovered;
  });
}

bool TimingChangeDetector::wants_search() {
  const std::size_t comparable = count() - begin_;
  if (comparable <= kFew || searched_ <= begin_ || is_revised_) return true;
  // Of a series that has few values the nights that the last search looked at may be gone.
  if (screen_.begin() < first_) return true;
  const std::size_t since = count() - searched_;
  // A level of few nights is known badly, and so is what is off it: again with twice as many.
  if (since >= std::min(kRoutine, comparable / 2)) return true;
  return is_young(since) || screen_.is_off(nights_, first_) ||
         (since % kLookBack == 0 && screen_.is_two(nights_, kWindow, first_));
}

// A change is looked at again each night while it is young; and until it is confirmed, whenever its
// nights have become more by a twentieth.
bool TimingChangeDetector::is_young(std::size_t since) const {
  return std::any_of(changes_.begin(), changes_.end(), [&](const WatchedChange& change) {
    if (change.withdrawn) return false;
    const std::size_t age = count() - change.point.at;
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
      // When more of the nights before it were in view, it was no change: what is left of them may
      // be the end of an excursion.
      if (first > begin_ && point.at < first + kFewInView) continue;
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
    change->onset = number_at(point.at);
    // It was seen then already, so it may have begun then.
    change->earliest = std::min(number_at(point.earliest), change->first_seen);
    change->latest = number_at(std::min(point.latest, count() - 1));
    changed = true;
  }
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    WatchedChange& change = changes_[i];
    if (seen[i] || change.withdrawn) continue;
    // What lies too near the beginning of the window cannot be found any more: what was confirmed
    // stays so, and of the rest no further night can make anybody sure.
    const bool in_view = change.point.at >= first + rules_.fewest_before_suspect;
    ++change.missed;
    const bool is_revised = is_revised_ && change.point.at >= revised_from_;
    const bool is_kept = change.is_asserted && (!is_revised || change.recovered);
    const bool is_taken_back = in_view && (is_revised || change.missed >= kMissedSearches);
    if (change.confirmed && (is_kept || !is_taken_back)) continue;
    change.withdrawn = number;
    changed = true;
  }
  return changed;
}

ChangePoint TimingChangeDetector::measured_now(const WatchedChange& change) const {
  const std::size_t at = change.point.at;
  const bool is_over = change.withdrawn || change.recovered || change.begin != begin_;
  if (searched_ == count() || is_over || change.point.state != ChangeState::kConfirmed) {
    return change.point;
  }
  std::size_t begin = std::max({begin_, first_, at - std::min(at, rules_.most_nights)});
  std::size_t end = std::min(count(), at + rules_.most_nights);
  for (const WatchedChange& other : changes_) {
    if (other.withdrawn || &other == &change || other.begin != begin_) continue;
    if (other.point.at < at) begin = std::max(begin, other.point.at);
    if (other.point.at > at) end = std::min(end, other.point.at);
  }
  const std::size_t fewest = rules_.fewest_nights;
  if (at < begin + fewest || end < at + fewest) return change.point;
  const ChangePoint measured =
      measure_step(std::span(nights_).subspan(begin - first_, end - begin), at - begin, rules_);
  ChangePoint now = change.point;
  now.before = measured.before;
  now.after = measured.after;
  now.reach = measured.reach;
  now.effect = measured.effect;
  now.interval = measured.interval;
  now.nights_before = measured.nights_before;
  now.nights_after = measured.nights_after;
  return now;
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
    // What was over for so long stays so, wherever the level goes.
    const bool is_settled = change.recovered && number >= *change.recovered + kYoung;
    const bool is_recovered =
        is_settled ||
        (back != order.end() && changes_[*back].point.state == ChangeState::kConfirmed) ||
        change.is_over_with_others || back_of(change).is_sure;
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

// What a night weighs, by its distance from a level, where it is asked whether the level before a
// change is back; none where nothing can be told.
std::optional<double> TimingChangeDetector::worth_of_night(const WatchedChange& change) const {
  // What a step of few nights does to the noise that a search sees, it does not to the fleet's.
  const bool is_less = change.is_asserted && change.noise.deviation < search_.noise.deviation;
  const auto [deviation, correlation] = is_less ? change.noise : search_.noise;
  if (change.begin != begin_ || deviation <= 0) return std::nullopt;
  return (1 - correlation) / (1 + correlation) / (deviation * deviation);
}

std::optional<std::size_t> TimingChangeDetector::nights_to_recover(
    const WatchedChange& change) const {
  const auto worth = worth_of_night(change);
  const double half = (change.point.after - change.point.before) / 2;
  const double of_night = worth ? std::min(*worth * half * half, kMostOfNight) : 0;
  if (!(of_night > 0)) return std::nullopt;
  return static_cast<std::size_t>(std::ceil(kEnoughToRecover / of_night));
}

// Whether the last nights are those before a change again: by how much likelier each is at the
// level before it than half of the way from it. A sum of these that never goes below 0 has reached
// what one in a thousand nights would by chance (7 natural logarithms), and has not gone back
// since. From another change on that leads elsewhere nothing is told.
TimingChangeDetector::Back TimingChangeDetector::back_of(const WatchedChange& change) const {
  const auto worth = worth_of_night(change);
  if (!worth) return {};
  std::size_t end = count();
  for (const WatchedChange& later : changes_) {
    const bool leads_elsewhere = !later.withdrawn && later.point.at > change.point.at &&
                                 later.point.state == ChangeState::kConfirmed &&
                                 !leads_back(change, later);
    if (leads_elsewhere) end = std::min(end, later.point.at);
  }
  const double half = (change.point.after - change.point.before) / 2;
  Back back;
  for (std::size_t place = std::max(change.point.at, first_); place < end; ++place) {
    const double off = nights_[place - first_].level - change.point.before;
    back.evidence += std::clamp(*worth * (half * half - off * off), -kMostOfNight, kMostOfNight);
    back.evidence = std::clamp(back.evidence, 0.0, kEnoughToRecover);
    if (back.evidence >= kEnoughToRecover) back.is_sure = true;
    ++back.nights;
    if (back.evidence <= 0) back = {};
  }
  return back;
}

double TimingChangeDetector::wandering_p_value(const WatchedChange& change, double wander) const {
  const std::size_t at = change.point.at;
  const std::size_t begin =
      std::max({begin_, first_, at - std::min(at, change.point.nights_before)});
  const std::size_t end = std::min(count(), at + change.point.nights_after);
  if (begin >= at || at >= end) return 1;
  const double p_value =
      wandering_level_p_value(std::span(nights_).subspan(begin - first_, end - begin), at - begin,
                              search_.noise.level_deviation(), wander);
  return max_scan_p_value(p_value, static_cast<double>(end - begin), rules_.fewest_nights);
}

void TimingChangeDetector::recover(std::size_t change, std::size_t number) {
  changes_[change].recovered = number;
  changes_[change].is_over_with_others = true;
}

void TimingChangeDetector::reopen(std::size_t change) {
  changes_[change].recovered.reset();
  changes_[change].is_over_with_others = false;
}

bool TimingChangeDetector::is_loss(const WatchedChange& improvement,
                                   const WatchedChange& later) const {
  return later.onset >= improvement.onset + kSettledNights &&
         worse_of(later.point.effect, better_) > 0;
}

std::pair<std::vector<double>, Changes> TimingChangeDetector::current() const {
  const std::size_t begin = std::max(begin_, first_);
  Changes current;
  current.noise = search_.noise;
  for (const WatchedChange& change : changes_) {
    if (change.withdrawn || change.begin != begin_) continue;
    if (change.point.state == ChangeState::kSuspect || change.point.at <= begin) continue;
    ChangePoint& point = current.found.emplace_back(change.point);
    for (std::size_t* place : {&point.at, &point.earliest, &point.latest}) {
      *place = std::max(*place, begin) - begin;
    }
  }
  std::ranges::sort(current.found, {}, &ChangePoint::at);
  std::vector<double> levels;
  for (const Night& night : std::span(nights_).subspan(begin - first_)) {
    levels.push_back(night.level);
  }
  return {std::move(levels), current};
}

void TimingChangeDetector::assert_step(std::size_t nights, double before, const NightNoise& noise,
                                       std::size_t number, std::size_t among) {
  ChangePoint point;
  point.at = count() - nights;
  std::vector<double> levels;
  for (const Night& night : std::span(nights_).last(nights)) levels.push_back(night.level);
  point.before = before;
  point.after = median(levels);
  point.earliest = point.latest = point.at;
  const double moved = point.after - before;
  point.effect = std::expm1(moved);
  point.nights_before = std::min<std::size_t>(point.at - begin_, RecentNights::kMost);
  point.nights_after = nights;
  constexpr double kStandardErrors = 1.96;  // 95 %
  const double error = noise.deviation * std::sqrt(1 / static_cast<double>(point.nights_before) +
                                                   1 / static_cast<double>(nights));
  point.reach = kStandardErrors * error;
  point.interval = {std::expm1(moved - point.reach), std::expm1(moved + point.reach), 0.95};
  point.p_value = std::erfc(std::abs(moved) / error / std::numbers::sqrt2);
  const bool is_told = nights >= rules_.fewest_nights && point.p_value < rules_.significance &&
                       std::abs(point.effect) >= rules_.least_effect;
  if (!is_told) return;
  // One that the night's search did not find is still the same.
  for (WatchedChange& change : changes_) {
    const bool is_same = change.is_asserted && change.withdrawn == number &&
                         is_same_direction(change.point, point) &&
                         nights_apart(change.point.at, point.at) <= kSameChange;
    if (is_same) change.withdrawn.reset();
  }
  WatchedChange* change = known(point, std::vector<bool>(changes_.size(), false));
  if (change != nullptr && change->recovery_of) return;
  const bool is_new = change == nullptr;
  if (is_new) {
    change = &changes_.emplace_back();
    change->first_seen = number;
    change->begin = begin_;
  }
  // What a search has found it knows better.
  if (is_new || change->point.state == ChangeState::kSuspect || change->missed > 0) {
    change->point = point;
    change->onset = change->latest = number_at(point.at);
    change->earliest = std::min(change->onset, change->first_seen);
  }
  change->is_asserted = true;
  change->q_value = std::min(change->q_value, point.p_value * static_cast<double>(among));
  change->noise = noise;
  change->is_confirmed_early = change->is_confirmed_early || !change->confirmed;
  if (!change->confirmed) change->confirmed = number;
  note_recoveries(number);
}

void TimingChangeDetector::decide(std::size_t change, std::optional<std::size_t> number,
                                  double q_value) {
  changes_[change].q_value = q_value;
  if (number) changes_[change].confirmed = number;
}

}  // namespace benchhud::analysis
