#include "analysis/trace_flows.h"

#include <unordered_set>

namespace benchhud::analysis {

using schema::TraceFlow;

FlowCounts count_flows(const schema::Trace& trace) {
  std::unordered_set<std::uint64_t> starts;
  for (const TraceFlow& flow : trace.flows) {
    if (flow.step == TraceFlow::Step::kStart) starts.insert(flow.key);
  }
  FlowCounts counts;
  for (const TraceFlow& flow : trace.flows) {
    if (flow.step == TraceFlow::Step::kStart) continue;
    ++(starts.contains(flow.key) ? counts.bound : counts.dangling);
  }
  return counts;
}

}  // namespace benchhud::analysis
