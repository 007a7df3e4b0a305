// Files that programs read while they are written again.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "schema/base/errors.h"

namespace benchhud::cli {

/// Error kIo: `path` cannot be written.
schema::Error cannot_write(const std::string& path);

/// Replaces a file by what `write` writes: whoever reads it sees all of the old one or all of the
/// new one, and the old one stays where something fails. Errors: kIo, those of `write`.
schema::Expected<void> replace_file(const std::string& path,
                                    const std::function<schema::Expected<void>(std::FILE*)>& write);

}  // namespace benchhud::cli
