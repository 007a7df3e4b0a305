// The reader of the HUD's records: never crashes, keeps what it promises, and says the same however
// the bytes come.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/results/hud_reader.h"
#include "ingest/results/results_format.h"
#include "lines_told.h"

namespace {

using benchhud::fuzz::require;
using benchhud::fuzz::tell_lines;
using benchhud::ingest::HudReader;
using benchhud::ingest::ParsedChunk;
using benchhud::ingest::ParsedLine;

void check(const ParsedLine& line, std::string* story) {
  require(line.record.timestamp.has_value() && !line.record.experiment.model.empty());
  require(line.origin.has_value());
  for (const auto& metric : line.record.metrics) {
    require(!metric.metric.empty());
    *story += ' ' + metric.metric + std::to_string(metric.samples.size());
  }
  *story += ' ' + line.record.experiment.identity() + '\n';
}

std::string read(std::string_view text, std::size_t piece) {
  benchhud::ingest::ImportContext given;
  given.accelerator_model = "A100";
  HudReader reader(given, 1767571200.0, /*most_held=*/1 << 20);
  std::string story;
  ParsedChunk parsed;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    parsed.chunk.text = text.substr(at, piece);
    parsed.chunk.byte_offset = static_cast<std::int64_t>(at);
    require(reader.parse(&parsed).has_value());
    tell_lines(&parsed, text, check, &story);
  }
  do {
    require(reader.finish(&parsed).has_value());
    tell_lines(&parsed, text, check, &story);
  } while (parsed.line_count > 0);
  return story;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte says how the rest is cut; a mark of three bytes is looked for in the first
  // piece.
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)benchhud::ingest::results_format(text, false);
  require(read(text, size) == read(text, std::size_t{3} + data[0] % 64));
  return 0;
}
