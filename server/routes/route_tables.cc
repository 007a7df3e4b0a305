#include "server/routes/route_tables.h"

namespace benchhud::server {

const Routes& all_routes() {
  static const Routes routes(
      {about_routes(),           alert_routes(),       artifact_routes(),
       compare_routes(),         compilation_routes(), coverage_routes(),
       dropped_trace_routes(),   error_routes(),       fact_routes(),
       history_routes(),         hlo_routes(),         ingest_routes(),
       iteration_routes(),       mark_routes(),        metrics_routes(),
       badge_routes(),           download_routes(),    model_table_routes(),
       overview_routes(),        phase_routes(),       profile_routes(),
       search_routes(),          series_routes(),      trace_event_routes(),
       trace_export_routes(),    trace_find_routes(),  trace_flame_routes(),
       trace_iteration_routes(), trace_note_routes(),  trace_query_routes(),
       trace_routes(),           trace_xla_routes(),   verification_routes()},
      {alert_changes(), dropped_trace_changes(), mark_changes(), trace_note_changes()});
  return routes;
}

}  // namespace benchhud::server
