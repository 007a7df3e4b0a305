#include "trace/trace_correlation.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "trace/trace_access.h"

namespace benchhud::trace {
namespace {

struct DatedChunk {
  std::int64_t begin;
  std::uint32_t thread;
  std::uint64_t number;
  // The latest first.
  bool operator<(const DatedChunk& other) const {
    return std::tuple(other.begin, thread, number) < std::tuple(begin, other.thread, other.number);
  }
};

// Chunks that have slices of these labels.
schema::Expected<std::set<DatedChunk>> chunks_of(const TraceIndex& index,
                                                 const CorrelationQuery& query) {
  std::map<std::uint32_t, std::vector<ChunkExtent>> extents;
  std::set<DatedChunk> chunks;
  for (const std::uint32_t label : query.labels) {
    BENCHHUD_ASSIGN(const auto places, index.places(label));
    for (const LabelPlaces& place : places) {
      if (!extents.count(place.thread)) {
        BENCHHUD_ASSIGN(extents[place.thread], index.extents(place.thread));
      }
      const std::vector<ChunkExtent>& of_thread = extents[place.thread];
      for (const std::uint64_t number : place.chunks) {
        if (number >= of_thread.size() || of_thread[number].begin > query.before) continue;
        chunks.insert({of_thread[number].begin, place.thread, number});
      }
    }
  }
  return chunks;
}

}  // namespace

schema::Expected<std::optional<PlacedSlice>> find_correlated(schema::Connection& connection,
                                                             schema::TraceId trace,
                                                             const TraceIndex& index,
                                                             const CorrelationQuery& query) {
  BENCHHUD_ASSIGN(const auto chunks, chunks_of(index, query));
  std::size_t read = 0;
  for (const DatedChunk& chunk : chunks) {
    if (++read > query.most_chunks) break;
    ThreadAccess thread(connection, trace, chunk.thread);
    BENCHHUD_ASSIGN(const auto slices, thread.slices(chunk.number));
    BENCHHUD_ASSIGN(const auto extras, chunk_extras(connection, trace, chunk.thread, chunk.number));
    for (std::size_t i = 0; i < std::min(slices.size(), extras.size()); ++i) {
      if (extras[i].args.correlation != query.correlation) continue;
      if (!query.labels.count(slices[i].label)) continue;
      const SliceId id{chunk.thread, chunk.number, static_cast<std::uint32_t>(i)};
      return std::optional(PlacedSlice{id, slices[i]});
    }
  }
  return std::optional<PlacedSlice>();
}

}  // namespace benchhud::trace
