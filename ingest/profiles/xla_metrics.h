// Reads PyTorch/XLA's metrics reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "schema/model/profile.h"

namespace benchhud::ingest {

/// A duration as the report prints it ("04s589ms590.974us"), in nanoseconds.
///
/// The report's writer prints every unit but the last rounded to the nearest, yet goes on with what
/// is left of its floor: what looks like 4.589590974 s is 3.588590974 s. So it is read from the
/// last unit up: where what follows is at least half of a unit, that unit was printed one too high.
/// Nothing if the text is no duration.
std::optional<std::int64_t> decode_duration(std::string_view text);

struct XlaMetrics {
  schema::MetricsReport report;
  std::vector<schema::DumpProblem> problems;
};

/// Reads a report of any age: `Counter:` for `Accumulator:`, rates missing, lines wrapped, other
/// text around it.
XlaMetrics read_xla_metrics(std::string_view text);

}  // namespace benchhud::ingest
