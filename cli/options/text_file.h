// Files that are read as a whole.
#pragma once

#include <cstddef>
#include <string>

#include "schema/base/errors.h"

namespace benchhud::cli {

/// The text of a file, decompressed if it is gzipped. Errors: kNotFound, kIo; kTooLarge for more
/// than `most` bytes.
schema::Expected<std::string> read_text_file(const std::string& path, std::size_t most);

}  // namespace benchhud::cli
