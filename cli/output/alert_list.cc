#include "cli/output/alert_list.h"

#include <utility>

#include "schema/alerts/alert_list.h"
#include "schema/base/time.h"
#include "service/alerts/alert_causes.h"
#include "service/answers/read_catalog.h"
#include "views/alert_json.h"

namespace benchhud::cli {

using schema::Expected;

AlertList::AlertList(schema::Connection& store, analysis::Catalog catalog)
    : store_(&store),
      catalog_(std::make_unique<const analysis::Catalog>(std::move(catalog))),
      reader_(std::make_unique<schema::Reader>(store)),
      runs_(std::make_unique<schema::AlertRuns>(*reader_)) {}

Expected<AlertList> AlertList::open(schema::Connection& store) {
  BENCHHUD_ASSIGN(auto catalog, service::read_catalog(store));
  return AlertList(store, std::move(catalog));
}

Expected<std::vector<schema::Alert>> AlertList::all() {
  schema::AlertFilter filter;
  filter.now = schema::now();
  return schema::alerts(*store_, filter);
}

Expected<schema::Alert> AlertList::find(schema::AlertId id) {
  return schema::alert(*store_, id, schema::now());
}

Expected<ListedAlert> AlertList::listed(schema::Alert alert, schema::AlertDetails details) {
  ListedAlert listed;
  BENCHHUD_ASSIGN(listed.explanation, service::explain_alert(*reader_, *catalog_, alert, details));
  for (const auto& [id, name] :
       {std::pair(alert.onset_run, &listed.onset), std::pair(alert.last_good, &listed.last_good),
        std::pair(alert.first_bad, &listed.first_bad)}) {
    BENCHHUD_ASSIGN(const schema::Run* run, runs_->find(id));
    if (run != nullptr) *name = run->name;
  }
  listed.alert = std::move(alert);
  listed.details = std::move(details);
  return listed;
}

Expected<void> AlertList::write(schema::JsonWriter& json, const ListedAlert& listed) {
  json.begin_object();
  BENCHHUD_TRY(views::write_alert_fields(json, listed.alert, listed.details, *runs_));
  views::write_explanation_fields(json, listed.explanation);
  json.end_object();
  return {};
}

Expected<std::vector<ListedAlert>> AlertList::needing_attention() {
  BENCHHUD_ASSIGN(auto alerts, all());
  std::vector<ListedAlert> needing;
  for (schema::Alert& alert : alerts) {
    if (!needs_attention(alert)) continue;
    BENCHHUD_ASSIGN(auto details, schema::alert_details(*store_, alert.id));
    BENCHHUD_ASSIGN(ListedAlert one, listed(std::move(alert), std::move(details)));
    needing.push_back(std::move(one));
  }
  return needing;
}

}  // namespace benchhud::cli
