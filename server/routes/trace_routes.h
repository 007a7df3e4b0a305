// The routes about stored traces, by what is asked of them.
#pragma once

#include <span>

#include "server/api/routes.h"

namespace benchhud::server {

std::span<const NamedRoute> trace_event_routes();
std::span<const NamedRoute> trace_export_routes();
std::span<const NamedRoute> trace_find_routes();
std::span<const NamedRoute> trace_flame_routes();
std::span<const NamedRoute> trace_note_routes();
std::span<const NamedRoute> trace_query_routes();
std::span<const NamedChange> trace_note_changes();

}  // namespace benchhud::server
