#include "ingest/pipeline/output_index.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "ingest/output/output_dir.h"
#include "ingest/pipeline/time_shift.h"
#include "ingest/profiles/dump_name.h"
#include "ingest/results/parsed_chunk.h"

namespace benchhud::ingest {

using schema::Expected;
using schema::ResultKey;

Expected<OutputIndex> OutputIndex::read(const std::string& directory,
                                        std::optional<double> timestamp, std::int64_t shift_weeks) {
  OutputIndex index;
  BENCHHUD_ASSIGN(const std::vector<std::string> files, results_files_in(directory));
  std::unordered_map<schema::ContentHash, std::size_t, schema::ContentHashHasher> known;
  ResultsLineParser parser;
  ParsedChunk parsed;
  const auto take = [&](const ParsedLine& line) {
    const schema::Experiment& experiment = line.record.experiment;
    const ResultKey key{schema::content_hash(experiment.identity()), *line.record.timestamp};
    const bool timed = line.record.has_timing();
    const auto [found, is_new] = known.try_emplace(key.experiment, index.entries_.size());
    if (!is_new) {
      Entry& before = index.entries_[found->second];
      if (std::tuple(timed, key.timestamp) >= std::tuple(before.timed, before.key.timestamp)) {
        before.key = key;
        before.timed = timed;
      }
      return;
    }
    for (std::string& model : model_in_base(experiment)) {
      index.by_model_[std::move(model)].push_back(index.entries_.size());
    }
    index.entries_.push_back({experiment, key, timed});
  };
  for (const std::string& path : files) {
    BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(path));
    ChunkReader reader(std::move(file));
    for (;;) {
      BENCHHUD_ASSIGN(const bool more, reader.next(&parsed.chunk));
      if (!more) break;
      parse_lines(&parser, timestamp ? timestamp : date_in_name(path), &parsed);
      shift_times(shift_weeks, &parsed);
      for (std::size_t i = 0; i < parsed.line_count; ++i) {
        if (!parsed.lines[i].rejection) take(parsed.lines[i]);
      }
      recycle(&parsed);
    }
  }
  return index;
}

const std::vector<ResultKey>& OutputIndex::find(std::string_view base) {
  std::string normalized = normalized_base(base);
  const auto found = found_.find(normalized);
  if (found != found_.end()) return found->second;
  std::vector<ResultKey> results = results_of(normalized);
  return found_.emplace(std::move(normalized), std::move(results)).first->second;
}

std::vector<ResultKey> OutputIndex::find_compiled_by_xla(std::string_view model) const {
  std::vector<ResultKey> keys;
  for (const Entry& entry : entries_) {
    if (entry.experiment.model == model && entry.experiment.xla) keys.push_back(entry.key);
  }
  if (keys.size() > 1) keys.clear();
  return keys;
}

std::vector<ResultKey> OutputIndex::results_of(std::string_view normalized) const {
  // The fullest name, then a timed result, then the newest.
  using Rank = std::tuple<int, bool, double>;
  std::optional<Rank> best;
  std::vector<ResultKey> keys;
  const auto take = [&](const Entry& entry) {
    const auto missing = keys_left_out(entry.experiment, normalized);
    if (!missing) return;
    const Rank rank(-*missing, entry.timed, entry.key.timestamp);
    if (best && rank < *best) return;
    if (!best || rank > *best) keys.clear();
    best = rank;
    keys.push_back(entry.key);
  };
  // A model's name may have dashes in it.
  for (std::size_t at = 0, dash = 0; dash != normalized.npos; at = dash + 1) {
    dash = normalized.find('-', at);
    const auto named = by_model_.find(std::string(normalized.substr(at)));
    if (named == by_model_.end()) continue;
    for (const std::size_t entry : named->second) take(entries_[entry]);
  }
  return keys;
}

}  // namespace benchhud::ingest
