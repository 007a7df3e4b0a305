#include "service/alerts/series_changes.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "schema/alerts/alert.h"
#include "server/views/alert_json.h"

namespace benchhud::server {
namespace {

using schema::Expected;
using simdjson::dom::element;

/// A change, and when its first run began.
using Dated = std::pair<std::string, std::string>;

std::string_view text_at(const element& object, std::string_view name) {
  std::string_view text;
  if (object[name].get(text) != simdjson::SUCCESS) return {};
  return text;
}

/// Writes the member `from` of an object under the name `to`, as it stands there.
void copy(JsonWriter& json, const element& object, std::string_view from, std::string_view to) {
  element value;
  json.key(to);
  if (object[from].get(value) == simdjson::SUCCESS) {
    json.raw(simdjson::minify(value));
  } else {
    json.null();
  }
}

std::string change_json(const schema::Alert& alert, const element& member) {
  std::string out;
  JsonWriter json(&out);
  json.begin_object();
  json.field("alert", to_int(alert.id));
  json.field("state", alert_state(alert));
  copy(json, member, "onset", "run");
  for (const char* name :
       {"earliest", "latest", "before", "after", "direction", "effect", "interval"}) {
    copy(json, member, name, name);
  }
  json.end_object();
  return out;
}

/// Whether it is a change of that metric that has all that a chart draws.
bool is_drawn(const element& member, std::string_view metric) {
  for (const char* name : {"before", "after", "effect"}) {
    double number = 0;
    if (member[name].get(number) != simdjson::SUCCESS) return false;
  }
  for (const char* name : {"onset", "earliest", "latest"}) {
    simdjson::dom::object run;
    if (member[name].get(run) != simdjson::SUCCESS) return false;
  }
  return text_at(member, "metric") == metric && text_at(member, "state") != "withdrawn";
}

}  // namespace

Expected<SeriesChanges> series_changes(schema::Connection& store,
                                       std::string_view accelerator_model,
                                       std::string_view metric) {
  BENCHHUD_ASSIGN(const auto alerts, schema::alerts(store, accelerator_model));
  std::unordered_map<schema::ExperimentId, std::vector<Dated>> dated;
  simdjson::dom::parser parser;
  for (const schema::Alert& alert : alerts) {
    if (alert.detected == schema::DetectedState::kWithdrawn) continue;
    simdjson::dom::array members;
    if (parser.parse(alert.details)["members"].get(members) != simdjson::SUCCESS) continue;
    for (const element member : members) {
      std::int64_t experiment = 0;
      if (!is_drawn(member, metric) ||
          member["experiment"]["id"].get(experiment) != simdjson::SUCCESS) {
        continue;
      }
      dated[schema::ExperimentId{experiment}].emplace_back(
          text_at(member["onset"].value(), "started_at"), change_json(alert, member));
    }
  }
  SeriesChanges changes;
  for (auto& [experiment, found] : dated) {
    std::stable_sort(found.begin(), found.end(),
                     [](const Dated& a, const Dated& b) { return a.first < b.first; });
    for (auto& [at, json] : found) changes[experiment].push_back(std::move(json));
  }
  return changes;
}

}  // namespace benchhud::server
