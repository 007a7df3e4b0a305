#include "analysis/trace/device_breakdown.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analysis/trace/time_spans.h"
#include "analysis/trace/time_totals.h"

namespace benchhud::analysis {

namespace {

// The number of its bit.
std::size_t type_of(DeviceSlice::Kind kind) {
  if (kind == DeviceSlice::Kind::kCommunication) return 1;
  return kind == DeviceSlice::Kind::kMemcpy || kind == DeviceSlice::Kind::kMemset ? 2 : 0;
}

}  // namespace

std::int64_t DeviceBreakdown::busy(Type type) const {
  std::int64_t sum = 0;
  for (std::size_t set = 0; set < exclusive.size(); ++set) {
    if (set & type) sum = sum_of(sum, exclusive[set]);
  }
  return sum;
}

std::optional<double> DeviceBreakdown::overlap_of_communication() const {
  const std::int64_t communication = busy(kCommunication);
  if (communication == 0) return std::nullopt;
  const std::int64_t both =
      sum_of(exclusive[kCommunication | kCompute], exclusive[kCommunication | kCompute | kMemory]);
  return share_of(both, communication);
}

DeviceBreakdown device_breakdown(const TraceContext& context) {
  std::array<std::vector<TimeSpan>, 3> spans;  // by type
  visit_own_spans(context.trace(), context.device(), context.sides(),
                  [&](std::size_t i, const TimeSpan& span) {
                    spans[type_of(context.device()[i].kind)].push_back(span);
                  });
  struct Edge {
    std::int64_t time;
    std::size_t type;
    bool is_begin;
  };
  std::vector<Edge> edges;
  for (std::size_t type = 0; type < spans.size(); ++type) {
    for (const TimeSpan& span : merged(std::move(spans[type]))) {
      edges.push_back({span.begin, type, true});
      edges.push_back({span.end, type, false});
    }
  }
  DeviceBreakdown breakdown;
  if (edges.empty()) return breakdown;
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time < b.time; });
  breakdown.span = difference_of(edges.back().time, edges.front().time);
  std::array<std::int64_t, 3> open = {};
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    open[edges[i].type] += edges[i].is_begin ? 1 : -1;
    const std::size_t set = (open[0] > 0 ? DeviceBreakdown::kCompute : 0) |
                            (open[1] > 0 ? DeviceBreakdown::kCommunication : 0) |
                            (open[2] > 0 ? DeviceBreakdown::kMemory : 0);
    std::int64_t& time = breakdown.exclusive[set];
    time = sum_of(time, difference_of(edges[i + 1].time, edges[i].time));
  }
  return breakdown;
}

}  // namespace benchhud::analysis
