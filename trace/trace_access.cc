#include "trace/trace_access.h"

#include <string>

#include "trace/trace_rows.h"

namespace benchhud::trace {

schema::Expected<std::vector<SliceExtra>> chunk_extras(schema::Connection& connection,
                                                       schema::TraceId trace, std::uint32_t thread,
                                                       std::uint64_t chunk) {
  schema::Statement query = connection.cached(sql::kExtrasOfChunk);
  query.bind(1, trace).bind(2, std::int64_t{thread}).bind(3, static_cast<std::int64_t>(chunk));
  BENCHHUD_ASSIGN(const std::string bytes, one_blob(query));
  return decode_extras(bytes);
}

schema::Expected<std::vector<std::uint32_t>> stack_rows_of(schema::Connection& connection,
                                                           schema::TraceId trace,
                                                           std::uint32_t thread, std::size_t most) {
  schema::Statement query = connection.cached(sql::kStackRowsOfThread);
  query.bind(1, trace).bind(2, std::int64_t{thread});
  BENCHHUD_ASSIGN(const std::string bytes, one_blob(query));
  return decode_rows(bytes, most);
}

schema::Statement ThreadAccess::of_chunk(std::string_view sql, std::uint64_t chunk) {
  schema::Statement query = connection_.cached(sql);
  query.bind(1, trace_).bind(2, std::int64_t{thread_}).bind(3, static_cast<std::int64_t>(chunk));
  return query;
}

// The level of the segments [first, end), of which those that `has` says have nodes.
template <class HasNodes>
schema::Expected<ThreadAccess::Level> ThreadAccess::read_level(schema::Statement query,
                                                               std::size_t first, std::size_t end,
                                                               HasNodes has) {
  Level level;
  level.first = first;
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return schema::corrupt_trace("block of nodes");
  }
  BENCHHUD_ASSIGN(level.nodes, decode_nodes(query.blob(0)));
  std::size_t at = 0;
  for (std::size_t i = first; i < end; ++i) {
    level.begins.push_back(at);
    const TraceNode& segment = segments_[i].node;
    if (!has(segment)) continue;
    std::uint64_t left = segment.count;
    while (left > 0) {
      if (at == level.nodes.size() || level.nodes[at].count > left) {
        return schema::corrupt_trace("block of nodes");
      }
      left -= level.nodes[at++].count;
    }
  }
  level.begins.push_back(at);
  if (at != level.nodes.size()) return schema::corrupt_trace("block of nodes");
  return level;
}

schema::Expected<std::span<const TraceNode>> ThreadAccess::nodes(std::size_t index) {
  const std::uint64_t chunk = segments_[index].chunk;
  if (nodes_chunk_ != chunk) {
    nodes_chunk_.reset();
    std::size_t first = index, end = index + 1;
    while (first > 0 && segments_[first - 1].chunk == chunk) --first;
    while (end < segments_.size() && segments_[end].chunk == chunk) ++end;
    BENCHHUD_ASSIGN(nodes_, read_level(of_chunk(sql::kNodesOfChunk, chunk), first, end, has_nodes));
    nodes_chunk_ = chunk;
  }
  return nodes_.of(index);
}

schema::Expected<std::span<const TraceNode>> ThreadAccess::upper_nodes(std::size_t index) {
  if (!upper_) {
    schema::Statement query = connection_.cached(sql::kNodesOfGroup);
    query.bind(1, trace_).bind(2, std::int64_t{thread_}).bind(3, group_);
    BENCHHUD_ASSIGN(upper_, read_level(std::move(query), 0, segments_.size(), has_upper_nodes));
  }
  return upper_->of(index);
}

schema::Expected<bool> ThreadAccess::has_chunk(std::uint64_t chunk) {
  schema::Statement query = of_chunk(sql::kSlicesOfChunk, chunk);
  const bool is_there = query.step();
  BENCHHUD_TRY(query.status());
  return is_there;
}

schema::Expected<std::span<const ChunkSlice>> ThreadAccess::slices(std::uint64_t chunk) {
  if (slices_chunk_ != chunk) {
    slices_chunk_.reset();
    schema::Statement query = of_chunk(sql::kSlicesOfChunk, chunk);
    if (!query.step()) {
      BENCHHUD_TRY(query.status());
      return schema::corrupt_trace("chunk of slices");
    }
    BENCHHUD_ASSIGN(slices_, decode_slices(query.blob(0)));
    slices_chunk_ = chunk;
  }
  return std::span<const ChunkSlice>(slices_);
}

schema::Expected<std::span<const ChunkSlice>> ThreadAccess::slices_of(const TraceSegment& segment) {
  BENCHHUD_ASSIGN(const auto all, slices(segment.chunk));
  if (segment.first + segment.node.count > all.size() || all[segment.first].row != segment.row ||
      all[segment.first + segment.node.count - 1].row != segment.row) {
    return schema::corrupt_trace("chunk of slices");
  }
  return all.subspan(segment.first, segment.node.count);
}

}  // namespace benchhud::trace
