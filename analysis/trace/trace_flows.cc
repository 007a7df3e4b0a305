#include "analysis/trace/trace_flows.h"

#include <algorithm>
#include <vector>

namespace benchhud::analysis {

using trace::TraceFlow;

FlowCounts count_flows(const trace::Trace& trace) {
  std::vector<std::uint64_t> starts;
  starts.reserve(trace.flows.size());
  for (const TraceFlow& flow : trace.flows) {
    if (flow.step == TraceFlow::Step::kStart) starts.push_back(flow.key);
  }
  std::sort(starts.begin(), starts.end());
  FlowCounts counts;
  for (const TraceFlow& flow : trace.flows) {
    if (flow.step == TraceFlow::Step::kStart) continue;
    ++(std::binary_search(starts.begin(), starts.end(), flow.key) ? counts.bound : counts.dangling);
  }
  return counts;
}

}  // namespace benchhud::analysis
