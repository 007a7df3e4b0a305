// A store on disk: opening, creating, migrating.
#pragma once

#include <chrono>
#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Opens the store at `path` for writing. Creates it, and the folders above it, if it is not there;
/// migrates it forwards if an older version of the program wrote it. Before that it is copied
/// beside itself (copy_before_migration()); where it cannot be copied it stays as it is. One
/// without checksums of its pages is written anew with them, if there is room for that.
/// Errors: kVersion (a newer program wrote it), kCorrupt, kIo, kFull, kBusy, kReadOnly.
Expected<Connection> open_store(const std::string& path);

/// Opens an existing store for reading. Errors: kNotFound, kVersion (written by a newer program, or
/// by an older one and not yet migrated), kCorrupt.
Expected<Connection> open_store_for_reading(const std::string& path);

/// Opens an existing store for changes while others use it: unlike open_store() it neither makes
/// nor migrates it, nor rewrites it. `patience`: how long each change waits for other writers.
/// Errors: those of open_store_for_reading(); kReadOnly.
Expected<Connection> open_store_for_writing(const std::string& path,
                                            std::chrono::milliseconds patience);

/// Whether the store is still of the version that this program reads: another program may migrate
/// it while this one has it open. Error: kVersion.
Expected<void> check_schema_version(Connection& connection);

/// Where a person's store is unless told otherwise: $BENCHHUD_DB, else
/// $XDG_DATA_HOME/benchhud/benchhud.db, else ~/.local/share/benchhud/benchhud.db.
std::string default_store_path();

}  // namespace benchhud::schema
