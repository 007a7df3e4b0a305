// A trace's index, out of the store.

#include <utility>

#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_index.h"
#include "trace/trace_index_version.h"
#include "trace/trace_queries.h"
#include "trace/trace_rows.h"

namespace benchhud::trace {

schema::Expected<std::optional<TraceIndex>> TraceIndex::open(schema::Connection& connection,
                                                             schema::TraceId trace) {
  schema::Statement query = connection.cached(sql::kTraceIndexOfTrace);
  query.bind(1, trace).bind(2, kTraceIndexVersion);
  std::optional<TraceIndex> index;
  if (query.step()) {
    index = TraceIndex(connection, trace, query.integer(0), query.integer(1));
    index->counters_left_out_ = query.optional_integer(2);
  }
  BENCHHUD_TRY(query.status());
  return index;
}

schema::Expected<std::vector<LabelTotals>> TraceIndex::labels(std::uint64_t block) const {
  schema::Statement query = connection_->cached(sql::kLabelSumsOfBlock);
  query.bind(1, trace_).bind(2, static_cast<std::int64_t>(block));
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return std::vector<LabelTotals>();
  }
  return decode_label_totals(query.blob(0));
}

schema::Expected<std::vector<IndexedTrack>> TraceIndex::tracks() const {
  std::vector<IndexedTrack> tracks;
  schema::Statement query = connection_->cached(sql::kTracksOfTrace);
  query.bind(1, trace_);
  while (query.step()) {
    IndexedTrack& track = tracks.emplace_back();
    track.thread = static_cast<std::uint32_t>(query.integer(0));
    track.busy = query.integer(1);
    track.points = query.integer(2);
    BENCHHUD_ASSIGN(track.sums, decode_label_sums(query.blob(3)));
  }
  BENCHHUD_TRY(query.status());
  return tracks;
}

schema::Expected<std::vector<LabelSums>> TraceIndex::thread_sums(std::uint32_t thread) const {
  schema::Statement query = connection_->cached(sql::kTrackOfTrace);
  query.bind(1, trace_).bind(2, std::int64_t{thread});
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return std::vector<LabelSums>();
  }
  return decode_label_sums(query.blob(0));
}

schema::Expected<std::vector<ChunkExtent>> TraceIndex::extents(std::uint32_t thread) const {
  schema::Statement query = connection_->cached(sql::kTrackOfTrace);
  query.bind(1, trace_).bind(2, std::int64_t{thread});
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return std::vector<ChunkExtent>();
  }
  return decode_extents(query.blob(1));
}

schema::Expected<std::vector<LabelSums>> TraceIndex::sums_of(std::uint32_t thread, bool is_group,
                                                             std::uint64_t number) const {
  schema::Statement query = connection_->cached(sql::kSumsOfTracePart);
  query.bind(1, trace_)
      .bind(2, std::int64_t{thread})
      .bind(3, is_group)
      .bind(4, static_cast<std::int64_t>(number));
  BENCHHUD_ASSIGN(const std::string block, one_blob(query));
  return decode_label_sums(block);
}

schema::Expected<std::vector<LabelSums>> TraceIndex::group_sums(std::uint32_t thread,
                                                                std::uint64_t group) const {
  return sums_of(thread, true, group);
}

schema::Expected<std::vector<LabelSums>> TraceIndex::chunk_sums(std::uint32_t thread,
                                                                std::uint64_t chunk) const {
  return sums_of(thread, false, chunk);
}

schema::Expected<std::vector<std::int64_t>> TraceIndex::within(std::uint32_t thread,
                                                               std::uint64_t chunk) const {
  schema::Statement query = connection_->cached(sql::kWithinOfChunk);
  query.bind(1, trace_).bind(2, std::int64_t{thread}).bind(3, static_cast<std::int64_t>(chunk));
  BENCHHUD_ASSIGN(const std::string block, one_blob(query));
  if (block.empty()) return std::vector<std::int64_t>();
  return decode_lengths(block);
}

schema::Expected<std::vector<LabelPlaces>> TraceIndex::places(std::uint32_t label) const {
  std::vector<LabelPlaces> places;
  schema::Statement query = connection_->cached(sql::kPostingsOfLabel);
  query.bind(1, trace_).bind(2, std::int64_t{label});
  while (query.step()) {
    LabelPlaces& of_thread = places.emplace_back();
    of_thread.thread = static_cast<std::uint32_t>(query.integer(0));
    BENCHHUD_ASSIGN(of_thread.chunks, decode_ascending(query.blob(1)));
  }
  BENCHHUD_TRY(query.status());
  return places;
}

schema::Expected<std::vector<FlowKindCount>> TraceIndex::flow_kinds() const {
  schema::Statement query = connection_->cached(sql::kFlowKindsOfTrace);
  query.bind(1, trace_);
  BENCHHUD_ASSIGN(const auto counts, collect(query, [](const schema::Statement& row) {
                    return std::pair(static_cast<std::uint32_t>(row.integer(0)), row.integer(1));
                  }));
  TraceQueries lookup(*connection_, trace_);
  std::vector<FlowKindCount> kinds;
  for (const auto& [category, ends] : counts) {
    FlowKindCount& kind = kinds.emplace_back();
    BENCHHUD_ASSIGN(kind.category, lookup.text(category));
    kind.ends = ends;
  }
  return kinds;
}

}  // namespace benchhud::trace
