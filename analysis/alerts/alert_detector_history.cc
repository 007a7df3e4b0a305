// What an AlertDetector writes down of what happens to alerts. Most alerts that ever were are
// suspects of a night or two: what is written of them is that they were withdrawn. Series are told
// of from when they are confirmed, for suspects come and go.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/alerts/alert_detector.h"

namespace benchhud::analysis {

// Members are named in the catalog's order: in which order the nights told of them does not matter.
void AlertDetector::note(std::size_t alert, AlertEventKind kind, std::size_t number,
                         std::vector<std::size_t> members, std::vector<std::size_t> alerts) {
  AlertEvent event;
  event.kind = kind;
  event.night = static_cast<std::uint32_t>(number);
  event.count =
      static_cast<std::uint32_t>(kind == AlertEventKind::kTookIn ? alerts.size() : members.size());
  const std::size_t named = std::min(members.size(), kNamedInEvent);
  std::partial_sort(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(named),
                    members.end(), [&](std::size_t a, std::size_t b) {
                      const auto key = [&](const WatchedMember& member) {
                        return std::tuple(catalog_.place(*catalog_.find(member.experiment)),
                                          member.metric, member.change);
                      };
                      return key(members_[a]) < key(members_[b]);
                    });
  members.resize(named);
  std::ranges::sort(alerts);
  for (const std::size_t place : members) {
    event.members.push_back(static_cast<std::uint32_t>(place));
  }
  for (const std::size_t place : alerts) event.alerts.push_back(static_cast<std::uint32_t>(place));
  if (kind == AlertEventKind::kConfirmed) event.members.clear();
  add_event(&alerts_[alert].history, std::move(event));
}

// Of one that is not sure yet it is looked for night by night.
void AlertDetector::note_onset(std::size_t place, std::size_t before, std::size_t number) {
  const WatchedAlert& alert = alerts_[place];
  if (alert.group.onset == before || !alert.confirmed || *alert.confirmed == number) return;
  AlertEvent event;
  event.kind = AlertEventKind::kOnsetMoved;
  event.night = static_cast<std::uint32_t>(number);
  event.from = static_cast<std::uint32_t>(before);
  event.to = static_cast<std::uint32_t>(alert.group.onset);
  add_event(&alerts_[place].history, std::move(event));
}

// That it was confirmed, is over, or is not over any more.
void AlertDetector::note_stage(std::size_t place, AlertStage before, std::size_t number) {
  const WatchedAlert& alert = alerts_[place];
  if (alert.confirmed == number) {
    std::vector<std::size_t> confirmed;
    std::ranges::copy_if(
        alert.group.members, std::back_inserter(confirmed),
        [&](std::size_t member) { return members_[member].confirmed.has_value(); });
    note(place, AlertEventKind::kConfirmed, number, std::move(confirmed));
  }
  if (alert.stage == before) return;
  if (alert.stage == AlertStage::kRecovered) {
    note(place, AlertEventKind::kRecovered, number);
  } else if (alert.stage == AlertStage::kWithdrawn) {
    const std::optional<std::size_t> other = alert.merged_into;
    if (other && *other != place) {
      note(place, AlertEventKind::kTakenIn, number, {}, {*other});
      note(*other, AlertEventKind::kTookIn, number, {}, {place});
    } else {
      note(place, AlertEventKind::kWithdrawn, number);
    }
  } else if (before == AlertStage::kRecovered || before == AlertStage::kWithdrawn) {
    // Out of another one, if that had taken it in.
    const auto other = alert.merged_into;
    note(place, AlertEventKind::kReopened, number, {},
         other ? std::vector{*other} : std::vector<std::size_t>());
  }
}

// What joined and left since `before`. With which series it began is said when it is confirmed.
void AlertDetector::note_members(std::size_t place, std::span<const std::size_t> before,
                                 const AlertOfMember& alert_telling, std::size_t number) {
  const WatchedAlert& alert = alerts_[place];
  if (!alert.confirmed || *alert.confirmed == number) return;
  const std::vector<std::size_t>& now = alert.group.members;
  std::vector<std::size_t> joined, left, moved, moved_to;
  for (const std::size_t one : now) {
    const auto& confirmed = members_[one].confirmed;
    if (!confirmed) continue;
    if (*confirmed == number || !std::ranges::binary_search(before, one)) joined.push_back(one);
  }
  for (const std::size_t one : before) {
    if (std::ranges::binary_search(now, one)) continue;
    const bool was_told = members_[one].confirmed && *members_[one].confirmed < number;
    const auto other = alert_telling(one);
    if (other && (was_told || alerts_[*other].first_seen == number)) {
      moved.push_back(one);
      if (std::ranges::find(moved_to, *other) == moved_to.end()) moved_to.push_back(*other);
    } else if (was_told) {
      left.push_back(one);
    }
  }
  if (!joined.empty()) note(place, AlertEventKind::kJoined, number, std::move(joined));
  if (!moved.empty()) {
    note(place, AlertEventKind::kMoved, number, std::move(moved), std::move(moved_to));
  }
  if (!left.empty()) note(place, AlertEventKind::kLeft, number, std::move(left));
}

// Of an alert of a machine or a backend: times of another metric that moved as well, or that turn
// out not to have moved. Which of a metric's series moved for sure is known better each night.
void AlertDetector::note_common(std::size_t place, std::size_t number) {
  const WatchedAlert& alert = alerts_[place];
  if (!alert.confirmed || *alert.confirmed == number) return;
  if (alert.stage == AlertStage::kWithdrawn) return;
  for (const auto& [metric, c] : alert.common) {
    const CommonChange& change = common_.changes(metric)[c];
    const bool is_withdrawn = change.stage == CommonStage::kWithdrawn;
    const bool has_joined = change.confirmed == number && !is_withdrawn;
    const bool has_left = is_withdrawn && change.confirmed && change.closed == number;
    if (!has_joined && !has_left) continue;
    std::vector<std::size_t> members;
    for (const auto& [series, member] : common_members_[place_of(metric)][c]) {
      if (members_[member].is_reported) members.push_back(member);
    }
    if (members.empty()) continue;
    std::vector<std::size_t> others;
    if (has_left && change.taken_in_by) {
      others.push_back(common_alerts_[place_of(metric)][*change.taken_in_by]);
    }
    const AlertEventKind left = others.empty() ? AlertEventKind::kLeft : AlertEventKind::kMoved;
    note(place, has_joined ? AlertEventKind::kJoined : left, number, std::move(members),
         std::move(others));
  }
}

}  // namespace benchhud::analysis
