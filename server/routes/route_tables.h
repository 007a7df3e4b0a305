// The routes by their files, and all of them together, which the application is given.
#pragma once

#include <span>

#include "server/api/routes.h"

namespace benchhud::server {

/// A route for every operation of the contract that reads, a change for every other, but for those
/// of sessions and files, which are the application's own.
const Routes& all_routes();

std::span<const NamedRoute> about_routes();
std::span<const NamedRoute> alert_routes();
std::span<const NamedRoute> artifact_routes();
std::span<const NamedRoute> badge_routes();
std::span<const NamedRoute> compare_routes();
std::span<const NamedRoute> coverage_routes();
std::span<const NamedRoute> download_routes();
std::span<const NamedRoute> dropped_trace_routes();
std::span<const NamedRoute> error_routes();
std::span<const NamedRoute> fact_routes();
std::span<const NamedRoute> history_routes();
std::span<const NamedRoute> hlo_routes();
std::span<const NamedRoute> ingest_routes();
std::span<const NamedRoute> iteration_routes();
std::span<const NamedRoute> mark_routes();
std::span<const NamedRoute> metrics_routes();
std::span<const NamedRoute> model_table_routes();
std::span<const NamedRoute> overview_routes();
std::span<const NamedRoute> phase_routes();
std::span<const NamedRoute> compilation_routes();
std::span<const NamedRoute> profile_routes();
std::span<const NamedRoute> search_routes();
std::span<const NamedRoute> series_routes();
std::span<const NamedRoute> trace_event_routes();
std::span<const NamedRoute> trace_export_routes();
std::span<const NamedRoute> trace_find_routes();
std::span<const NamedRoute> trace_flame_routes();
std::span<const NamedRoute> trace_iteration_routes();
std::span<const NamedRoute> trace_note_routes();
std::span<const NamedRoute> trace_query_routes();
std::span<const NamedRoute> trace_routes();
std::span<const NamedRoute> trace_xla_routes();
std::span<const NamedRoute> verification_routes();

std::span<const NamedChange> alert_changes();
std::span<const NamedChange> dropped_trace_changes();
std::span<const NamedChange> mark_changes();
std::span<const NamedChange> trace_note_changes();

}  // namespace benchhud::server
