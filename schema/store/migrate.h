// Brings a store to the schema that this program knows.
#pragma once

#include <functional>
#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// The number of the newest migration: the schema version that this program reads and writes.
int schema_version();

/// The version a store has: how many migrations were applied. 0 for an empty file. Error:
/// kConflict, the file is another program's database.
Expected<int> schema_version_of(Connection& connection);

/// Keeps a store of that version as it is, and returns the name of the copy.
using KeepOlderStore = std::function<Expected<std::string>(int version)>;

/// Applies the migrations that the store lacks, all in one transaction. `keep` is called before
/// anything is changed in a store that is not empty, when nobody else can write to it any more; its
/// error leaves the store as it is. The audit gets a line. Errors: kVersion if the store is newer
/// than the program; those of `keep`.
Expected<void> migrate(Connection& connection, const KeepOlderStore& keep = {});

}  // namespace benchhud::schema
