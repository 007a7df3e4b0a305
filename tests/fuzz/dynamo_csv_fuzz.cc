// The reader of dynamo's CSV files: never crashes, keeps what it promises, and says the same
// however the lines come.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/results/dynamo_csv.h"
#include "lines_told.h"

namespace {

using benchhud::fuzz::require;
using benchhud::fuzz::tell_lines;
using benchhud::ingest::DynamoCsvReader;
using benchhud::ingest::ParsedChunk;
using benchhud::ingest::ParsedLine;

void check(const ParsedLine& line, std::string* story) {
  const auto& record = line.record;
  require(record.timestamp.has_value() && !record.experiment.model.empty());
  // A line is a timing, a failure or a verification.
  require(!record.metrics.empty() || record.error || record.verification_code);
  for (const auto& metric : record.metrics) require(metric.samples.size() == 1);
  *story += ' ' + record.experiment.identity() + '\n';
}

// In chunks of so many lines.
std::string read(std::string_view text, std::size_t lines) {
  benchhud::ingest::ImportContext given;
  given.suite = given.backend = given.accelerator = given.accelerator_model = "x";
  given.test = "training";
  DynamoCsvReader reader(given, {}, 1767571200.0);
  std::string story;
  ParsedChunk parsed;
  std::int64_t number = 1;
  std::size_t at = 0;
  while (at < text.size()) {
    parsed.chunk.first_line = number;
    parsed.chunk.byte_offset = static_cast<std::int64_t>(at);
    parsed.chunk.text.clear();
    for (std::size_t i = 0; i < lines && at < text.size(); ++i, ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      parsed.chunk.text += text.substr(at, end - at);
      at = end;
    }
    if (const auto done = reader.parse(&parsed); !done) return story + done.error().message;
    tell_lines(&parsed, text, check, &story);
  }
  do {
    if (const auto done = reader.finish(&parsed); !done) return story + done.error().message;
    tell_lines(&parsed, text, check, &story);
  } while (parsed.line_count > 0);
  return story;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)benchhud::ingest::is_dynamo_csv(text);
  (void)benchhud::ingest::facts_in_name(text);
  const std::string whole = read(text, size);
  const std::string cut = read(text, std::size_t{1} + data[0] % 16);
  // Where the file fails, how much came before depends on the chunks.
  if (whole.ends_with('\n') || whole.empty()) require(whole == cut);
  return 0;
}
