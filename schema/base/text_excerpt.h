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

/// Of a name that a foreign file gives, what a sentence can hold: control characters, among them
/// line breaks, are spaces, and it is cut as beginning_of() does.
inline std::string name_in_sentence(std::string_view name, std::size_t most = 200) {
  std::string text = beginning_of(name, most);
  for (char& one : text) {
    const auto byte = static_cast<unsigned char>(one);
    if (byte < 0x20U || byte == 0x7FU) one = ' ';
  }
  return text;
}

}  // namespace benchhud::schema
