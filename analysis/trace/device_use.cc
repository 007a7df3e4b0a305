#include "analysis/trace/device_use.h"

#include <algorithm>
#include <utility>

#include "analysis/trace/time_totals.h"

namespace benchhud::analysis {
namespace {

using trace::BusySpan;
using trace::kNoSlice;
using trace::PackedDevice;
using trace::TraceSlice;

// Spans that touch are one.
void add_busy(std::vector<BusySpan>* spans, const TraceSlice& slice) {
  if (slice.duration == 0) return;
  if (spans->empty() || slice.start > spans->back().end) {
    spans->push_back({slice.start, slice.end()});
  } else {
    spans->back().end = std::max(spans->back().end, slice.end());
  }
}

PackedDevice pack_device(const TraceContext& context, const OneDevice& of) {
  PackedDevice packed;
  trace::TraceDevice& device = packed.device;
  device.thread = of.thread;
  device.begin = device.end = context.device_slice(of.slices.front()).start;
  std::vector<BusySpan> spans;
  for (const std::uint32_t each : of.slices) {
    const TraceSlice& slice = context.device_slice(each);
    add_busy(&spans, slice);
    device.end = std::max(device.end, slice.end());
  }
  for (const BusySpan& span : spans) {
    device.busy = sum_of(device.busy, difference_of(span.end, span.begin));
  }
  visit_device_gaps(context, of, [&](const DeviceGap& gap) {
    ++device.gaps;
    std::int64_t& idle = device.idle[static_cast<std::size_t>(idle_cause(gap))];
    idle = sum_of(idle, gap.length);
  });
  packed.blocks = trace::pack_busy(spans);
  return packed;
}

}  // namespace

void visit_device_gaps(const TraceContext& context, const OneDevice& device,
                       const std::function<void(const DeviceGap&)>& visit) {
  std::int64_t end = 0;  // of everything before on the device
  bool is_first = true;
  for (const std::uint32_t number : device.slices) {
    const DeviceSlice& each = context.device()[number];
    const TraceSlice& slice = context.slice(each.slice);
    if (!is_first && slice.start > end) {
      const bool has_launch = each.launch != kNoSlice;
      visit({end, difference_of(slice.start, end), &each, has_launch,
             has_launch && context.slice(each.launch).start > end});
    }
    end = is_first ? slice.end() : std::max(end, slice.end());
    is_first = false;
  }
}

std::optional<std::vector<PackedDevice>> device_uses(const TraceContext& context) {
  if (!context.unknowns().device.empty()) return std::nullopt;
  std::vector<PackedDevice> packed;
  for (const OneDevice& device : context.devices()) {
    packed.push_back(pack_device(context, device));
  }
  return packed;
}

}  // namespace benchhud::analysis
