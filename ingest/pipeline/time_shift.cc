#include "ingest/pipeline/time_shift.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ingest/pipeline/file_reading.h"
#include "ingest/text/source_file.h"
#include "schema/db/time_shift.h"
#include "schema/results/reader.h"

namespace benchhud::ingest {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

Expected<void> find_newest(const std::string& path, const IngestOptions& options,
                           std::optional<double>* newest) {
  BENCHHUD_ASSIGN(const FileReading reading, reading_of(path, options));
  BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(path));
  ChunkReader chunks(std::move(file));
  const auto lines = reading.make_reader();
  ParsedChunk parsed;
  const auto look = [&] {
    for (std::size_t i = 0; i < parsed.line_count; ++i) {
      const ParsedLine& line = parsed.lines[i];
      if (line.rejection) continue;
      *newest = std::max(newest->value_or(*line.record.timestamp), *line.record.timestamp);
    }
  };
  for (;;) {
    BENCHHUD_ASSIGN(const bool more, lines->wants_whole_lines() ? chunks.next(&parsed.chunk)
                                                                : chunks.next_piece(&parsed.chunk));
    if (!more) break;
    BENCHHUD_TRY(lines->parse(&parsed));
    look();
    recycle(&parsed);
  }
  do {
    BENCHHUD_TRY(lines->finish(&parsed));
    look();
  } while (parsed.line_count > 0);
  return {};
}

}  // namespace

Expected<std::int64_t> choose_time_shift(schema::Connection& store, const Inputs& inputs,
                                         const IngestOptions& options, double now) {
  BENCHHUD_ASSIGN(const auto kept, schema::time_shift_weeks(store));
  if (kept) return *kept;
  BENCHHUD_ASSIGN(const schema::StoreInfo info, schema::Reader(store).info());
  if (info.run_count > 0) {
    return Error{ErrorCode::kConflict,
                 "the store holds results with their own times: a shift of times is chosen by the "
                 "first ingest into a new store"};
  }
  std::optional<double> newest;
  for (const std::string& path : inputs.results) {
    BENCHHUD_TRY(find_newest(path, options, &newest));
  }
  if (!newest) return std::int64_t{0};  // chosen when there are results
  const auto weeks =
      static_cast<std::int64_t>(std::floor((now - *newest) / schema::kSecondsPerWeek));
  BENCHHUD_TRY(schema::keep_time_shift(store, weeks));
  return weeks;
}

void shift_times(std::int64_t weeks, ParsedChunk* parsed) {
  if (weeks == 0) return;
  for (std::size_t i = 0; i < parsed->line_count; ++i) {
    ParsedLine& line = parsed->lines[i];
    if (line.rejection || line.record.origin) continue;
    *line.record.timestamp += static_cast<double>(weeks) * schema::kSecondsPerWeek;
  }
}

}  // namespace benchhud::ingest
