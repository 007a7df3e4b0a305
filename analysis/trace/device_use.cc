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
  for (const std::uint32_t each : of.slices) {
    device.end = std::max(device.end, context.device_slice(each).end());
  }
  const std::vector<BusySpan> spans = busy_spans_of(context, of);
  device.busy = total(spans);
  visit_device_gaps(context, of, [&](const DeviceGap& gap) {
    ++device.gaps;
    std::int64_t& idle = device.idle[static_cast<std::size_t>(idle_cause(gap))];
    idle = sum_of(idle, gap.length);
  });
  packed.blocks = trace::pack_busy(spans);
  return packed;
}

}  // namespace

std::vector<BusySpan> busy_spans_of(const TraceContext& context, const OneDevice& device) {
  std::vector<BusySpan> spans;
  for (const std::uint32_t each : device.slices) add_busy(&spans, context.device_slice(each));
  return spans;
}

std::int64_t total(const std::vector<BusySpan>& spans) {
  std::int64_t sum = 0;
  for (const BusySpan& span : spans) sum = sum_of(sum, difference_of(span.end, span.begin));
  return sum;
}

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
