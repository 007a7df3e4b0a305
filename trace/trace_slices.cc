// The blobs of slices and of the levels above them:
//   trace_chunk.slices, trace_chunk.extras: as trace_chunk.cc encodes them; both have the same
//     slices in the same order
//   trace_chunk.nodes: nodes (trace_pyramid.cc) over slices of the chunk. Of each row with more
//     than 32 slices in the chunk, row by row: nodes of at most 32 slices that follow one another,
//     until they have all of the row's; null where there is no such row
//   trace_group.segments: segments (trace_pyramid.cc), one of each row of each chunk of the group
//   trace_group.nodes: nodes over the nodes of the chunks. Of each segment with more than 1024
//     slices, in order: nodes over at most 32 of the chunk's nodes that follow one another, until
//     they have all slices of the segment; null where there is no such segment
#include "trace/trace_slices.h"

#include <algorithm>
#include <limits>

#include "schema/base/column_codec.h"
#include "trace/queries.h"

namespace benchhud::trace {
namespace {

struct Extent {
  std::uint32_t first_row = std::numeric_limits<std::uint32_t>::max(), last_row = 0;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  std::uint64_t count = 0;

  void add(const TraceSegment& segment) {
    first_row = std::min(first_row, segment.row);
    last_row = std::max(last_row, segment.row);
    begin = std::min(begin, segment.node.begin);
    end = std::max(end, segment.node.end);
    count += segment.node.count;
  }
};

Extent extent_of(std::span<const TraceSegment> segments) {
  Extent extent;
  for (const TraceSegment& segment : segments) extent.add(segment);
  return extent;
}

void bind_place(schema::TraceId trace, std::uint32_t thread, std::uint64_t number,
                const Extent& extent, schema::Statement* insert) {
  insert->bind(1, trace)
      .bind(2, std::int64_t{thread})
      .bind(3, static_cast<std::int64_t>(number))
      .bind(4, std::int64_t{extent.first_row})
      .bind(5, std::int64_t{extent.last_row})
      .bind(6, extent.begin)
      .bind(7, extent.end)
      .bind(8, static_cast<std::int64_t>(extent.count));
}

}  // namespace

schema::Expected<void> TraceSliceWriter::add(std::uint32_t thread, const ChunkSlice& slice,
                                             const SliceExtra& extra) {
  if (thread != thread_) BENCHHUD_TRY(finish_thread());
  const bool is_in_order =
      thread >= thread_ && (!last_ || slice.row > last_->row ||
                            (slice.row == last_->row && slice.begin >= last_->end()));
  if (!is_in_order || !schema::ends_in_time(slice.begin, slice.duration)) {
    return schema::Error{schema::ErrorCode::kInvalidArgument,
                         "slices are written by thread, row and time, and end after they begin"};
  }
  thread_ = thread;
  if (extents_.size() <= thread) extents_.resize(std::size_t{thread} + 1);
  ThreadExtent& extent = extents_[thread];
  extent.begin = extent.slices == 0 ? slice.begin : std::min(extent.begin, slice.begin);
  extent.end = extent.slices == 0 ? slice.end() : std::max(extent.end, slice.end());
  extent.rows = std::uint64_t{slice.row} + 1;
  ++extent.slices;
  ++count_;

  slices_.push_back(slice);
  extras_.push_back(extra);
  last_ = slice;
  if (slices_.size() < kMostSlicesAChunk) return {};
  const std::size_t size = widest_gap(kLeastSlicesAChunk, kMostSlicesAChunk, [&](std::size_t i) {
    // Best is between two rows.
    return slices_[i].row != slices_[i - 1].row
               ? std::numeric_limits<std::uint64_t>::max()
               : schema::distance(slices_[i - 1].end(), slices_[i].begin);
  });
  return write_chunk(size);
}

schema::Expected<void> TraceSliceWriter::finish() { return finish_thread(); }

schema::Expected<void> TraceSliceWriter::finish_thread() {
  if (!slices_.empty()) BENCHHUD_TRY(write_chunk(slices_.size()));
  BENCHHUD_TRY(write_group());
  chunks_ = groups_ = 0;
  last_.reset();
  return {};
}

// The first `size` of what is there.
schema::Expected<void> TraceSliceWriter::write_chunk(std::size_t size) {
  const std::span<const ChunkSlice> slices(slices_.data(), size);
  const std::size_t first_segment = segments_.size();
  std::vector<TraceNode> nodes;
  for (std::size_t begin = 0, end; begin < size; begin = end) {
    for (end = begin; end < size && slices[end].row == slices[begin].row;) ++end;
    const auto of_row = slices.subspan(begin, end - begin);
    TraceSegment& segment = segments_.emplace_back();
    segment.node = node_of(of_row.front());
    for (const ChunkSlice& slice : of_row.subspan(1)) segment.node.add(node_of(slice));
    segment.row = of_row.front().row;
    segment.chunk = chunks_;
    if (!has_nodes(segment.node)) continue;
    const std::vector<TraceNode> level = level_above(of_row);
    nodes.insert(nodes.end(), level.begin(), level.end());
    if (!has_upper_nodes(segment.node)) continue;
    const std::vector<TraceNode> upper = level_above(level);
    nodes_.insert(nodes_.end(), upper.begin(), upper.end());
  }
  const std::string chunk = encode_slices(slices);
  const std::string extras = encode_extras({extras_.data(), size});
  const std::string level = nodes.empty() ? std::string() : encode_nodes(nodes);

  schema::Statement insert = connection_.cached(sql::kInsertTraceChunk);
  bind_place(trace_, thread_, chunks_,
             extent_of({segments_.data() + first_segment, segments_.size() - first_segment}),
             &insert);
  insert.bind_blob_view(10, chunk).bind_blob_view(11, extras);
  if (nodes.empty()) {
    insert.bind_null(9);
  } else {
    insert.bind_blob_view(9, level);
  }
  BENCHHUD_TRY(insert.run());

  ++chunks_;
  slices_.erase(slices_.begin(), slices_.begin() + static_cast<std::ptrdiff_t>(size));
  extras_.erase(extras_.begin(), extras_.begin() + static_cast<std::ptrdiff_t>(size));
  ++chunks_in_group_;
  if (chunks_in_group_ < kChunksAGroup && segments_.size() < kSegmentsAGroup) return {};
  return write_group();
}

schema::Expected<void> TraceSliceWriter::write_group() {
  if (segments_.empty()) return {};
  const std::string segments = encode_segments(segments_);
  const std::string nodes = nodes_.empty() ? std::string() : encode_nodes(nodes_);
  schema::Statement insert = connection_.cached(sql::kInsertTraceGroup);
  bind_place(trace_, thread_, groups_, extent_of(segments_), &insert);
  insert.bind_blob_view(9, segments);
  if (nodes_.empty()) {
    insert.bind_null(10);
  } else {
    insert.bind_blob_view(10, nodes);
  }
  BENCHHUD_TRY(insert.run());
  ++groups_;
  chunks_in_group_ = 0;
  segments_.clear();
  nodes_.clear();
  return {};
}

}  // namespace benchhud::trace
