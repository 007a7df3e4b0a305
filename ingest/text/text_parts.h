// What the readers of texts have in common.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

#include "schema/base/ascii.h"

namespace benchhud::ingest {

/// What some editors put before a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

using schema::is_digit;
using schema::trim;

/// The first line of a text, with its end, taken off it.
inline std::string_view cut_line(std::string_view* text) {
  const std::size_t newline = text->find('\n');
  const std::string_view line =
      text->substr(0, newline == std::string_view::npos ? newline : newline + 1);
  text->remove_prefix(line.size());
  return line;
}

/// The same without its line feed.
inline std::string_view next_line(std::string_view* text) {
  std::string_view line = cut_line(text);
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

/// The number that a text is, all of it. Nothing if it is none or does not fit.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end) return std::nullopt;
  return value;
}

}  // namespace benchhud::ingest
