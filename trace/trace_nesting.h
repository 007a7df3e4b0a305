// Which slice of a trace lies within which, and the rows a viewer draws them in.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace benchhud::trace {

inline constexpr std::uint32_t kNoSlice = 0xffffffff;

/// Slices within slices. `parent`, `depth` and, if asked for, `row` are as long as Trace::slices.
struct TraceNesting {
  /// Indices of slices by thread, beginning, and where both are equal the longer first.
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> parent;  ///< the slice right around this one; kNoSlice: none
  std::vector<std::uint32_t> depth;   ///< a slice alone is 1
  /// Slices that ended after what they began in, each compared with what nests, not with slices
  /// that overlapped before it.
  std::int64_t overlaps = 0;
  std::uint32_t max_depth = 0;

  // Only with NestingRows::kYes:
  /// Where it is drawn, counted from 0 within its thread: no two slices of a row share any time. A
  /// slice is in the row below its parent's.
  std::vector<std::uint32_t> row;
  std::vector<std::uint32_t> row_counts;  ///< of each thread
  /// Of each thread, ascending: the rows whose slices have no parent.
  std::vector<std::vector<std::uint32_t>> stack_rows;
};

enum class NestingRows : std::uint8_t { kNo, kYes };

/// A slice lies within the innermost one of its thread that has not ended when it begins. One that
/// ends after that one overlaps it: it is counted and goes to rows of its own, with what lies
/// within it, so that no slice is lost and none has a parent that it outlives. Where more than 64
/// such stacks are open at once, what fits in none of them has no parent, and the first row that is
/// free; so n slices take time n log n, whatever a file holds.
TraceNesting nest(const Trace& trace, NestingRows rows = NestingRows::kNo);

}  // namespace benchhud::trace
