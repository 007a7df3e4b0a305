// Reading what is larger than memory.
#pragma once

#include "schema/database.h"
#include "schema/errors.h"

namespace benchhud::schema {

/// From now on the connection copies what it reads into a buffer of 2 MB, instead of looking at the
/// system's cache through a memory map: there, each page that was ever read counts as the process's
/// own until the system wants it back.
Expected<void> read_without_mapping(Connection& connection);

}  // namespace benchhud::schema
