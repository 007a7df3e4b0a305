// Files that lay in the folders of ingests and were neither results nor dumps.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Their absolute paths, in order. Of a store to which none were noted: none.
Expected<std::vector<std::string>> unrecognized_files(Connection& connection);

/// The absolute path of the store's own file; "" of one in memory.
Expected<std::string> store_file(Connection& connection);

/// Notes that `paths` are all that nothing recognises in `places`, which are folders and files; of
/// other places everything stays as it was noted. At most `most` are kept. All paths are absolute.
/// Returns whether this changes anything. The caller holds the write transaction.
Expected<bool> note_unrecognized_files(Connection& connection,
                                       const std::vector<std::string>& places,
                                       std::vector<std::string> paths, std::size_t most);

}  // namespace benchhud::schema
