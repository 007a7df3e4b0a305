// Times as traces and metrics reports write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace benchhud::ingest {

/// A decimal number of microseconds ("1700000000000000.123", "1.5e3") as nanoseconds, exactly:
/// never by way of a double, which has no place for the nanoseconds of today's epoch. What is finer
/// than a nanosecond is rounded to the nearest. Nothing if it is no number or beyond 64 bits.
std::optional<std::int64_t> microseconds_to_ns(std::string_view decimal);

}  // namespace benchhud::ingest
