#include "ingest/results/parsed_chunk.h"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "ingest/text/text_parts.h"
#include "schema/base/caught_error.h"
#include "schema/base/free_text.h"
#include "schema/model/line_metrics.h"

namespace benchhud::ingest {
namespace {

// What is larger is given back as soon as it is not needed.
constexpr std::size_t kLargeText = 64 << 10;

void give_back_large(std::string* text) {
  if (text->capacity() > kLargeText) schema::free_text(text);
}

// The line is rejected for want of memory, and what was read of it is given back.
void reject_for_memory(ParsedLine* line) {
  line->record = ResultsLine();
  line->summaries = {};
  line->nested = {};
  line->error.reset();
  line->lacks_memory = true;
  line->is_too_large = true;
  line->rejection = schema::kNoMemory;
}

void prepare(ParsedLine* line) {
  const schema::Experiment& experiment = line->record.experiment;
  line->identity = schema::content_hash(experiment.identity());
  line->family = schema::content_hash(experiment.family());
  line->summaries.clear();
  line->nested.clear();
  for (schema::Measurement& metric : line->record.metrics) {
    // The line's own metrics are summarized when they are asked for.
    const bool is_in_line = schema::is_in_line(metric.metric, metric.shape);
    line->summaries.push_back(is_in_line ? schema::SampleSummary{}
                                         : schema::summarize(metric.samples));
    if (metric.shape == schema::SampleShape::kNested) {
      line->nested.push_back(schema::pack_text(metric.json));
      give_back_large(&metric.json);
    }
  }
  line->error.reset();
  if (line->record.error) {
    line->error = schema::pack_text(*line->record.error);
    give_back_large(&*line->record.error);
  }
}

std::size_t memory_of(const ParsedLine& line) {
  const ResultsLine& record = line.record;
  std::size_t bytes = line.own_text.capacity() + record.extra.capacity() +
                      record.metrics.capacity() * sizeof(schema::Measurement) +
                      line.summaries.capacity() * sizeof(schema::SampleSummary) +
                      line.nested.capacity() * sizeof(schema::PackedText) +
                      record.experiment.flags.capacity();
  for (const schema::Measurement& metric : record.metrics) {
    bytes += metric.samples.capacity() * sizeof(double) + metric.json.capacity() +
             metric.metric.capacity();
  }
  for (const schema::PackedText& nested : line.nested) bytes += nested.bytes.capacity();
  if (line.error) bytes += line.error->bytes.capacity();
  if (record.error) bytes += record.error->capacity();
  return bytes;
}

void parse_line(ResultsLineParser* parser, std::optional<double> fallback_timestamp,
                ParsedLine* line) {
  line->hash = schema::content_hash(line->text);
  line->rejection = parser->parse(line->text, &line->record);
  line->is_too_large = line->rejection && parser->exceeds_budget();
  if (line->rejection) return;
  if (line->record.origin) line->hash = *line->record.origin;
  if (!line->record.timestamp) {
    line->lacks_timestamp = true;
    if (!fallback_timestamp) {
      line->rejection = "no timestamp, and none in the file's name or on the command line";
      return;
    }
    line->record.timestamp = fallback_timestamp;
    line->hash = hash_with(line->hash, *fallback_timestamp);
  }
}

void reject_overlong(ParsedChunk* parsed) {
  ParsedLine& line = next_line(parsed);
  line.text = parsed->chunk.text;
  line.line_number = parsed->chunk.first_line;
  line.byte_offset = parsed->chunk.byte_offset;
  line.byte_count = parsed->chunk.overlong_bytes;
  line.hash = schema::content_hash(line.text);
  line.is_too_large = true;
  line.lacks_memory = parsed->chunk.lacks_memory;
  line.rejection =
      line.lacks_memory
          ? fmt::format("the line has {} bytes; {}", line.byte_count, schema::kNoMemory)
          : fmt::format("the line has {} bytes; the longest that is read has {}", line.byte_count,
                        kLongestLine);
}

}  // namespace

bool has_large_line(const Chunk& chunk) {
  return chunk.text.size() > ResultsLineParser::kLargeLine + ChunkReader::kChunkBytes;
}

std::size_t memory_of(const ParsedChunk& parsed) {
  std::size_t bytes = parsed.chunk.text.capacity() + parsed.lines.capacity() * sizeof(ParsedLine);
  for (const ParsedLine& line : parsed.lines) bytes += memory_of(line);
  return bytes;
}

void recycle(ParsedChunk* parsed) {
  constexpr std::size_t kKept = std::size_t{8} << 20;
  parsed->byte_count = 0;
  if (memory_of(*parsed) > kKept) *parsed = ParsedChunk();
}

ParsedLine& next_line(ParsedChunk* parsed) {
  if (parsed->line_count == parsed->lines.size()) parsed->lines.emplace_back();
  ParsedLine& line = parsed->lines[parsed->line_count++];
  line.rejection.reset();
  line.lacks_timestamp = false;
  line.is_unfinished = false;
  line.is_too_large = false;
  line.lacks_memory = false;
  line.origin.reset();
  line.text = {};
  line.own_text.clear();
  return line;
}

schema::ContentHash hash_with(const schema::ContentHash& hash, double timestamp) {
  std::string bytes(hash.view());
  char number[sizeof timestamp];
  std::memcpy(number, &timestamp, sizeof timestamp);
  bytes.append(number, sizeof number);
  return schema::content_hash(bytes);
}

void parse_lines(ResultsLineParser* parser, std::optional<double> fallback_timestamp,
                 ParsedChunk* parsed) {
  parsed->line_count = 0;
  const Chunk& chunk = parsed->chunk;
  if (chunk.overlong_bytes > 0) return reject_overlong(parsed);

  std::string_view rest = chunk.text;
  std::int64_t line_number = chunk.first_line;
  std::int64_t byte_offset = chunk.byte_offset;
  if (byte_offset == 0 && rest.starts_with(kByteOrderMark)) {
    rest.remove_prefix(kByteOrderMark.size());
    byte_offset += static_cast<std::int64_t>(kByteOrderMark.size());
  }
  while (!rest.empty()) {
    const std::string_view whole = cut_line(&rest);
    const std::string_view text = trim(whole);
    if (!text.empty()) {
      ParsedLine& line = next_line(parsed);
      line.text = text;
      line.line_number = line_number;
      line.byte_offset = byte_offset;
      line.byte_count = static_cast<std::int64_t>(text.size());
      try {
        parse_line(parser, fallback_timestamp, &line);
      } catch (const std::bad_alloc&) {
        *parser = ResultsLineParser();
        reject_for_memory(&line);
      }
      if (line.rejection && chunk.is_unfinished) {
        line.is_unfinished = true;
        line.rejection = "the file ends inside this line: " + *line.rejection;
      }
    }
    byte_offset += static_cast<std::int64_t>(whole.size());
    ++line_number;
  }
}

void prepare_lines(ParsedChunk* parsed) {
  for (std::size_t i = 0; i < parsed->line_count; ++i) {
    ParsedLine& line = parsed->lines[i];
    if (line.rejection) continue;
    try {
      prepare(&line);
    } catch (const std::bad_alloc&) {
      reject_for_memory(&line);
    }
  }
  // Of a line the store keeps, or compares, no more than its beginning.
  if (!has_large_line(parsed->chunk)) return;
  for (std::size_t i = 0; i < parsed->line_count; ++i) {
    ParsedLine& line = parsed->lines[i];
    if (line.own_text.empty()) line.own_text = line.text.substr(0, schema::kMostKeptBytes);
    line.text = {};
  }
  schema::free_text(&parsed->chunk.text);
}

schema::Expected<void> look_experiments_ahead(schema::FileWriter* writer,
                                              const ParsedChunk& parsed) {
  std::vector<schema::ContentHash> identities;
  for (std::size_t i = 0; i < parsed.line_count; ++i) {
    if (!parsed.lines[i].rejection) identities.push_back(parsed.lines[i].identity);
  }
  return writer->look_ahead(identities);
}

schema::Expected<void> look_content_ahead(schema::FileWriter* writer, const ParsedChunk& parsed,
                                          std::size_t first) {
  schema::NamedByNewLines names;
  for (std::size_t i = first; i < parsed.line_count; ++i) {
    const ParsedLine& line = parsed.lines[i];
    if (line.rejection) continue;
    for (const schema::Measurement& metric : line.record.metrics) {
      names.metrics.push_back(metric.metric);
    }
    for (const schema::PackedText& nested : line.nested) names.texts.push_back(nested.hash);
    if (line.error) names.texts.push_back(line.error->hash);
  }
  return writer->look_ahead(names);
}

schema::Expected<schema::FileWriter::Outcome> write_line(schema::FileWriter* writer,
                                                         const ParsedLine& parsed) {
  const ResultsLine& record = parsed.record;
  std::vector<schema::NewMeasurement> measurements;
  measurements.reserve(record.metrics.size());
  std::size_t nested = 0;
  for (std::size_t i = 0; i < record.metrics.size(); ++i) {
    const schema::Measurement& metric = record.metrics[i];
    const bool is_nested = metric.shape == schema::SampleShape::kNested;
    measurements.push_back({metric.metric, metric.shape, metric.samples, parsed.summaries[i],
                            is_nested ? &parsed.nested[nested++] : nullptr});
  }
  schema::NewLine line;
  line.experiment = &record.experiment;
  line.identity = parsed.identity;
  line.family = parsed.family;
  line.origin = parsed.origin ? &*parsed.origin : nullptr;
  line.timestamp = *record.timestamp;
  line.hash = parsed.hash;
  line.bytes = parsed.bytes();
  line.line_number = parsed.line_number;
  line.byte_offset = parsed.byte_offset;
  line.timed = record.has_timing();
  line.repeat = record.repeat;
  line.iterations_per_run = record.iterations_per_run;
  if (record.verification_code) line.code = *record.verification_code;
  line.mean_rel_error = record.verification_mean_rel_error;
  line.error = parsed.error ? &*parsed.error : nullptr;
  line.extra = record.extra;
  line.measurements = measurements;
  return writer->add(line);
}

schema::Expected<bool> write_rejection(schema::FileWriter* writer, const ParsedLine& line) {
  schema::NewRejection rejection;
  rejection.line_number = line.line_number;
  rejection.byte_offset = line.byte_offset;
  rejection.byte_count = line.byte_count;
  rejection.hash = line.hash;
  rejection.retriable = line.is_unfinished || line.lacks_timestamp || line.lacks_memory;
  rejection.reason = *line.rejection;
  rejection.bytes = line.bytes();
  return writer->reject(rejection);
}

}  // namespace benchhud::ingest
