#include "ingest/trace/trace_time.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "ingest/text/text_parts.h"

namespace benchhud::ingest {
namespace {

__extension__ using Wide = __int128;

// Up to 15 digits, a point and up to 3 digits, which is what times look like. Nothing for any
// other text.
std::optional<std::int64_t> plain_microseconds(std::string_view decimal) {
  constexpr std::size_t kMostDigits = 15;
  const char* at = decimal.data();
  const char* const end = at + decimal.size();
  std::int64_t ns = 0;
  const char* stop = at + std::min(decimal.size(), kMostDigits);
  const char* const whole = at;
  for (; at < stop && is_digit(*at); ++at) ns = ns * 10 + (*at - '0');
  if (at == whole) return std::nullopt;
  int places = 3;
  if (at < end && *at == '.') {
    ++at;
    if (end - at < 1 || end - at > places) return std::nullopt;
    for (; at < end && is_digit(*at); ++at, --places) ns = ns * 10 + (*at - '0');
  }
  if (at != end) return std::nullopt;
  constexpr std::int64_t kScales[] = {1, 10, 100, 1000};
  return ns * kScales[places];
}

}  // namespace

std::optional<std::int64_t> microseconds_to_ns(std::string_view decimal) {
  if (const auto plain = plain_microseconds(decimal)) return plain;
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
