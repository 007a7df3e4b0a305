// Strings as JSON and Python print them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// Takes the string that `*text` begins with, in double or single quotes, off it: \n, \t, \uXXXX
/// (pairs of surrogates too), \xXX and their like are resolved, half a pair is U+FFFD, any other
/// escaped character is itself. Nothing, and `*text` as it was, where the string does not end.
std::optional<std::string> take_quoted(std::string_view* text);

}  // namespace benchhud::ingest
