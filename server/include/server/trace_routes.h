// The routes about stored traces, by what is asked of them.
#pragma once

#include <span>

#include "server/routes.h"

namespace benchhud::server {

std::span<const NamedRoute> trace_find_routes();

}  // namespace benchhud::server
