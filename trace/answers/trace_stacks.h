// What lies within what, in a window of a thread.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace_queries.h"

namespace benchhud::trace {

/// The part of a slice that lies in a window.
struct StackSlice {
  std::uint32_t label = 0;
  std::uint32_t parent = 0;  ///< its place in the list; kNoParent: none
  std::int64_t part = 0;     ///< ns of it that lie in the window
};
inline constexpr std::uint32_t kNoParent = 0xffffffff;

/// Adds the slices that overlap [begin, end) of a thread to `slices`, each behind what it lies in.
/// Errors: kTooLarge where there would be more than `most` in all; kNotFound for a thread that is
/// not there; kCorrupt.
schema::Expected<void> add_stacks(schema::Connection& connection, schema::TraceId trace,
                                  std::uint32_t thread, std::int64_t begin, std::int64_t end,
                                  std::size_t most, std::vector<StackSlice>* slices);

}  // namespace benchhud::trace
