// How much the store takes of what people write, in bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "schema/base/errors.h"

namespace benchhud::schema {

inline constexpr std::size_t kMostNoteBytes = 64 << 10;
/// Of what is one line: a name, an address, a reason.
inline constexpr std::size_t kMostLineBytes = 1 << 10;

/// Error: kTooLarge if `text`, which the message calls `what`, has more than `most` bytes.
inline Expected<void> check_length(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() <= most) return {};
  return Error{ErrorCode::kTooLarge, std::string(what) + " has " + std::to_string(text.size()) +
                                         " bytes; " + std::to_string(most) + " are the most"};
}

}  // namespace benchhud::schema
