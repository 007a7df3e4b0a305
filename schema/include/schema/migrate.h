// Brings a store to the schema that this program knows.
#pragma once

#include "schema/database.h"
#include "schema/errors.h"

namespace benchhud::schema {

/// The number of the newest migration: the schema version that this program reads and writes.
int schema_version();

/// The version a store has: how many migrations were applied. 0 for an empty file.
Expected<int> schema_version_of(Connection& connection);

/// Applies the migrations that the store lacks, all in one transaction. Error: kVersion if the
/// store is newer than the program.
Expected<void> migrate(Connection& connection);

}  // namespace benchhud::schema
