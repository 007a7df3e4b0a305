// The catalog of a store.
#pragma once

#include "analysis/results/catalog.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::service {

/// All experiments that `store` has, as its transaction sees them; they are read one by one.
schema::Expected<analysis::Catalog> read_catalog(schema::Connection& store);

}  // namespace benchhud::service
