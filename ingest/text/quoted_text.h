// Strings as JSON and Python print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// Appends a code point; of half a pair of surrogates U+FFFD.
void append_utf8(std::uint32_t code, std::string* out);

/// Takes the string that `*text` begins with, in double or single quotes, off it: \n, \t, \uXXXX
/// (pairs of surrogates too), \xXX and their like are resolved, half a pair is U+FFFD, any other
/// escaped character is itself. Nothing, and `*text` as it was, where the string does not end.
std::optional<std::string> take_quoted(std::string_view* text);

}  // namespace benchhud::ingest
