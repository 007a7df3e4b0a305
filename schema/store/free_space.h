// The pages of a store's file that hold nothing.
#pragma once

#include <cstdint>
#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Bytes of the file that are free for what is stored next.
Expected<std::int64_t> free_bytes(Connection& connection);

/// Rewrites the store's file without its free parts, so that the disk has them. Readers go on;
/// what others write waits. Takes as much room beside the store as it has content, and as much in
/// the folder for temporary files. Errors: kFull, kBusy.
Expected<void> give_back_space(Connection& connection, const std::string& path);

}  // namespace benchhud::schema
