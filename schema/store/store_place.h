// Where a store lies.
#pragma once

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Whether the file of this store is the one that commands use without `--db`.
Expected<bool> is_default_store(Connection& connection);

}  // namespace benchhud::schema
