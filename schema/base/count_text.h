// Counts with what they count.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace benchhud::schema {

/// "1 kernel", "2 kernels": a noun whose plural ends with s.
std::string count_text(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "12.3 MB", of 1,000,000 bytes each.
template <class Number>
  requires std::is_arithmetic_v<Number>
std::string megabytes_text(Number bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace benchhud::schema
