// What is done to a fleet, and what a right alert says of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/alerts/alert_groups.h"
#include "mornings/fleet_levels.h"

namespace benchhud::eval {

struct Event {
  analysis::AlertScope scope{};
  std::optional<std::size_t> model = {};    ///< of a kModel event
  std::optional<std::size_t> backend = {};  ///< a right alert of a model need not name it
  std::size_t first = kFirstEvent;          ///< night
  std::optional<std::size_t> last = {};     ///< night; none: for good
  bool is_either_way = false;               ///< faster is as right as slower
};

struct Scenario {
  std::string_view name, what;
  /// Within so many nights after the first one an alert is in time: 0 is the morning after it.
  std::size_t in_time = 2;
  std::optional<Event> event;
  std::optional<Event> second;  ///< true as well
  /// What is added to the level of an experiment on a night: natural logarithms; infinity where it
  /// fails.
  std::function<double(std::size_t night, std::size_t experiment)> added;
};

/// All scenarios on the fleet of a seed; the first one does nothing.
std::vector<Scenario> scenarios(const FleetShape& shape, std::uint64_t seed);

/// The fleet's nights with what the scenario adds to them.
Levels with_scenario(Levels levels, const Scenario& scenario);

/// By how many standard deviations of its quietest series a model of the scenario moves beside the
/// other models of the same backend; none where the event is of another scope. `levels`: without
/// what happens, on one machine.
std::optional<double> size_in_deviations(const FleetShape& shape, const Levels& levels,
                                         const Scenario& scenario);

}  // namespace benchhud::eval
