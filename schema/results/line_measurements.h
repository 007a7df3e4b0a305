// All measurements of a line, from the two places that hold them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/line_metrics.h"
#include "schema/results/reader.h"

namespace benchhud::schema {

/// What a line's own row holds, by place in kLineMetrics.
struct OwnSamples {
  std::array<std::optional<std::vector<double>>, kLineMetrics.size()> samples;
  /// The metrics' ids; 0 for one that the store never saw.
  std::array<std::int64_t, kLineMetrics.size()> metric_ids{};
};

/// Reads them from a row that begins with the columns of sql::kSamplesOfLine.
OwnSamples read_own_samples(const Statement& row);

/// In the order in which the store first saw each metric, which is the order that lines have them
/// in.
Expected<std::vector<StoredMeasurement>> measurements_of_line(Connection& connection, LineId line,
                                                              OwnSamples own);

}  // namespace benchhud::schema
