// One record of the PyTorch HUD: a metric of a result, and all that says which result.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/results/foreign_format_line.h"
#include "schema/base/content_hash.h"
#include "schema/model/types.h"
#include "schema/results/writer.h"

namespace benchhud::ingest {

struct HudRecord {
  /// What a result is told from others by, and kept with it: the record without its metric, as
  /// JSON with sorted keys.
  std::string context;
  schema::ContentHash hash;  ///< of all that the record says; where benchhud wrote it, of the line
  schema::Experiment experiment;
  std::optional<double> timestamp;
  /// What benchhud was told when it read the record first, for it does not say so itself: its time,
  /// and all else as text, by which records are told apart as by their context.
  std::optional<double> given_timestamp;
  std::string given;
  schema::LineOrigin origin;
  /// Where benchhud wrote it: the line, with the record's metric alone or none.
  std::optional<ResultsLine> own;
  bool is_compiler_benchmark = false;  ///< of kHudBenchmark: abs_latency is a median time in ms
  schema::Measurement metric;          ///< its numbers; empty where `accuracy` is set
  std::optional<std::string> accuracy;
  std::string metric_extra;  ///< JSON of what else the metric says; "" if nothing
};

/// Reads records. Not thread-safe.
class HudRecordParser {
 public:
  /// `given`: what the command says of records that do not say it.
  explicit HudRecordParser(const ImportContext& given);
  ~HudRecordParser();

  /// Reads one. Returns the reason, a phrase for the report, where it cannot be read; `record` is
  /// unspecified then. Python's NaN and Infinity are read, and so are numbers that are quoted, as
  /// databases quote integers of 64 bits.
  [[nodiscard]] std::optional<std::string> parse(std::string_view text, HudRecord* record);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::ingest
