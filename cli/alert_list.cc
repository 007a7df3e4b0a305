#include "alert_list.h"

#include <utility>

#include "schema/reader.h"
#include "server/alert_causes.h"
#include "server/alert_json.h"

namespace benchhud::cli {

using schema::Expected;

AlertList::AlertList(schema::Connection& store, std::vector<schema::StoredExperiment> experiments)
    : store_(&store), catalog_(std::make_unique<const analysis::Catalog>(std::move(experiments))) {}

Expected<AlertList> AlertList::open(schema::Connection& store) {
  BENCHHUD_ASSIGN(auto experiments,
                  schema::Reader(store).experiments_after(schema::ExperimentId{0}));
  return AlertList(store, std::move(experiments));
}

Expected<std::vector<schema::Alert>> AlertList::all() { return schema::alerts(*store_); }

Expected<schema::Alert> AlertList::find(schema::AlertId id) { return schema::alert(*store_, id); }

Expected<Json> AlertList::json(const schema::Alert& alert) {
  std::string text;
  server::JsonWriter writer(&text);
  server::write_alert(writer, alert);
  Json json = Json::parse(text);
  schema::Reader reader(*store_);
  BENCHHUD_ASSIGN(const auto causes, server::alert_causes(reader, *catalog_, alert));
  std::string cause_text;
  server::JsonWriter cause_writer(&cause_text);
  server::write_causes(cause_writer, causes);
  json["causes"] = Json::parse(cause_text);
  json["reproduction"] = server::alert_reproduction(*catalog_, alert);
  return json;
}

Expected<std::vector<ListedAlert>> AlertList::needing_attention() {
  BENCHHUD_ASSIGN(const auto alerts, all());
  std::vector<ListedAlert> listed;
  for (const schema::Alert& alert : alerts) {
    if (!server::needs_attention(alert)) continue;
    BENCHHUD_ASSIGN(Json made, json(alert));
    listed.push_back({std::move(made), false});
  }
  return listed;
}

}  // namespace benchhud::cli
