// The catalog of a store.
#pragma once

#include "analysis/catalog.h"
#include "schema/database.h"
#include "schema/errors.h"

namespace benchhud::server {

/// All experiments that `store` has, as its transaction sees them; they are read one by one.
schema::Expected<analysis::Catalog> read_catalog(schema::Connection& store);

}  // namespace benchhud::server
