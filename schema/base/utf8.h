// Texts from outside are not always UTF-8; answers always are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benchhud::schema {

/// The length of the valid UTF-8 character that `bytes` (not empty) begins with, or 0; then `*bad`
/// is how many bytes the longest beginning of a valid character has there (at least 1): what one
/// U+FFFD stands for, as Unicode recommends.
std::size_t utf8_character(std::string_view bytes, std::size_t* bad);

/// The bytes from `offset` on, `length` of them at most, both ends moved back to where a character,
/// or what one U+FFFD stands for, begins: pieces that follow each other make up the whole.
std::string_view whole_characters(std::string_view bytes, std::size_t offset, std::size_t length);

/// The same text with U+FFFD for what is not UTF-8.
std::string to_valid_utf8(std::string_view bytes);

}  // namespace benchhud::schema
