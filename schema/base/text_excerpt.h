// Long texts, cut where they are only to be recognised.
#pragma once

#include <string>
#include <string_view>

namespace benchhud::schema {

/// The text, or its first `most` bytes and "…" behind them: a character of UTF-8 that would be cut
/// in its middle is left out.
inline std::string beginning_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  constexpr std::size_t kLongestTail = 3;
  std::size_t end = most;
  while (end > 0 && most - end < kLongestTail &&
         (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return std::string(text.substr(0, end)).append("…");
}

}  // namespace benchhud::schema
