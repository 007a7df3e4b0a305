// A stretch of a trace's time, and what of a row's slices lies in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "trace/trace_chunk.h"

namespace benchhud::trace {

struct TraceSpan {
  std::int64_t begin = 0, end = 0;  ///< ns: [begin, end)

  bool has(std::int64_t time) const { return time >= begin && time < end; }
  /// Whether all that begins and ends in between is in it. What takes no time at its very end is
  /// not, so an end there is not enough.
  bool holds(std::int64_t first, std::int64_t last) const { return first >= begin && last < end; }
  /// What takes no time is where it begins.
  bool overlaps(const ChunkSlice& slice) const {
    return slice.begin < end && (slice.end() > begin || slice.begin >= begin);
  }
  /// ns of [from, to) that lie in it.
  std::int64_t part_of(std::int64_t from, std::int64_t to) const {
    const std::int64_t first = std::max(from, begin), last = std::min(to, end);
    return first < last ? last - first : 0;
  }
  std::int64_t part_of(const ChunkSlice& slice) const { return part_of(slice.begin, slice.end()); }
  /// Of slices of one row, by time, those that may overlap it: of what begins before, only the last
  /// one can reach into it.
  std::span<const ChunkSlice> candidates(std::span<const ChunkSlice> row) const {
    const auto is_before = [](const ChunkSlice& slice, std::int64_t time) {
      return slice.begin < time;
    };
    auto first = std::lower_bound(row.begin(), row.end(), begin, is_before);
    const auto last = std::lower_bound(first, row.end(), end, is_before);
    if (first != row.begin()) --first;
    return {first, last};
  }
};

}  // namespace benchhud::trace
