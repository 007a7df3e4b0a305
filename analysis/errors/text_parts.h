// What the readers of error texts have in common.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace benchhud::analysis {

// The C locale's classes, whatever the locale is.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

inline bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [text](std::string_view start) { return text.starts_with(start); });
}

}  // namespace benchhud::analysis
