// Which slice of a trace lies within which.
#pragma once

#include <cstdint>
#include <vector>

#include "schema/trace.h"

namespace benchhud::schema {

inline constexpr std::uint32_t kNoSlice = 0xffffffff;

/// Slices as a stack of rows a thread. All vectors are as long as Trace::slices, but `order`.
struct TraceNesting {
  /// Indices of slices by thread, beginning, and where both are equal the longer first.
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> parent;  ///< the slice right around this one; kNoSlice: none
  std::vector<std::uint32_t> depth;   ///< a slice alone is 1
  std::int64_t overlaps = 0;
  std::uint32_t max_depth = 0;
};

/// A slice lies within the innermost one of its thread that has not ended when it begins. One that
/// ends after that one overlaps it: it is counted and goes to rows of its own, with what lies
/// within it, so that no slice is lost and none has a parent that it outlives.
TraceNesting nest(const Trace& trace);

}  // namespace benchhud::schema
