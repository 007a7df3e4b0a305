#include "cli/output/alert_list.h"

#include <utility>

#include "schema/results/reader.h"
#include "server/codec/json_text.h"
#include "server/views/alert_json.h"
#include "service/alerts/alert_causes.h"
#include "service/answers/read_catalog.h"

namespace benchhud::cli {

using schema::Expected;

AlertList::AlertList(schema::Connection& store, analysis::Catalog catalog)
    : store_(&store), catalog_(std::make_unique<const analysis::Catalog>(std::move(catalog))) {}

Expected<AlertList> AlertList::open(schema::Connection& store) {
  BENCHHUD_ASSIGN(auto catalog, server::read_catalog(store));
  return AlertList(store, std::move(catalog));
}

Expected<std::vector<schema::Alert>> AlertList::all() { return schema::alerts(*store_); }

Expected<schema::Alert> AlertList::find(schema::AlertId id) { return schema::alert(*store_, id); }

Expected<Json> AlertList::json(const schema::Alert& alert) {
  schema::Reader reader(*store_);
  std::string text;
  server::JsonWriter writer(&text);
  writer.begin_object();
  BENCHHUD_TRY(server::write_explained_alert(writer, reader, *catalog_, alert));
  writer.end_object();
  return server::parse_json<Json>("an alert", text);
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
