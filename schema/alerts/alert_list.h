// Alerts by what is asked of them, and page by page.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// Which alerts are wanted; of each empty list, any.
struct AlertFilter {
  std::vector<AlertId> ids;
  std::vector<std::string> states;  ///< Alert::state, or "orphaned"
  std::vector<std::string> accelerator_models;
  std::vector<std::string> directions;  ///< change_direction_name()
  std::vector<std::string> owners;
  SeriesFilter series;  ///< selects alerts with a series that fits it
  /// Of its onset, seconds since 1970: from, and before.
  double since = -std::numeric_limits<double>::infinity();
  double until = std::numeric_limits<double>::infinity();
  double now = kWithoutMutes;  ///< for mutes that end with a day
};

/// The states of alerts that need attention, as needs_attention() says.
std::span<const std::string_view> attention_states();
/// The states of all that is not withdrawn, with or without recovered ones.
std::vector<std::string> reported_states(bool with_recovered);

/// By number.
Expected<std::vector<Alert>> alerts(Connection& connection, const AlertFilter& filter);

/// Whether `a` comes before `b` where the most urgent come first: by urgency, weight, onset and
/// number.
bool is_more_urgent(const Alert& a, const Alert& b);

/// The place of an alert in a list.
struct AlertPlace {
  Urgency urgency{};
  double weight = 0;
  double onset = 0;
  AlertId id{};
};

struct AlertPage {
  std::vector<Alert> alerts;
  bool has_more = false;
  /// How many there are on all pages, by urgency.
  std::array<std::int64_t, kUrgencies> counts{};
};

/// What began last first, and before that the more urgent, then the heavier where
/// `is_urgent_first`. Those behind `after`, at most `limit`.
Expected<AlertPage> alert_page(Connection& connection, const AlertFilter& filter,
                               bool is_urgent_first, const std::optional<AlertPlace>& after,
                               std::size_t limit);

/// Numbers of the alerts that have a series of any of the experiments.
Expected<std::vector<AlertId>> alerts_of_experiments(Connection& connection,
                                                     std::span<const ExperimentId> experiments);

/// How many alerts are neither recovered nor withdrawn.
struct AlertCount {
  DetectedState detected{};
  TriageState triage{};
  std::int64_t count = 0;
  bool is_muted = false;  ///< at `now`, and not decided
};
Expected<std::vector<AlertCount>> alert_counts(Connection& connection, double now);
/// How many are for the worse, open, not taken up and not muted at `now`, on one accelerator model
/// or ("") on all.
Expected<std::int64_t> open_alert_count(Connection& connection, std::string_view accelerator_model,
                                        double now);

/// A change of a timed series' level that an alert holds.
struct LevelChange {
  AlertId alert{};
  std::string state;  ///< of the alert
  std::optional<RunId> onset, earliest, latest;
  double before = 0, after = 0, effect = 0;
  std::optional<double> low, high, confidence;  ///< of `effect`
  ChangeDirection direction{};
};
/// By experiment, oldest first.
using LevelChanges = std::unordered_map<ExperimentId, std::vector<LevelChange>>;
/// The changes of a metric of some experiments. Without those that are withdrawn and those without
/// levels.
Expected<LevelChanges> level_changes(Connection& connection,
                                     std::span<const ExperimentId> experiments,
                                     std::string_view metric);

}  // namespace benchhud::schema
