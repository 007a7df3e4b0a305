// The folder that a store stands in.
#pragma once

#include <string>

#include "schema/base/errors.h"

namespace benchhud::schema {

/// Error: kInvalidArgument for an empty path, which SQLite takes for a database that is gone at the
/// end, and for a folder.
Expected<void> check_store_path(const std::string& path);

/// Makes the folders above `path` that are not there. Error: kIo.
Expected<void> make_folder_of(const std::string& path);

}  // namespace benchhud::schema
