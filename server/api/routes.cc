#include "server/api/routes.h"

#include "server/routes/trace_routes.h"

namespace benchhud::server {

const NamedRoute* find_route(std::string_view operation_id) {
  for (const auto routes :
       {about_routes(),       alert_routes(),       artifact_routes(),    compare_routes(),
        coverage_routes(),    error_routes(),       fact_routes(),        history_routes(),
        ingest_routes(),      metrics_routes(),     badge_routes(),       download_routes(),
        model_table_routes(), overview_routes(),    phase_routes(),       profile_routes(),
        search_routes(),      series_routes(),      trace_event_routes(), trace_export_routes(),
        trace_find_routes(),  trace_flame_routes(), trace_note_routes(),  trace_query_routes(),
        trace_routes(),       verification_routes()}) {
    for (const auto& named : routes) {
      if (named.operation_id == operation_id) return &named;
    }
  }
  return nullptr;
}

Change find_change(std::string_view operation_id) {
  for (const auto changes : {alert_changes(), mark_changes(), trace_note_changes()}) {
    for (const auto& named : changes) {
      if (named.operation_id == operation_id) return named.change;
    }
  }
  return nullptr;
}

}  // namespace benchhud::server
