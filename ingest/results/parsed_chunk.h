// A chunk of a file, parsed: everything about its lines that can be worked out without the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/results/results_line.h"
#include "ingest/text/source_file.h"
#include "schema/base/content_hash.h"
#include "schema/db/text_store.h"
#include "schema/model/sample_summary.h"
#include "schema/results/writer.h"

namespace benchhud::ingest {

/// A line, accepted or rejected. Kept and filled again, so that its strings' memory is used again.
struct ParsedLine {
  std::string_view text;  ///< of the chunk
  std::string own_text;   ///< instead, where the line is no part of its chunk
  std::int64_t line_number = 0;
  std::int64_t byte_offset = 0;
  schema::ContentHash hash;
  std::optional<std::string> rejection;  ///< the reason
  bool lacks_timestamp = false;
  bool is_unfinished = false;  ///< it may be whole when the file is read again
  /// The rejection is for what the line takes, not for what it says: it exceeds a budget, or
  /// (lacks_memory) there is no memory for it now.
  bool is_too_large = false;
  bool lacks_memory = false;
  std::int64_t byte_count = 0;

  std::string_view bytes() const { return own_text.empty() ? text : std::string_view(own_text); }

  // Accepted lines:
  ResultsLine record;
  std::optional<schema::LineOrigin> origin;  ///< what it says of its run
  // and of what the store keeps of them, once prepare_lines() has been there:
  schema::ContentHash identity, family;
  std::vector<schema::SampleSummary> summaries;  ///< of record.metrics
  std::vector<schema::PackedText> nested;        ///< of the nested ones among them, in order
  std::optional<schema::PackedText> error;
};

struct ParsedChunk {
  Chunk chunk;
  std::vector<ParsedLine> lines;  ///< the first line_count of them; the rest is memory to use again
  std::size_t line_count = 0;
  std::size_t byte_count = 0;  ///< memory_of() it, as long as it waits to be written
};

/// Whether a chunk is longer than lines of usual length make it.
bool has_large_line(const Chunk& chunk);

/// Empties a chunk before it is filled again: the memory of usual lines stays, that of unusual
/// ones, which would add up chunk by chunk, is given back.
void recycle(ParsedChunk* parsed);

/// About how many bytes of memory a chunk and its lines hold, those that wait to be used again too.
std::size_t memory_of(const ParsedChunk& parsed);

/// One more line to be filled. Of what an earlier chunk left in it only the record stays.
ParsedLine& next_line(ParsedChunk* parsed);

/// Two lines are the same if their bytes are; a time that came from outside is part of what is
/// said.
schema::ContentHash hash_with(const schema::ContentHash& hash, double timestamp);

/// Parses the lines of `parsed->chunk`. Blank lines are passed over. A line without a timestamp
/// takes `fallback_timestamp`; where there is none either it is rejected.
void parse_lines(ResultsLineParser* parser, std::optional<double> fallback_timestamp,
                 ParsedChunk* parsed);

/// Hashes, summarizes and packs what write_line() hands to the store, and lets go of what that does
/// not need any more: of a large line it keeps kMostKeptBytes.
void prepare_lines(ParsedChunk* parsed);

/// Tells the writer whose the accepted lines, prepared, are.
schema::Expected<void> look_experiments_ahead(schema::FileWriter* writer,
                                              const ParsedChunk& parsed);

/// Tells it what else those name from the line at `first` on. Only for lines that are new: of one
/// that the store has nothing else is looked up.
schema::Expected<void> look_content_ahead(schema::FileWriter* writer, const ParsedChunk& parsed,
                                          std::size_t first);

/// Hands an accepted line, prepared, to the writer.
schema::Expected<schema::FileWriter::Outcome> write_line(schema::FileWriter* writer,
                                                         const ParsedLine& line);

/// Hands a rejected line to the writer.
/// False: it was pruned, and nobody is told of it.
schema::Expected<bool> write_rejection(schema::FileWriter* writer, const ParsedLine& line);

}  // namespace benchhud::ingest
