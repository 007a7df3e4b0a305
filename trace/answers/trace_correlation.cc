#include "trace/answers/trace_correlation.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
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

struct FoundChunks {
  std::set<DatedChunk> latest;
  std::set<std::uint32_t> threads;  // of all, also of those that were left out
  bool is_complete = true;
};

// The latest chunks that have slices of these labels.
schema::Expected<FoundChunks> chunks_of(const TraceIndex& index, const CorrelationQuery& query) {
  std::map<std::uint32_t, std::vector<ChunkExtent>> extents;
  FoundChunks chunks;
  for (const std::uint32_t label : query.labels) {
    BENCHHUD_ASSIGN(const auto places, index.places(label));
    for (const LabelPlaces& place : places) {
      if (!extents.count(place.thread)) {
        if (extents.size() >= query.most_threads) {
          chunks.is_complete = false;
          chunks.threads.insert(place.thread);
          continue;
        }
        BENCHHUD_ASSIGN(extents[place.thread], index.extents(place.thread));
      }
      const std::vector<ChunkExtent>& of_thread = extents[place.thread];
      for (const std::uint64_t number : place.chunks) {
        if (number >= of_thread.size() || of_thread[number].begin > query.before) continue;
        chunks.threads.insert(place.thread);
        chunks.latest.insert({of_thread[number].begin, place.thread, number});
        if (chunks.latest.size() <= query.most_chunks) continue;
        chunks.latest.erase(std::prev(chunks.latest.end()));
        chunks.is_complete = false;
      }
    }
  }
  return chunks;
}

schema::Expected<bool> are_of_one_process(schema::Connection& connection, schema::TraceId trace,
                                          const std::set<std::uint32_t>& threads) {
  BENCHHUD_ASSIGN(const auto all, TraceQueries(connection, trace).threads());
  std::optional<std::string_view> pid;
  for (const StoredThread& thread : all) {
    if (!threads.count(thread.number)) continue;
    if (pid && *pid != thread.thread.pid) return false;
    pid = thread.thread.pid;
  }
  return true;
}

// Whether one of them is within the other, or around it.
bool are_nested(const PlacedSlice& a, const PlacedSlice& b) {
  if (a.id.thread != b.id.thread) return false;
  const auto holds = [](const ChunkSlice& outer, const ChunkSlice& inner) {
    return outer.begin <= inner.begin && inner.end() <= outer.end();
  };
  return holds(a.slice, b.slice) || holds(b.slice, a.slice);
}

// Adds one that has the correlation.
void add(const PlacedSlice& slice, Correlated* found) {
  if (!found->slice) {
    found->slice = slice;
  } else if (!are_nested(*found->slice, slice)) {
    found->is_ambiguous = true;
  } else if (slice.slice.duration < found->slice->slice.duration) {
    found->slice = slice;
  }
}

}  // namespace

schema::Expected<Correlated> find_correlated(schema::Connection& connection, schema::TraceId trace,
                                             const TraceIndex& index,
                                             const CorrelationQuery& query) {
  BENCHHUD_ASSIGN(const FoundChunks chunks, chunks_of(index, query));
  BENCHHUD_ASSIGN(const bool is_of_one_process,
                  are_of_one_process(connection, trace, chunks.threads));
  Correlated found;
  for (const DatedChunk& chunk : chunks.latest) {
    ThreadAccess thread(connection, trace, chunk.thread);
    BENCHHUD_ASSIGN(const auto slices, thread.slices(chunk.number));
    BENCHHUD_ASSIGN(const auto extras, chunk_extras(connection, trace, chunk.thread, chunk.number));
    for (std::size_t i = 0; i < std::min(slices.size(), extras.size()); ++i) {
      if (extras[i].args.correlation != query.correlation) continue;
      if (!query.labels.count(slices[i].label)) continue;
      const SliceId id{chunk.thread, chunk.number, static_cast<std::uint32_t>(i)};
      add({id, slices[i]}, &found);
    }
    if (found.slice && is_of_one_process) break;
  }
  // What was not looked at could have it as well, or alone.
  found.is_complete = chunks.is_complete || (found.slice && is_of_one_process);
  if (found.is_ambiguous || !found.is_complete) found.slice.reset();
  return found;
}

}  // namespace benchhud::trace
