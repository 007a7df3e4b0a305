// The stored slices of a thread: groups of segments, nodes and chunks, each read when it is asked
// for.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/queries.h"
#include "trace/trace_chunk.h"
#include "trace/trace_pyramid.h"

namespace benchhud::trace {

/// Of each of a chunk's slices what else there is to know. Errors: kCorrupt, the store's.
schema::Expected<std::vector<SliceExtra>> chunk_extras(schema::Connection& connection,
                                                       schema::TraceId trace, std::uint32_t thread,
                                                       std::uint64_t chunk);
/// A thread's rows whose slices have no parent, ascending. Errors: kCorrupt, also where there are
/// more than `most`; the store's.
schema::Expected<std::vector<std::uint32_t>> stack_rows_of(
    schema::Connection& connection, schema::TraceId trace, std::uint32_t thread,
    std::size_t most = std::numeric_limits<std::size_t>::max());

class ThreadAccess {
 public:
  ThreadAccess(schema::Connection& connection, schema::TraceId trace, std::uint32_t thread)
      : connection_(connection), trace_(trace), thread_(thread) {}

  struct Window {
    std::int64_t begin, end;  // ns, [begin, end)
    std::uint32_t first_row = 0, last_row = std::numeric_limits<std::uint32_t>::max();
  };

  /// Calls `visit(index, segment)` for every segment of the window by row and time; `index` is what
  /// nodes() and upper_nodes() want. `visit` returns Expected<void>.
  template <class Visit>
  schema::Expected<void> for_each_segment(const Window& window, Visit visit);

  /// The levels below the segment that is being visited: nodes over its slices, if has_nodes(), and
  /// over those, if has_upper_nodes(). Valid until one of another segment is asked for.
  schema::Expected<std::span<const TraceNode>> nodes(std::size_t index);
  schema::Expected<std::span<const TraceNode>> upper_nodes(std::size_t index);
  schema::Expected<bool> has_chunk(std::uint64_t chunk);
  /// A chunk's slices. Valid until another chunk's are asked for.
  schema::Expected<std::span<const ChunkSlice>> slices(std::uint64_t chunk);
  /// Those of them that a segment stands for.
  schema::Expected<std::span<const ChunkSlice>> slices_of(const TraceSegment& segment);

 private:
  // Nodes of several segments, and where each one's begin.
  struct Level {
    std::vector<TraceNode> nodes;
    std::vector<std::size_t> begins;  // by segment, from `first` on, and the end
    std::size_t first = 0;
    std::span<const TraceNode> of(std::size_t index) const {
      const std::size_t i = index - first;
      return {nodes.data() + begins[i], begins[i + 1] - begins[i]};
    }
  };
  schema::Statement of_chunk(std::string_view sql, std::uint64_t chunk);
  template <class HasNodes>
  schema::Expected<Level> read_level(schema::Statement query, std::size_t first, std::size_t end,
                                     HasNodes has);

  schema::Connection& connection_;
  schema::TraceId trace_;
  std::uint32_t thread_;
  // The group that is being visited.
  std::int64_t group_ = 0;
  std::vector<TraceSegment> segments_;
  std::optional<Level> upper_;
  // Chunks read last.
  std::optional<std::uint64_t> nodes_chunk_, slices_chunk_;
  Level nodes_;
  std::vector<ChunkSlice> slices_;
};

template <class Visit>
schema::Expected<void> ThreadAccess::for_each_segment(const Window& window, Visit visit) {
  schema::Statement query = connection_.cached(sql::kGroupsInWindow);
  query.bind(1, trace_)
      .bind(2, std::int64_t{thread_})
      .bind(3, window.begin)
      .bind(4, window.end)
      .bind(5, std::int64_t{window.first_row})
      .bind(6, std::int64_t{window.last_row});
  while (query.step()) {
    group_ = query.integer(0);
    upper_.reset();
    BENCHHUD_ASSIGN(segments_, decode_segments(query.blob(1)));
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const TraceSegment& segment = segments_[i];
      if (segment.row < window.first_row || segment.row > window.last_row ||
          segment.node.begin >= window.end || segment.node.end < window.begin) {
        continue;
      }
      BENCHHUD_TRY(visit(i, segment));
    }
  }
  BENCHHUD_TRY(query.status());
  return {};
}

}  // namespace benchhud::trace
