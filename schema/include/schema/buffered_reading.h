// Reading what is larger than memory.
#pragma once

#include "schema/database.h"
#include "schema/errors.h"

namespace benchhud::schema {

/// From now on the connection keeps 2 MB of what it reads in place of 16: what is asked of a trace
/// is seldom asked twice.
Expected<void> read_with_small_buffer(Connection& connection);

}  // namespace benchhud::schema
