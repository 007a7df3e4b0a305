// How much a stream has been given and has not begun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// CUDA holds so many launches of a stream; the next one blocks the host.
inline constexpr std::int64_t kFullQueue = 1024;

struct LaunchQueue {
  static constexpr std::size_t kBuckets = 200;

  std::uint32_t stream = 0;    ///< index in Trace::threads
  std::int64_t launched = 0;   ///< slices whose call is in the trace
  std::int64_t begin = 0;      ///< ns: the first launch
  std::int64_t span = 0;       ///< ns from there to the last beginning of a slice
  std::int64_t longest = 0;    ///< most that waited at once
  double mean = 0;             ///< of the length over the span
  std::int64_t time_full = 0;  ///< ns at kFullQueue or more
  /// The longest in each of kBuckets equal parts of the span; empty where the span is 0.
  std::vector<std::int64_t> buckets;
};

/// Of each stream, those with most launches first, at most `most`: one more where a launch's call
/// begins, one less where what it launched begins (Holistic Trace Analysis's queue length; there a
/// launch has one kernel, here those of a CUDA graph all wait for its call).
std::vector<LaunchQueue> launch_queues(const TraceContext& context, std::size_t most,
                                       std::int64_t* left_out);

}  // namespace benchhud::analysis
