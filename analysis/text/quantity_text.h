// Quantities as a person reads them: durations, shares and counts, everywhere alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/base/count_text.h"

namespace benchhud::analysis {

/// Three digits and the unit that fits: "5.06 s", "2.65 ms", "35.1 µs", "812 ns"; "0 s" for zero.
/// What is not finite reads "unknown".
std::string duration_text(double seconds);
/// The same of nanoseconds.
std::string nanoseconds_text(double ns);
std::string nanoseconds_text(std::int64_t ns);
/// Of a share of 1, one digit behind the point: "12.3 %". What is not finite reads "unknown".
std::string share_text(double share);
/// Three digits and the decimal unit that fits: "6.63 GB", "8 B".
std::string bytes_text(std::int64_t bytes);
/// The same, or "unknown".
std::string bytes_text(const std::optional<std::int64_t>& bytes);
using schema::count_text;

}  // namespace benchhud::analysis
