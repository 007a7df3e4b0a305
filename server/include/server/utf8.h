// Texts from outside are not always UTF-8; answers always are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benchhud::server {

/// The length of the valid UTF-8 character that `bytes` (not empty) begins with, or 0; then `*bad`
/// is how many bytes the longest beginning of a valid character has there (at least 1): what one
/// U+FFFD stands for, as Unicode recommends.
std::size_t utf8_character(std::string_view bytes, std::size_t* bad);

/// The same text with U+FFFD for what is not UTF-8.
std::string to_valid_utf8(std::string_view bytes);

}  // namespace benchhud::server
