#include "analysis/alerts/event_detectors.h"

#include <algorithm>
#include <utility>

#include "analysis/alerts/watched_metric.h"

namespace benchhud::analysis {
namespace {

std::size_t recent_flips(const std::vector<std::size_t>& flips, std::size_t place) {
  return static_cast<std::size_t>(std::count_if(
      flips.begin(), flips.end(), [&](std::size_t flip) { return flip + kFlakyNights > place; }));
}

}  // namespace

bool WatchedEvent::is_flaky() const { return flips >= kFlakyFlips; }

bool CounterChangeDetector::add(std::int64_t count, std::size_t number) {
  const std::size_t place = count_++;
  const std::optional<std::int64_t> before = last_;
  const std::size_t last_before = last_number_;
  last_ = count;
  last_number_ = number;
  if (!before || *before == count) return false;
  flips_.push_back(place);
  const std::size_t flips = recent_flips(flips_, place);
  const WatchedEvent* left = nullptr;  // the event that led away from where the count is back
  for (WatchedEvent& event : events_) {
    if (event.recovered) continue;
    if (left == nullptr && event.before == std::to_string(count)) left = &event;
    if (left != nullptr) event.recovered = number;
  }
  const bool leads_back = left != nullptr;
  const bool is_loss =
      leads_back && number >= left->onset + kSettledNights &&
      worse_of(static_cast<double>(count) - static_cast<double>(*before), better_) > 0;
  if (flips >= kFlakyFlips || (leads_back && !is_loss)) return leads_back;
  WatchedEvent event;
  event.before = std::to_string(*before);
  event.after = std::to_string(count);
  event.onset = number;
  event.last_before = last_before;
  event.flips = flips;
  event.of = std::min(place + 1, kFlakyNights);
  events_.push_back(std::move(event));
  return true;
}

bool VerdictChangeDetector::add(const std::string& verdict, std::size_t number) {
  const std::size_t place = count_++;
  const std::string before = std::exchange(last_, verdict);
  if (place > 0 && before != verdict) flips_.push_back(place);
  const bool is_good = verdict == good_;
  if (is_good) last_good_ = number;
  if (place == 0 || is_good == (before == good_)) return false;
  if (is_good) {
    if (events_.empty() || events_.back().recovered) return false;
    events_.back().recovered = number;
    return true;
  }
  WatchedEvent event;
  event.before = before;
  event.after = verdict;
  event.onset = number;
  event.last_before = *last_good_;
  event.flips = recent_flips(flips_, place);
  event.of = std::min(place + 1, kFlakyNights);
  events_.push_back(std::move(event));
  return true;
}

}  // namespace benchhud::analysis
