// Stacks of slices put together by their names: what a flame view draws.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/answers/trace_stacks.h"

namespace benchhud::analysis {

/// A node, in a list in which every node stands before those below it.
struct FlameRow {
  std::uint32_t label = 0;
  std::uint32_t depth = 0;              ///< of a root 0
  std::optional<std::uint32_t> parent;  ///< its place in the list
  std::int64_t count = 0;
  std::int64_t total = 0;  ///< ns
  std::int64_t self = 0;   ///< ns without those below it
};

struct FlameGraph {
  std::vector<FlameRow> rows;  ///< of siblings the one with the longest total first
  std::int64_t left_out = 0;   ///< nodes that are not listed: those with the shortest totals
};

/// All stacks, from the outermost slice inwards. At most `limit` rows, and 64 deep.
FlameGraph heavy_stacks(std::span<const trace::StackSlice> slices, std::size_t limit);

/// What lies within slices of a label, which is the root. A slice of it within another of it is not
/// a second root.
FlameGraph callees_of(std::span<const trace::StackSlice> slices, std::uint32_t label,
                      std::size_t limit);

/// What slices of a label lie in, from the label outwards; times are those of the label's slices.
FlameGraph callers_of(std::span<const trace::StackSlice> slices, std::uint32_t label,
                      std::size_t limit);

}  // namespace benchhud::analysis
