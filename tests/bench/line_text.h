// Pieces of a line as Python's json module prints them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace benchhud::bench {

/// Appends `value` as Python's repr does: the shortest digits that read back as the same double,
/// without an exponent from 1e-4 to 1e16.
void append_number(double value, std::string* out);

/// Appends `"name": [1.5, 2.0]` with ", " before it unless `out` ends with '{'.
void append_metric(std::string_view name, std::span<const double> samples, std::string* out);
void append_metric(std::string_view name, std::span<const std::int64_t> samples, std::string* out);

}  // namespace benchhud::bench
