#include "analysis/trace/device_use.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/trace/time_totals.h"

namespace benchhud::analysis {
namespace {

using trace::BusySpan;
using trace::kNoSlice;
using trace::PackedDevice;
using trace::TraceSlice;

// Spans that touch are one.
void add_span(std::vector<BusySpan>* spans, const TraceSlice& slice) {
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
  device.begin = device.end = context.slice(of.slices.front()->slice).start;
  std::vector<BusySpan> spans;
  for (const DeviceSlice* each : of.slices) {
    const TraceSlice& slice = context.slice(each->slice);
    add_span(&spans, slice);
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

std::vector<OneDevice> devices_of(const TraceContext& context) {
  // Two processes may have one number, as in a trace that was put together of several.
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  std::vector<OneDevice> devices;
  std::uint32_t last_thread = 0;
  OneDevice* last = nullptr;
  for (const DeviceSlice& each : context.device()) {
    const std::uint32_t thread = context.slice(each.slice).thread;
    if (last == nullptr || thread != last_thread) {
      const trace::TraceThread& of = context.trace().threads[thread];
      const auto [place, is_new] = places.try_emplace({of.pid, of.process_name}, devices.size());
      if (is_new) devices.push_back({.thread = thread, .slices = {}});
      last = &devices[place->second];
      last->thread = std::min(last->thread, thread);
      last_thread = thread;
    }
    last->slices.push_back(&each);
  }
  const auto order = [&](const DeviceSlice* each) {
    // What was launched later, or nobody knows when, does not tell why the device was idle.
    const bool is_unknown = each->launch == kNoSlice;
    return std::tuple(context.slice(each->slice).start, is_unknown,
                      is_unknown ? 0 : context.slice(each->launch).start, each->slice);
  };
  for (OneDevice& device : devices) {
    std::sort(device.slices.begin(), device.slices.end(),
              [&](const DeviceSlice* a, const DeviceSlice* b) { return order(a) < order(b); });
  }
  std::sort(devices.begin(), devices.end(),
            [](const OneDevice& a, const OneDevice& b) { return a.thread < b.thread; });
  return devices;
}

void visit_device_gaps(const TraceContext& context, const OneDevice& device,
                       const std::function<void(const DeviceGap&)>& visit) {
  std::int64_t end = 0;  // of everything before on the device
  bool is_first = true;
  for (const DeviceSlice* each : device.slices) {
    const TraceSlice& slice = context.slice(each->slice);
    if (!is_first && slice.start > end) {
      const bool has_launch = each->launch != kNoSlice;
      visit({end, difference_of(slice.start, end), each, has_launch,
             has_launch && context.slice(each->launch).start > end});
    }
    end = is_first ? slice.end() : std::max(end, slice.end());
    is_first = false;
  }
}

std::optional<std::vector<PackedDevice>> device_uses(const TraceContext& context) {
  if (!context.unknowns().device.empty()) return std::nullopt;
  std::vector<PackedDevice> packed;
  for (const OneDevice& device : devices_of(context)) {
    packed.push_back(pack_device(context, device));
  }
  return packed;
}

}  // namespace benchhud::analysis
