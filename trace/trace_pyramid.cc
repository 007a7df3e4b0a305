// Nodes and segments are each one zstd frame around at most 16 MiB. All numbers are varints, as
// ColumnWriter writes them (schema/base/column_codec.h), unless a line says zigzag. "N x" is a
// column: one number of each of the N items, in their order. No byte follows the last number.
// trace_slices.cc says of which slices the nodes of a chunk and of a group are.
//
// Nodes:
//   N
//   N x begin minus the end of the node before, ns (of the first: the begin): zigzag, modulo 2^64
//   N x extent: end minus begin, ns; the end is at most 2^63 - 1
//   N x number of slices, at least 1
//   N x extent minus busy time, ns
//   N x busy time minus the longest duration, ns
//   N x label, 32 bits
//
// Segments of a group, by chunk and row:
//   N
//   of each:
//     chunk minus the chunk of the segment before (of the first: the chunk), 32 bits
//     row, 32 bits, minus the row of the segment before (of the first: the row)
//   the columns of their nodes, as above, without N
// The slices of a chunk's segments follow one another in the chunk: at most 8192 in all.
#include "trace/trace_pyramid.h"

#include <algorithm>
#include <limits>

#include "schema/base/column_codec.h"

namespace benchhud::trace {
namespace {

std::int64_t begin_of(const TraceNode& node) { return node.begin; }
std::int64_t begin_of(const ChunkSlice& slice) { return slice.begin; }
std::int64_t end_of(const TraceNode& node) { return node.end; }
std::int64_t end_of(const ChunkSlice& slice) { return slice.end(); }
const TraceNode& as_node(const TraceNode& node) { return node; }
TraceNode as_node(const ChunkSlice& slice) { return node_of(slice); }

template <class Unit>
std::vector<TraceNode> above(std::span<const Unit> below) {
  std::vector<TraceNode> nodes;
  while (!below.empty()) {
    std::size_t size = below.size();
    if (size > kMostInNode) {
      size = widest_gap(kLeastInNode, kMostInNode + 1, [&](std::size_t i) {
        return schema::distance(end_of(below[i - 1]), begin_of(below[i]));
      });
    }
    TraceNode& node = nodes.emplace_back(as_node(below[0]));
    for (const Unit& unit : below.subspan(1, size - 1)) node.add(as_node(unit));
    below = below.subspan(size);
  }
  return nodes;
}

// Columns of nodes. Times follow the node before, which may be of another row: so they wrap.
void put_nodes(std::span<const TraceNode* const> nodes, schema::ColumnWriter* column) {
  std::int64_t last = 0;
  for (const TraceNode* node : nodes) {
    column->put_signed(schema::wrapping_difference(node->begin, last));
    last = node->end;
  }
  for (const TraceNode* node : nodes) column->put(node->extent());
  for (const TraceNode* node : nodes) column->put(node->count);
  for (const TraceNode* node : nodes) column->put(node->extent() - node->busy);
  for (const TraceNode* node : nodes) {
    column->put(node->busy - static_cast<std::uint64_t>(node->longest));
  }
  for (const TraceNode* node : nodes) column->put(node->label);
}

void get_nodes(std::span<TraceNode* const> nodes, schema::ColumnReader* column) {
  for (TraceNode* node : nodes) node->begin = column->get_signed();
  std::int64_t last = 0;
  for (TraceNode* node : nodes) {
    node->begin = schema::wrapping_sum(last, node->begin);
    const std::uint64_t extent = column->get();
    if (extent > schema::distance(node->begin, schema::kLatest)) column->fail();
    node->end = last = schema::wrapping_sum(node->begin, static_cast<std::int64_t>(extent));
  }
  for (TraceNode* node : nodes) {
    node->count = column->get();
    if (node->count == 0) column->fail();
  }
  for (TraceNode* node : nodes) {
    const std::uint64_t idle = column->get();
    if (idle > node->extent()) column->fail();
    node->busy = node->extent() - idle;
  }
  for (TraceNode* node : nodes) {
    const std::uint64_t others = column->get();
    const std::uint64_t longest = node->busy - others;
    if (others > node->busy || longest > static_cast<std::uint64_t>(schema::kLatest))
      column->fail();
    node->longest = static_cast<std::int64_t>(longest);
  }
  for (TraceNode* node : nodes) node->label = column->get_small();
}

}  // namespace

std::uint64_t TraceNode::extent() const { return schema::distance(begin, end); }

void TraceNode::add(const TraceNode& next) {
  end = next.end;
  count += next.count;
  busy += next.busy;
  if (next.longest > longest) {
    longest = next.longest;
    label = next.label;
  }
}

TraceNode node_of(const ChunkSlice& slice) {
  return {.begin = slice.begin,
          .end = slice.end(),
          .count = 1,
          .busy = static_cast<std::uint64_t>(slice.duration),
          .longest = slice.duration,
          .label = slice.label};
}

std::vector<TraceNode> level_above(std::span<const TraceNode> below) { return above(below); }
std::vector<TraceNode> level_above(std::span<const ChunkSlice> below) { return above(below); }

std::string encode_nodes(std::span<const TraceNode> nodes) {
  std::vector<const TraceNode*> all;
  all.reserve(nodes.size());
  for (const TraceNode& node : nodes) all.push_back(&node);
  schema::ColumnWriter column;
  column.put(nodes.size());
  put_nodes(all, &column);
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<TraceNode>> decode_nodes(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  // Every node takes a byte in each of six columns.
  std::vector<TraceNode> nodes(column.get_count(6));
  std::vector<TraceNode*> all;
  all.reserve(nodes.size());
  for (TraceNode& node : nodes) all.push_back(&node);
  get_nodes(all, &column);
  if (!column.is_done()) return schema::corrupt_trace("block of nodes");
  return nodes;
}

std::string encode_segments(std::span<const TraceSegment> segments) {
  std::vector<const TraceNode*> all;
  all.reserve(segments.size());
  for (const TraceSegment& segment : segments) all.push_back(&segment.node);
  schema::ColumnWriter column;
  column.put(segments.size());
  TraceSegment last;
  for (const TraceSegment& segment : segments) {
    column.put(segment.chunk - last.chunk);
    column.put(segment.row - last.row);
    last = segment;
  }
  put_nodes(all, &column);
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<TraceSegment>> decode_segments(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  std::vector<TraceSegment> segments(column.get_count(8));
  std::uint64_t chunk = 0, row = 0;
  for (TraceSegment& segment : segments) {
    chunk += column.get_small();
    row += column.get_small();
    if (row > std::numeric_limits<std::uint32_t>::max()) column.fail();
    segment.chunk = chunk;
    segment.row = static_cast<std::uint32_t>(row);
  }
  std::vector<TraceNode*> all;
  all.reserve(segments.size());
  for (TraceSegment& segment : segments) all.push_back(&segment.node);
  get_nodes(all, &column);
  if (!column.is_done()) return schema::corrupt_trace("block of segments");
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i > 0 && segments[i].chunk != segments[i - 1].chunk) first = 0;
    segments[i].first = static_cast<std::uint32_t>(first);
    if (segments[i].node.count > kMostSlicesAChunk - first)
      return schema::corrupt_trace("block of segments");
    first += segments[i].node.count;
  }
  return segments;
}

}  // namespace benchhud::trace
