// Rows of the tables line and measurement, as the writer makes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/content_hash.h"
#include "schema/database.h"
#include "schema/line_metrics.h"
#include "schema/row_batch.h"
#include "schema/sample_summary.h"
#include "schema/types.h"

namespace benchhud::schema {

/// Samples of a metric that a line may lack.
struct HeldSamples {
  bool present = false;
  std::vector<double> values;
};

struct LineRow {
  LineId id{};
  InvocationId invocation{};
  ExperimentId experiment{};
  ContentHash hash;
  FileId file{};
  std::int64_t line_number = 0;
  std::int64_t byte_offset = 0;
  bool timed = false;
  std::optional<std::int64_t> repeat, iterations_per_run;
  std::optional<std::string> code;
  std::optional<double> mean_rel_error;
  std::optional<TextId> error;
  std::string extra;
  std::array<HeldSamples, kLineMetrics.size()> samples;  ///< of kLineMetrics
};

/// Of what the line's row does not tell (is_in_line).
struct MeasurementRow {
  LineId line{};
  std::int64_t metric = 0;
  SampleShape shape = SampleShape::kArray;
  SampleSummary summary;
  std::vector<double> samples;   ///< of kArray and kScalar
  std::optional<TextId> nested;  ///< of kNested
};

RowBatch<LineRow> line_batch(Connection& connection);
RowBatch<MeasurementRow> measurement_batch(Connection& connection);

}  // namespace benchhud::schema
