// Where a store lies.
#pragma once

#include "schema/database.h"
#include "schema/errors.h"

namespace benchhud::schema {

/// Whether the file of this store is the one that commands use without `--db`.
Expected<bool> is_default_store(Connection& connection);

}  // namespace benchhud::schema
