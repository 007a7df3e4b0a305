// What a reader of neighbours' files says of its lines, as a text: two readings of one file are
// held against each other by it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/results/parsed_chunk.h"

namespace benchhud::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Tells the lines of a chunk of `text`, each checked for what all readers promise, and makes them
/// ready to be written, which must not fail either. `tell(line, story)` goes on with one that was
/// not rejected.
template <class Tell>
void tell_lines(ingest::ParsedChunk* parsed, std::string_view text, const Tell& tell,
                std::string* story) {
  for (std::size_t i = 0; i < parsed->line_count; ++i) {
    const ingest::ParsedLine& line = parsed->lines[i];
    require(line.line_number >= 1 && line.byte_offset >= 0);
    require(static_cast<std::size_t>(line.byte_offset) <= text.size());
    *story += line.hash.hex() + ' ' + std::to_string(line.byte_offset);
    if (line.rejection) {
      require(!line.rejection->empty());
      *story += ' ' + *line.rejection + '\n';
    } else {
      tell(line, story);
    }
  }
  prepare_lines(parsed);
}

}  // namespace benchhud::fuzz
