#include "analysis/trace/trace_context.h"

#include "analysis/trace/trace_unknowns.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::Trace;
using trace::TraceNesting;

TraceContext::TraceContext(const Trace& trace, const TraceNesting& nesting)
    : trace_(trace),
      nesting_(nesting),
      sides_(sides_of_labels(trace)),
      device_(device_slices(trace, nesting, sides_)),
      devices_(devices_of(trace, device_.slices)),
      unknowns_(trace_unknowns(trace, sides_, device_)) {}

std::vector<std::int64_t> self_times_of_slices(const Trace& trace, const TraceNesting& nesting) {
  std::vector<std::int64_t> self(trace.slices.size());
  for (std::size_t i = 0; i < self.size(); ++i) {
    self[i] += trace.slices[i].duration;
    if (nesting.parent[i] != kNoSlice) self[nesting.parent[i]] -= trace.slices[i].duration;
  }
  return self;
}

}  // namespace benchhud::analysis
