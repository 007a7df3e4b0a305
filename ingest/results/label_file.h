// Labels in a file: what the nightly job writes beside its results, such as the commit of tonight.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "schema/base/errors.h"

namespace benchhud::ingest {

/// Reads `KEY=VALUE` lines as an environment file has them: blanks around key and value do not
/// count, nor do lines that are empty or begin with `#`, nor quotes around a value; of a key that
/// comes twice the last one counts. Error: kInvalidArgument, naming the line, for one that is
/// something else or holds control characters.
schema::Expected<std::map<std::string, std::string>> read_labels(std::string_view text);

/// The most that a file of labels may hold, in bytes.
inline constexpr std::size_t kMostLabelBytes = std::size_t{64} << 10;

}  // namespace benchhud::ingest
