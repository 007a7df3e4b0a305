#include "analysis/trace/device_breakdown.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "analysis/trace/time_totals.h"
#include "schema/base/check.h"

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
  const std::vector<DeviceSlice>& device = context.device();
  BENCHHUD_CHECK(device.size() <= std::numeric_limits<std::uint32_t>::max() / 2);
  // Of device slice i, 2i is the beginning and 2i + 1 the end.
  std::vector<std::uint32_t> edges(2 * device.size());
  std::iota(edges.begin(), edges.end(), 0U);
  const auto time_of = [&](std::uint32_t edge) {
    const trace::TraceSlice& slice = context.slice(device[edge / 2].slice);
    return edge % 2 == 0 ? slice.start : slice.end();
  };
  DeviceBreakdown breakdown;
  if (edges.empty()) return breakdown;
  std::sort(edges.begin(), edges.end(),
            [&](std::uint32_t a, std::uint32_t b) { return time_of(a) < time_of(b); });
  breakdown.span = difference_of(time_of(edges.back()), time_of(edges.front()));
  std::array<std::int64_t, 3> open = {};
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    open[type_of(device[edges[i] / 2].kind)] += edges[i] % 2 == 0 ? 1 : -1;
    const std::size_t set = (open[0] > 0 ? DeviceBreakdown::kCompute : 0) |
                            (open[1] > 0 ? DeviceBreakdown::kCommunication : 0) |
                            (open[2] > 0 ? DeviceBreakdown::kMemory : 0);
    std::int64_t& time = breakdown.exclusive[set];
    time = sum_of(time, difference_of(time_of(edges[i + 1]), time_of(edges[i])));
  }
  return breakdown;
}

}  // namespace benchhud::analysis
