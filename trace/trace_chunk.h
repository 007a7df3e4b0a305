// A trace's events in chunks: columns of small numbers, compressed. Every decoder takes any bytes:
// what does not read as it was written is kCorrupt.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "trace/trace.h"

namespace benchhud::trace {

/// A chunk of slices has fewer than twice as many; it is cut where the widest gap is.
inline constexpr std::size_t kLeastSlicesAChunk = 4096;
inline constexpr std::size_t kMostSlicesAChunk = 2 * kLeastSlicesAChunk;
/// Points and flows have no rows, and are cut when there are so many.
inline constexpr std::size_t kEventsAChunk = 4096;

/// What a block holds: trace_block.kind.
enum class TraceBlockKind : std::int64_t {
  kTexts,
  kLabels,
  kArgs,
  kPoints,
  kFlows,
  kXlaProfile,  ///< one, of an XPlane profile
};

/// What is drawn of a slice.
struct ChunkSlice {
  std::int64_t begin = 0;     ///< ns
  std::int64_t duration = 0;  ///< ns
  std::uint32_t label = 0;    ///< index in Trace::labels
  std::uint32_t row = 0;      ///< of its thread

  std::int64_t end() const { return begin + duration; }
  bool operator==(const ChunkSlice&) const = default;
};

/// What else there is to know of a slice.
struct SliceExtra {
  TraceArgs args;
  bool has_bandwidth = false;
  double bytes = 0, gigabytes_per_second = 0;  ///< as TraceBandwidth's
};

/// A point with its arguments in place; TracePoint::args is not used.
struct ChunkPoint {
  TracePoint point;
  TraceArgs args;
};

/// One end of an arrow, as it is stored.
struct ChunkFlow {
  std::int64_t time = 0;       ///< ns
  std::uint32_t category = 0;  ///< a number of Trace::texts
  std::uint32_t thread = 0;
  TraceFlow::Step step = TraceFlow::Step::kStart;
  /// How many ends, by time, the flow's end before and the one after it are away; 0: there is none.
  std::uint64_t before = 0, after = 0;
};

/// Slices of one thread by row and, within a row, by time, where none overlaps the one before; at
/// most kMostSlicesAChunk of them.
std::string encode_slices(std::span<const ChunkSlice> slices);
schema::Expected<std::vector<ChunkSlice>> decode_slices(std::string_view chunk);

std::string encode_extras(std::span<const SliceExtra> extras);
schema::Expected<std::vector<SliceExtra>> decode_extras(std::string_view chunk);

/// Points by thread and time.
std::string encode_points(std::span<const ChunkPoint> points);
schema::Expected<std::vector<ChunkPoint>> decode_points(std::string_view chunk);

/// Flows by time.
std::string encode_flows(std::span<const ChunkFlow> flows);
schema::Expected<std::vector<ChunkFlow>> decode_flows(std::string_view chunk);

std::string encode_labels(std::span<const TraceLabel> labels);
schema::Expected<std::vector<TraceLabel>> decode_labels(std::string_view block);

/// Numbers of rows, ascending.
std::string encode_rows(std::span<const std::uint32_t> rows);
schema::Expected<std::vector<std::uint32_t>> decode_rows(
    std::string_view block, std::size_t most = std::numeric_limits<std::size_t>::max());

/// Whether there is nothing in it, as in Trace::args[0].
bool is_empty(const TraceArgs& args);

}  // namespace benchhud::trace
