// What happened to an alert from night to night.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace benchhud::analysis {

enum class AlertEventKind : std::uint8_t {
  kFirstSeen,
  kConfirmed,   ///< with so many series
  kJoined,      ///< series that became part of it after it was confirmed
  kLeft,        ///< series that are not seen as changed any more
  kMoved,       ///< series that another alert tells of since
  kOnsetMoved,  ///< the night that it most probably began with is another one
  kRecovered,
  kReopened,  ///< it had recovered, was withdrawn, or another alert had taken it in
  kWithdrawn,
  kTookIn,   ///< what other alerts told of
  kTakenIn,  ///< withdrawn: another alert tells of its changes since
  kSplit,    ///< made of series that another alert told of, which goes on without them
};
/// "first_seen", "confirmed", "joined", "left", "moved", "onset_moved", "recovered", "reopened",
/// "withdrawn", "took_in", "taken_in", "split".
std::string_view alert_event_name(AlertEventKind kind);

/// Nights, alerts and members are numbered as the detector has them.
struct AlertEvent {
  AlertEventKind kind{};
  std::uint32_t night = 0;
  std::uint32_t last = 0;   ///< where the same happened on several nights: the last of them
  std::uint32_t count = 0;  ///< kTookIn: alerts; kConfirmed, kJoined, kLeft, kMoved, kSplit: series
  std::uint32_t from = 0, to = 0;      ///< kOnsetMoved: nights
  std::vector<std::uint32_t> members;  ///< of the series that joined, left or moved a few
  std::vector<std::uint32_t> alerts;   ///< the others that have part in it, or a few of them

  bool operator==(const AlertEvent&) const = default;
};

/// So many series and alerts are named in an event; `count` has all.
inline constexpr std::size_t kNamedInEvent = 3;
/// From so many events of an alert on, what happens again is added to the last event of its kind.
inline constexpr std::size_t kMostAlertEvents = 32;

/// Adds what happened on a night, the nights ascending. Within three nights (kSameCause) what
/// joins, leaves, moves or is taken in is one event, as is an onset that moves again; an onset that
/// moved back never moved. Of members and alerts the first of an event stay.
void add_event(std::vector<AlertEvent>* history, AlertEvent event);

}  // namespace benchhud::analysis
