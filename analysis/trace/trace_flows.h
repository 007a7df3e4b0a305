// The arrows of a trace.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace benchhud::analysis {

struct FlowCounts {
  std::int64_t bound = 0;     ///< arrows: steps and ends that found their start
  std::int64_t dangling = 0;  ///< those that did not; runtime calls that launch nothing write such
};

/// A step or an end belongs to the start of the same key, in whatever order the file has them.
FlowCounts count_flows(const trace::Trace& trace);

}  // namespace benchhud::analysis
