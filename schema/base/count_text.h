// Counts with their noun.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace benchhud::schema {

/// "1 kernel", "2 kernels": a noun whose plural ends with s.
std::string count_text(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace benchhud::schema
