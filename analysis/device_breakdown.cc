#include "analysis/device_breakdown.h"

#include <algorithm>
#include <vector>

#include "analysis/time_totals.h"

namespace benchhud::analysis {

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
  struct Edge {
    std::int64_t time = 0;
    std::uint8_t type = 0;  // index of the bit
    std::int8_t change = 0;
  };
  std::vector<Edge> edges;
  edges.reserve(context.device().size() * 2);
  for (const DeviceSlice& device : context.device()) {
    const schema::TraceSlice& slice = context.slice(device.slice);
    std::uint8_t type = 0;
    if (device.kind == DeviceSlice::Kind::kCommunication) type = 1;
    if (device.kind == DeviceSlice::Kind::kMemcpy || device.kind == DeviceSlice::Kind::kMemset) {
      type = 2;
    }
    edges.push_back({slice.start, type, 1});
    edges.push_back({slice.end(), type, -1});
  }
  DeviceBreakdown breakdown;
  if (edges.empty()) return breakdown;
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time < b.time; });
  breakdown.span = difference_of(edges.back().time, edges.front().time);
  std::array<std::int64_t, 3> open = {};
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    open[edges[i].type] += edges[i].change;
    const std::size_t set = (open[0] > 0 ? DeviceBreakdown::kCompute : 0) |
                            (open[1] > 0 ? DeviceBreakdown::kCommunication : 0) |
                            (open[2] > 0 ? DeviceBreakdown::kMemory : 0);
    std::int64_t& time = breakdown.exclusive[set];
    time = sum_of(time, difference_of(edges[i + 1].time, edges[i].time));
  }
  return breakdown;
}

}  // namespace benchhud::analysis
