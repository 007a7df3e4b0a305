// What makes lines of a file's chunks, whatever the file's format.
#pragma once

#include "ingest/results/parsed_chunk.h"
#include "schema/base/errors.h"

namespace benchhud::ingest {

/// One a file; used by one thread. Lines come in the file's order.
class LineReader {
 public:
  virtual ~LineReader() = default;

  /// Whether chunks should end with a line. Where not, a file may be one endless line.
  virtual bool wants_whole_lines() const { return true; }
  /// Puts the lines of `parsed->chunk` into `parsed`; they are not prepared yet. Error: nothing of
  /// the file can be read.
  virtual schema::Expected<void> parse(ParsedChunk* parsed) = 0;
  /// After the last chunk: puts some of what was held back until now into `parsed`. Called until it
  /// puts nothing there.
  virtual schema::Expected<void> finish(ParsedChunk* parsed) {
    parsed->line_count = 0;
    return {};
  }
};

}  // namespace benchhud::ingest
