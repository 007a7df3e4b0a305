// Rows of the tables line and measurement, as the writer makes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/db/database.h"
#include "schema/db/row_batch.h"
#include "schema/model/line_metrics.h"
#include "schema/model/sample_summary.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// Samples of a metric, which a row may lack, until the row is written.
class EncodedSamples {
 public:
  /// No more are copied.
  static constexpr std::size_t kMostCopied = 50'000;

  void clear() { held_ = Held::kNone; }
  /// Returns whether the row must be written while `samples` lives, for they are not copied.
  [[nodiscard]] bool hold(std::span<const double> samples);
  std::optional<std::span<const double>> get() const;

 private:
  enum class Held { kNone, kCopy, kView } held_ = Held::kNone;
  std::vector<double> copy_;  // its memory is used again
  std::span<const double> view_;
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
  std::array<EncodedSamples, kLineMetrics.size()> samples;  ///< of kLineMetrics
};

/// Of what the line's row does not tell (is_in_line).
struct MeasurementRow {
  LineId line{};
  std::int64_t metric = 0;
  SampleShape shape = SampleShape::kArray;
  SampleSummary summary;
  EncodedSamples samples;        ///< of kArray and kScalar
  std::optional<TextId> nested;  ///< of kNested
};

RowBatch<LineRow> line_batch(Connection& connection);
RowBatch<MeasurementRow> measurement_batch(Connection& connection);

}  // namespace benchhud::schema
