// The PyTorch HUD's benchmark records, version 3: JSON objects, one a metric, in an array, one a
// line, or one after the other. docs/neighbours.md says what becomes of each field.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "ingest/results/foreign_format_line.h"
#include "ingest/results/line_reader.h"

namespace benchhud::ingest {

/// Reads one file in pieces. Records that differ in nothing but their metric are one result; it is
/// put together as long as not more than kMostHeld bytes of others came in between.
class HudReader final : public LineReader {
 public:
  /// A longer record is refused.
  static constexpr std::size_t kLongestRecord = std::size_t{16} << 20;
  static constexpr std::size_t kMostHeld = std::size_t{64} << 20;

  /// `given`: what the command says of records that do not say it.
  HudReader(const ImportContext& given, std::optional<double> fallback_timestamp,
            std::size_t most_held = kMostHeld);
  ~HudReader() override;

  bool wants_whole_lines() const override { return false; }
  schema::Expected<void> parse(ParsedChunk* parsed) override;
  schema::Expected<void> finish(ParsedChunk* parsed) override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::ingest
