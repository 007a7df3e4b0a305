#include "server/routes/series_scope.h"

#include "server/routes/route_parts.h"

namespace benchhud::server {

using analysis::CatalogEntry;

schema::Expected<SeriesScope> asked_series(RequestContext& context) {
  const Query& query = context.query;
  const auto is_of_model = [&](const CatalogEntry& entry, std::string_view accelerator_model) {
    const auto& e = entry.experiment();
    return e.suite == query.text("suite") && e.model == query.text("model") &&
           e.test == query.text("test") && e.accelerator_model == accelerator_model;
  };
  SeriesScope scope;
  for (const auto& [accelerator_model, places] : context.snapshot().accelerators) {
    if (query.has("accelerator_model") && accelerator_model != query.text("accelerator_model")) {
      continue;
    }
    for (const auto& entry : context.catalog().entries()) {
      if (is_of_model(entry, accelerator_model)) scope.entries.push_back(&entry);
    }
    if (scope.entries.empty()) continue;
    scope.runs = asked_runs(context, places);
    for (std::size_t i = 0; i < scope.runs.size(); ++i) {
      scope.places.emplace(scope.runs[i]->run.id, i);
    }
    return scope;
  }
  context.wrong_parameter = "model";
  return schema::Error{schema::ErrorCode::kNotFound, "There is no such model with that test."};
}

void begin_point_row(schema::JsonWriter& json, const service::RunEntry* run,
                     const analysis::CatalogEntry& entry) {
  json.begin_object();
  json.key("run");
  views::write_run_ref(json, run);
  json.key("experiment");
  views::write_experiment(json, entry);
}

}  // namespace benchhud::server
