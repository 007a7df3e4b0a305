#include "analysis/alerts/alert_history.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "analysis/alerts/alert_groups.h"

namespace benchhud::analysis {
namespace {

constexpr std::array<std::string_view, 12> kEventNames = {
    "first_seen", "confirmed", "joined",    "left",    "moved",    "onset_moved",
    "recovered",  "reopened",  "withdrawn", "took_in", "taken_in", "split"};

// Whether it is one event where it happens again within some nights.
bool may_go_on(AlertEventKind kind) {
  return kind == AlertEventKind::kJoined || kind == AlertEventKind::kLeft ||
         kind == AlertEventKind::kMoved || kind == AlertEventKind::kOnsetMoved ||
         kind == AlertEventKind::kTookIn;
}

void add_few(std::vector<std::uint32_t>* few, const std::vector<std::uint32_t>& more) {
  for (const std::uint32_t one : more) {
    if (few->size() >= kNamedInEvent) return;
    if (std::ranges::find(*few, one) == few->end()) few->push_back(one);
  }
}

}  // namespace

std::string_view alert_event_name(AlertEventKind kind) {
  return kEventNames[static_cast<std::size_t>(kind)];
}

void add_event(std::vector<AlertEvent>* history, AlertEvent event) {
  event.last = event.night;
  const auto same =
      std::ranges::find(history->rbegin(), history->rend(), event.kind, &AlertEvent::kind);
  const bool goes_on = same != history->rend() &&
                       (history->size() >= kMostAlertEvents ||
                        (may_go_on(event.kind) && event.night <= same->night + kSameCause));
  if (!goes_on) {
    std::vector<std::uint32_t> members, alerts;
    add_few(&members, event.members);
    add_few(&alerts, event.alerts);
    event.members = std::move(members);
    event.alerts = std::move(alerts);
    history->push_back(std::move(event));
    return;
  }
  same->last = event.night;
  const bool is_named = !event.alerts.empty() && std::ranges::all_of(event.alerts, [&](auto one) {
    return std::ranges::find(same->alerts, one) != same->alerts.end();
  });
  if (event.kind != AlertEventKind::kTookIn || !is_named) same->count += event.count;
  same->to = event.to;
  add_few(&same->members, event.members);
  add_few(&same->alerts, event.alerts);
  if (event.kind == AlertEventKind::kOnsetMoved && same->from == same->to) {
    history->erase(std::next(same).base());
  }
}

}  // namespace benchhud::analysis
