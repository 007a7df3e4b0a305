// The mornings after the nights of a fleet, as the watch of alerts has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/alerts/alert_detector.h"
#include "mornings/fleet_levels.h"

namespace benchhud::eval {

/// What a reader sees of an alert.
struct SeenAlert {
  std::size_t id = 0;
  analysis::AlertStage stage{};
  analysis::AlertScope scope{};
  std::string subject;  ///< the model, the backend or "the machine"
  bool is_worse = false;

  bool is_open() const {
    return stage == analysis::AlertStage::kSuspect || stage == analysis::AlertStage::kConfirmed;
  }
  bool is_confirmed() const { return stage == analysis::AlertStage::kConfirmed; }
};

/// All alerts, closed ones too, by morning.
using Mornings = std::vector<std::vector<SeenAlert>>;

std::string model_name(std::size_t model);

/// What is told on the morning after each night. Each result has 11 repetitions, which scatter by
/// 0.6 %: `seed` decides how. `is_second`: by night, whether it says that it was on the second
/// machine; empty: no night says anything.
Mornings watch_nights(const FleetShape& shape, const Levels& levels, std::uint64_t seed,
                      const std::vector<bool>& is_second = {});

}  // namespace benchhud::eval
