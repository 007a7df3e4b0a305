#include "schema/alerts/alert_history.h"

#include <cstddef>

#include "schema/base/json_writer.h"
#include "schema/db/rows.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

void write_series(JsonWriter& json, const AlertEventSeries& series) {
  json.begin_array();
  json.value(to_int(series.experiment_id));
  for (const auto* text :
       {&series.suite, &series.model, &series.test, &series.configuration, &series.metric}) {
    json.value(*text);
  }
  json.end_array();
}

void write_event(JsonWriter& json, const AlertEvent& event) {
  const auto write_run = [&](const std::optional<RunId>& run) {
    run ? json.value(to_int(*run)) : json.null();
  };
  json.begin_array();
  json.value(event.kind);
  json.value(to_int(event.run));
  write_run(event.last);
  json.value(event.count);
  write_run(event.from);
  write_run(event.to);
  json.list(event.series, [&](const AlertEventSeries& series) { write_series(json, series); });
  json.list(event.alerts, [&](AlertId alert) { json.value(to_int(alert)); });
  json.end_array();
}

AlertEvent read_event(const Statement& row) {
  AlertEvent event;
  event.kind = row.text(0);
  event.run = RunId(row.integer(1));
  event.last = optional_id<RunId>(row, 2);
  event.count = row.integer(3);
  event.from = optional_id<RunId>(row, 4);
  event.to = optional_id<RunId>(row, 5);
  return event;
}

}  // namespace

std::string history_text(std::span<const AlertEvent> events) {
  std::string text;
  JsonWriter json(&text);
  json.list(events, [&](const AlertEvent& event) { write_event(json, event); });
  return text;
}

Expected<std::vector<AlertEvent>> alert_history(Connection& connection, AlertId id) {
  Statement query = connection.cached(sql::kEventsOfAlert);
  query.bind(1, id);
  BENCHHUD_ASSIGN(auto events, collect(query, read_event));
  const auto event_at = [&](std::int64_t place) -> AlertEvent& {
    return events.at(static_cast<std::size_t>(place));
  };
  Statement series = connection.cached(sql::kSeriesInEventsOfAlert);
  series.bind(1, id);
  while (series.step()) {
    event_at(series.integer(0))
        .series.push_back({ExperimentId(series.integer(1)), std::string(series.text(2)),
                           std::string(series.text(3)), std::string(series.text(4)),
                           std::string(series.text(5)), std::string(series.text(6))});
  }
  BENCHHUD_TRY(series.status());
  Statement alerts = connection.cached(sql::kAlertsInEventsOfAlert);
  alerts.bind(1, id);
  while (alerts.step()) event_at(alerts.integer(0)).alerts.push_back(AlertId(alerts.integer(1)));
  BENCHHUD_TRY(alerts.status());
  return events;
}

Expected<std::vector<std::pair<AlertId, std::string>>> history_texts(
    Connection& connection, std::string_view accelerator_model) {
  Statement query = connection.cached(sql::kHistoriesOfModel);
  query.bind(1, accelerator_model);
  return collect(query, [](const Statement& row) {
    return std::pair(AlertId(row.integer(0)), std::string(row.text(1)));
  });
}

}  // namespace benchhud::schema
