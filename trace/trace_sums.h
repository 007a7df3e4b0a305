// How often and how long: sums over slices by label, as the store keeps them of chunks, groups,
// threads and whole traces. Every decoder takes any bytes: what does not read as it was written is
// kCorrupt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"

namespace benchhud::trace {

/// Sums over slices. What is more than 63 bits hold stays at the most that they hold.
struct SliceSums {
  std::uint64_t count = 0;
  std::int64_t total = 0;         ///< ns: of their durations
  std::int64_t self = 0;          ///< ns: without what lies right within each
  std::int64_t min = 0, max = 0;  ///< ns: the shortest and the longest; 0 where there are none

  void add(std::int64_t duration, std::int64_t own) { add({1, duration, own, duration, duration}); }
  void add(const SliceSums& other);
  bool operator==(const SliceSums&) const = default;
};

/// Sums of a label's slices.
struct LabelSums {
  std::uint32_t label = 0;
  SliceSums sums;
  bool operator==(const LabelSums&) const = default;
};

/// A trace with more labels, which no program writes, is not indexed.
inline constexpr std::int64_t kMostIndexedLabels = std::int64_t{1} << 22;
/// Labels in a block of sums.
inline constexpr std::size_t kLabelsASumsBlock = 1024;

/// Parts of equal width into which a trace is divided to show where something is.
inline constexpr std::size_t kTraceBins = 256;

/// How many of something begin in each part.
struct BinCount {
  std::uint32_t bin = 0;
  std::uint64_t count = 0;
  bool operator==(const BinCount&) const = default;
};

/// All that is kept of a label.
struct LabelTotals {
  SliceSums sums;
  std::vector<BinCount> bins;  ///< ascending; those without slices are not there
};

/// When a chunk's first slice begins and when the last ends, ns.
struct ChunkExtent {
  std::int64_t begin = 0, end = 0;
  bool operator==(const ChunkExtent&) const = default;
};

/// Sums by label, which ascend.
std::string encode_label_sums(std::span<const LabelSums> sums);
schema::Expected<std::vector<LabelSums>> decode_label_sums(std::string_view block);

std::string encode_label_totals(std::span<const LabelTotals> labels);
schema::Expected<std::vector<LabelTotals>> decode_label_totals(std::string_view block);

std::string encode_extents(std::span<const ChunkExtent> extents);
schema::Expected<std::vector<ChunkExtent>> decode_extents(std::string_view block);

/// Lengths of time, of each slice of a chunk.
std::string encode_lengths(std::span<const std::int64_t> lengths);
schema::Expected<std::vector<std::int64_t>> decode_lengths(std::string_view block);

/// Numbers in ascending order, put one by one; not compressed.
std::string encode_ascending(std::span<const std::uint64_t> numbers);
schema::Expected<std::vector<std::uint64_t>> decode_ascending(std::string_view block);

}  // namespace benchhud::trace
