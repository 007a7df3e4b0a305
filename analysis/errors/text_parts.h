// What the readers of error texts have in common.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "schema/base/ascii.h"

namespace benchhud::analysis {

using schema::is_digit;
using schema::is_letter;

inline bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [text](std::string_view start) { return text.starts_with(start); });
}

}  // namespace benchhud::analysis
