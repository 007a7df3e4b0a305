// The metrics that every estimate of time is made of. Their samples stand in the line's own row, so
// that a night is read without looking each of them up, and takes a sixth less room.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "schema/model/types.h"

namespace benchhud::schema {

/// Canonical names, in the order of the table's columns.
inline constexpr std::array<std::string_view, 3> kLineMetrics = {"per_iter_time", "total_time",
                                                                 "xla_CompileTime_time_s"};

/// A metric's place in kLineMetrics, if it has one.
std::optional<std::size_t> line_metric(std::string_view name);

/// Whether a line's row alone tells all of a measurement. A line metric that is no array has a row
/// in `measurement` too, which tells its shape.
bool is_in_line(std::string_view metric, SampleShape shape);

/// Samples as the store has them. The view is of the same memory.
std::string_view to_blob(std::span<const double> samples);

}  // namespace benchhud::schema
