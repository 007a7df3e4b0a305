// What a reader gets from the mornings of a scenario, against what was done to its nights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "mornings/scenarios.h"
#include "mornings/watching.h"

namespace benchhud::eval {

/// Nights are counted from the first one of the event: 0 is the morning after it.
struct Verdict {
  std::optional<std::size_t> seen;  ///< nights until a right alert is open
  /// Nights until an alert is right and confirmed on two mornings in a row that was not confirmed
  /// before the event, about something else.
  std::optional<std::size_t> confirmed;
  bool is_in_time = false;
  std::set<std::size_t> ids;  ///< of the alerts that were right at some time
  /// Confirmed alerts that are right about nothing, one for each subject that an alert had. What is
  /// open without the event as well, up to ten nights earlier or later, is not wrong.
  std::set<std::pair<std::size_t, std::string>> wrong;
  std::size_t subject_changes = 0;  ///< how often an open alert began to speak of something else
  /// Whether all right alerts are recovered at the end; none if the event stays, or was not seen.
  std::optional<bool> is_closed;
};

/// `background`: the mornings of the same nights without the event.
Verdict judge(const FleetShape& shape, const Scenario& scenario, const Mornings& mornings,
              const Mornings& background);

/// Whether an alert says what happened.
bool is_right(const FleetShape& shape, const Event& event, const SeenAlert& alert);

/// How many alerts were confirmed at some time.
std::size_t confirmed_ever(const Mornings& mornings);

}  // namespace benchhud::eval
