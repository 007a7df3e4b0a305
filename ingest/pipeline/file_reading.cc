#include "ingest/pipeline/file_reading.h"

#include "ingest/output/output_dir.h"
#include "ingest/pipeline/pipeline.h"
#include "ingest/results/dynamo_csv.h"
#include "ingest/results/hud_reader.h"
#include "ingest/results/parsed_chunk.h"

namespace benchhud::ingest {

using schema::Expected;

namespace {

// results.jsonl.
class RunnerLineReader final : public LineReader {
 public:
  explicit RunnerLineReader(std::optional<double> fallback_timestamp)
      : fallback_timestamp_(fallback_timestamp) {}

  Expected<void> parse(ParsedChunk* parsed) override {
    parse_lines(&parser_, fallback_timestamp_, parsed);
    return {};
  }

 private:
  ResultsLineParser parser_;
  const std::optional<double> fallback_timestamp_;
};

}  // namespace

std::string FileReading::context() const {
  switch (format) {
    case ResultsFormat::kRunner:
      break;
    case ResultsFormat::kDynamoCsv:
      return "csv " + given.or_else(named).identity();
    case ResultsFormat::kHudRecords:
      return given.identity();
  }
  return "";
}

std::unique_ptr<LineReader> FileReading::make_reader() const {
  switch (format) {
    case ResultsFormat::kRunner:
      break;
    case ResultsFormat::kDynamoCsv:
      return std::make_unique<DynamoCsvReader>(given, named, fallback_timestamp);
    case ResultsFormat::kHudRecords:
      return std::make_unique<HudReader>(given, fallback_timestamp);
  }
  return std::make_unique<RunnerLineReader>(fallback_timestamp);
}

Expected<FileReading> reading_of(const std::string& path, const IngestOptions& options) {
  FileReading reading;
  BENCHHUD_ASSIGN(reading.format, results_format_of(path));
  reading.fallback_timestamp = options.timestamp;
  const bool is_runners = reading.format == ResultsFormat::kRunner;
  if (!reading.fallback_timestamp) {
    reading.fallback_timestamp =
        is_runners || options.kept_path ? date_in_name(path) : date_in_path(absolute_path(path));
  }
  if (is_runners) return reading;
  reading.given = options.import_context;
  if (reading.format == ResultsFormat::kDynamoCsv) reading.named = facts_in_name(path);
  return reading;
}

}  // namespace benchhud::ingest
