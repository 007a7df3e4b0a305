#include "ingest/output_index.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "ingest/dump_name.h"
#include "ingest/output_dir.h"
#include "ingest/parsed_chunk.h"

namespace benchhud::ingest {

using schema::Expected;
using schema::ResultKey;

Expected<OutputIndex> OutputIndex::read(const std::string& directory,
                                        std::optional<double> timestamp) {
  OutputIndex index;
  BENCHHUD_ASSIGN(const std::vector<std::string> files, results_files_in(directory));
  std::unordered_map<schema::ContentHash, std::size_t, schema::ContentHashHasher> known;
  ResultsLineParser parser;
  ParsedChunk parsed;
  const auto take = [&](const ParsedLine& line) {
    const Entry entry{{line.identity, *line.record.timestamp}, line.record.has_timing()};
    const auto [found, is_new] = known.try_emplace(line.identity, index.entries_.size());
    if (!is_new) {
      Entry& before = index.entries_[found->second];
      if (std::tuple(entry.timed, entry.key.timestamp) >=
          std::tuple(before.timed, before.key.timestamp))
        before = entry;
      return;
    }
    for (DumpBase& base : dump_bases(line.record.experiment)) {
      index.by_base_[std::move(base.text)].push_back({index.entries_.size(), base.missing});
    }
    index.entries_.push_back(entry);
  };
  for (const std::string& path : files) {
    BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(path));
    ChunkReader reader(std::move(file));
    for (;;) {
      BENCHHUD_ASSIGN(const bool more, reader.next(&parsed.chunk));
      if (!more) break;
      parse_chunk(&parser, timestamp ? timestamp : date_in_name(path), &parsed);
      for (std::size_t i = 0; i < parsed.line_count; ++i) {
        if (!parsed.lines[i].rejection) take(parsed.lines[i]);
      }
    }
  }
  return index;
}

std::vector<ResultKey> OutputIndex::find(std::string_view base) const {
  const auto found = by_base_.find(normalized_base(base));
  if (found == by_base_.end()) return {};
  const auto full_rank = [&](const Named& named) {
    const Entry& entry = entries_[named.entry];
    return std::tuple(-named.missing, entry.timed, entry.key.timestamp);
  };
  const auto best = full_rank(*std::max_element(
      found->second.begin(), found->second.end(),
      [&](const Named& a, const Named& b) { return full_rank(a) < full_rank(b); }));
  std::vector<ResultKey> keys;
  for (const Named& named : found->second) {
    const ResultKey& key = entries_[named.entry].key;
    if (full_rank(named) == best && std::find(keys.begin(), keys.end(), key) == keys.end()) {
      keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace benchhud::ingest
