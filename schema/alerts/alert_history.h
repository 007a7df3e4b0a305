// What happened to an alert from night to night, as analysis found it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// A series that is named in an event; it may be gone.
struct AlertEventSeries {
  ExperimentId experiment_id{};
  std::string suite, model, test;
  std::string configuration;  ///< as AlertMember::configuration
  std::string metric;         ///< in the words of who found it

  bool operator==(const AlertEventSeries&) const = default;
};

struct AlertEvent {
  std::string kind;                      ///< in the words of who found it
  RunId run{};                           ///< with which it happened
  std::optional<RunId> last;             ///< where it happened with several runs: the last of them
  std::int64_t count = 0;                ///< series or alerts that have part in it
  std::optional<RunId> from, to;         ///< of an onset that moved
  std::vector<AlertEventSeries> series;  ///< a few
  std::vector<AlertId> alerts;           ///< other alerts that have part in it, or a few of them

  bool operator==(const AlertEvent&) const = default;
};

/// The text that the store keeps: a JSON list of [kind, run, last or null, count, from or null, to
/// or null, [[experiment, suite, model, test, configuration, metric], …], [alert, …]].
std::string history_text(std::span<const AlertEvent> events);

/// Oldest first. Nothing for an alert that is not there or was stored by an older program.
Expected<std::vector<AlertEvent>> alert_history(Connection& connection, AlertId id);

/// For who finds alerts: the texts of all on an accelerator model that have one, by number.
Expected<std::vector<std::pair<AlertId, std::string>>> history_texts(
    Connection& connection, std::string_view accelerator_model);
}  // namespace benchhud::schema
