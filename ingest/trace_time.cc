#include "ingest/trace_time.h"

#include <charconv>
#include <limits>
#include <system_error>

#include "ingest/text_parts.h"

namespace benchhud::ingest {
namespace {

__extension__ using Wide = __int128;

}  // namespace

std::optional<std::int64_t> microseconds_to_ns(std::string_view decimal) {
  std::size_t at = 0;
  const auto is = [&](char c) { return at < decimal.size() && decimal[at] == c; };
  const bool is_negative = is('-');
  if (is_negative || is('+')) ++at;
  Wide mantissa = 0;
  int scale = 3;  // from microseconds to nanoseconds
  bool has_digits = false;
  const auto digits = [&](bool is_fraction) {
    for (; at < decimal.size() && is_digit(decimal[at]); ++at) {
      has_digits = true;
      // 30 digits are more than any time that fits; what follows them is rounded away.
      constexpr Wide kMost = Wide{1'000'000'000'000'000} * 1'000'000'000'000'000;
      if (mantissa >= kMost) {
        scale += is_fraction ? 0 : 1;
        continue;
      }
      mantissa = mantissa * 10 + (decimal[at] - '0');
      if (is_fraction) --scale;
    }
  };
  digits(false);
  if (is('.')) {
    ++at;
    digits(true);
  }
  if (!has_digits) return std::nullopt;
  if (is('e') || is('E')) {
    ++at;
    if (is('+')) ++at;
    int exponent = 0;
    const char* const end = decimal.data() + decimal.size();
    const auto [last, error] = std::from_chars(decimal.data() + at, end, exponent);
    if (error != std::errc() || exponent > 1000 || exponent < -1000) return std::nullopt;
    at = static_cast<std::size_t>(last - decimal.data());
    scale += exponent;
  }
  if (at != decimal.size()) return std::nullopt;
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  for (; scale > 0 && mantissa != 0; --scale) {
    mantissa *= 10;
    if (mantissa > kMost) return std::nullopt;
  }
  if (scale < -40) mantissa = 0;
  Wide divisor = 1;
  for (; scale < 0 && mantissa != 0; ++scale) {
    // Rounded once, at the last digit.
    if (divisor > mantissa) mantissa = 0;
    divisor *= 10;
  }
  if (mantissa != 0) mantissa = (mantissa + divisor / 2) / divisor;
  if (mantissa > kMost) return std::nullopt;
  const auto ns = static_cast<std::int64_t>(mantissa);
  return is_negative ? -ns : ns;
}

}  // namespace benchhud::ingest
