// Points in time as the store keeps them: seconds since 1970, UTC, as doubles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace benchhud::schema {

/// RFC 3339 in UTC: `2025-11-10T00:00:20.25Z`. Up to seven digits of fraction, trailing zeros left
/// out: as many as a double of this size can tell apart. Years 0001 to 9999; others are clamped.
std::string format_time(double seconds);

/// `2025-11-10`, of the day that begins `day_start` seconds after midnight UTC.
std::string format_date(double seconds, double day_start = 0);

/// Reads `2025-11-10`, `2025-11-10T00:00:20.25Z`, with a space for T, with an offset such as
/// +02:00 (none: UTC), or a number of seconds. Nothing if it is none of these.
std::optional<double> parse_time(std::string_view text);

/// The time now.
double now();

}  // namespace benchhud::schema
