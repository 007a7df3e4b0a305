// Results that other programs wrote, as lines of ours: docs/neighbours.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/results/parsed_chunk.h"
#include "schema/base/content_hash.h"
#include "schema/model/types.h"
#include "schema/results/writer.h"

namespace benchhud::ingest {

/// What must be known of results and their file does not always tell.
struct ImportContext {
  std::optional<std::string> suite, backend, test, dtype, accelerator, accelerator_model;

  /// A text that differs where any of them does; "" if there is none.
  std::string identity() const;
  /// These, and where one is missing that of `others`.
  ImportContext or_else(const ImportContext& others) const;
};

/// A result of theirs, and where it stands.
struct ForeignResult {
  schema::Experiment experiment;
  std::optional<double> timestamp;
  schema::LineOrigin origin;
  std::vector<schema::Measurement> metrics;  ///< under their names, in their units
  std::optional<std::string> accuracy;       ///< the status
  /// Where benchhud itself wrote it: the line that it was, less its metrics. It is that one line.
  std::optional<ResultsLine> own;
  /// abs_latency is what the dynamo runner calls so: the median time, in ms.
  bool has_latency_in_ms = true;
  /// JSON objects of what else is to be kept with the timing and with the verification; "" if
  /// there is nothing.
  std::string extra, accuracy_extra;

  std::string text;  ///< its bytes, or the first of them
  std::int64_t line_number = 0;
  std::int64_t byte_offset = 0;
  schema::ContentHash hash;  ///< of what it says
};

/// Precision as a part of the configuration; "{}" for those that say that there is none.
std::string flags_of_dtype(std::string_view dtype);

/// Appends the lines that a result is: its timing (also where it failed: then with the reason), the
/// time of eager where speedup and abs_latency give it exactly, its verification. One without a
/// timestamp takes `fallback_timestamp`, else it is rejected.
void append_lines(const ForeignResult& result, std::optional<double> fallback_timestamp,
                  ParsedChunk* parsed);

/// Appends a rejection. `is_retriable`: it may be taken in when the file is read again.
void append_rejection(std::string_view text, std::int64_t line_number, std::int64_t byte_offset,
                      std::string reason, bool is_retriable, ParsedChunk* parsed);

}  // namespace benchhud::ingest
