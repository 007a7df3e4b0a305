// What stands for many slices of a row where there is no room for each: nodes over 16 to 32 of the
// level below, and over all that a chunk has of the row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "trace/trace_chunk.h"

namespace benchhud::trace {

/// A node is cut where the widest gap is, so that bursts are nodes and what is between them is not.
inline constexpr std::size_t kLeastInNode = 16;
inline constexpr std::size_t kMostInNode = 32;

/// Some slices of a row, one after the other.
struct TraceNode {
  std::int64_t begin = 0;    ///< ns: of the first
  std::int64_t end = 0;      ///< ns: of the last
  std::uint64_t count = 0;   ///< slices, at least one
  std::uint64_t busy = 0;    ///< ns: the sum of their durations
  std::int64_t longest = 0;  ///< ns: the longest of them
  std::uint32_t label = 0;   ///< of the longest, of several the first; index in Trace::labels

  std::uint64_t extent() const;  ///< ns from begin to end
  /// Takes in what comes next in the row.
  void add(const TraceNode& next);
  bool operator==(const TraceNode&) const = default;
};

TraceNode node_of(const ChunkSlice& slice);

/// What a chunk has of one row.
struct TraceSegment {
  TraceNode node;
  std::uint32_t row = 0;
  std::uint64_t chunk = 0;  ///< number within the thread
  std::uint32_t first = 0;  ///< index in its chunk of its first slice; not stored
  bool operator==(const TraceSegment&) const = default;
};

/// Where the widest gap is in what comes in order: between i - 1 and i, for the i in [least, most)
/// that it returns. `gap(i)` is the width between i - 1 and i. The last of equally wide ones.
template <class Gap>
std::size_t widest_gap(std::size_t least, std::size_t most, Gap gap) {
  std::size_t widest = least;
  for (std::size_t i = least; i < most; ++i) {
    if (gap(i) >= gap(widest)) widest = i;
  }
  return widest;
}

/// The level above: every node stands for kLeastInNode to kMostInNode of `below`, the last for what
/// remains. `below` is of one row.
std::vector<TraceNode> level_above(std::span<const TraceNode> below);
std::vector<TraceNode> level_above(std::span<const ChunkSlice> below);

/// Whether a chunk keeps nodes over its slices of a row, of which `segment` tells; with fewer, the
/// segment itself is the one node.
inline bool has_nodes(const TraceNode& segment) { return segment.count > kMostInNode; }
/// Whether a group keeps nodes over those nodes.
inline bool has_upper_nodes(const TraceNode& segment) {
  return segment.count > kMostInNode * kMostInNode;
}

/// Nodes of one or more rows.
std::string encode_nodes(std::span<const TraceNode> nodes);
schema::Expected<std::vector<TraceNode>> decode_nodes(std::string_view block);

/// Segments by chunk and row.
std::string encode_segments(std::span<const TraceSegment> segments);
schema::Expected<std::vector<TraceSegment>> decode_segments(std::string_view block);

}  // namespace benchhud::trace
