#include "analysis/trace/device_activity.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "analysis/trace/device_use.h"
#include "analysis/trace/slice_side.h"
#include "analysis/trace/time_spans.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

using trace::IdleCause;
using trace::kNoSlice;
using trace::Trace;
using trace::TraceSlice;

namespace {

std::vector<TimeSpan> steps(const TraceContext& context) {
  std::vector<TimeSpan> spans;
  for (const std::uint32_t index : profiler_steps(context.trace(), context.sides())) {
    spans.push_back({context.slice(index).start, context.slice(index).end()});
  }
  return merged(std::move(spans));
}

std::optional<Quantiles> delays(const Trace& trace, const std::vector<DeviceSlice>& slices) {
  std::vector<std::int64_t> all;
  all.reserve(slices.size());
  for (const DeviceSlice& slice : slices) {
    if (slice.launch != kNoSlice) all.push_back(launch_delay(trace, slice));
  }
  return quantiles_of(std::move(all));
}

void add_waits(const Trace& trace, const std::vector<DeviceSlice>& slices,
               DeviceActivity* activity) {
  visit_gaps(trace, slices, [&](const DeviceGap& gap) {
    const IdleCause cause = idle_cause(gap);
    std::int64_t& wait = cause == IdleCause::kUnknown      ? activity->unknown_wait
                         : cause == IdleCause::kHostWait   ? activity->host_wait
                         : cause == IdleCause::kKernelWait ? activity->kernel_wait
                                                           : activity->other_wait;
    wait = sum_of(wait, gap.length);
  });
}

// How much of the time each device was busy.
void add_spread(const TraceContext& context, DeviceActivity* activity) {
  for (const OneDevice& device : context.devices()) {
    const std::int64_t busy = total(busy_spans_of(context, device));
    const bool is_first = activity->devices++ == 0;
    activity->least_busy = is_first ? busy : std::min(activity->least_busy, busy);
    activity->most_busy = std::max(activity->most_busy, busy);
  }
}

}  // namespace

IdleCause idle_cause(const DeviceGap& gap) {
  if (!gap.has_launch) return IdleCause::kUnknown;
  if (gap.waits_for_host) return IdleCause::kHostWait;
  return gap.length < kKernelWait ? IdleCause::kKernelWait : IdleCause::kOther;
}

void visit_gaps(const Trace& trace, const std::vector<DeviceSlice>& slices,
                const std::function<void(const DeviceGap&)>& visit) {
  std::int64_t end = 0;  // of everything before on the stream
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const TraceSlice& slice = trace.slices[slices[i].slice];
    const bool is_first = i == 0 || trace.slices[slices[i - 1].slice].thread != slice.thread;
    if (!is_first && slice.start > end) {
      const std::uint32_t launch = slices[i].launch;
      visit({end, difference_of(slice.start, end), &slices[i], launch != kNoSlice,
             launch != kNoSlice && trace.slices[launch].start > end});
    }
    end = is_first ? slice.end() : std::max(end, slice.end());
  }
}

DeviceActivity device_activity(const TraceContext& context) {
  const Trace& trace = context.trace();
  const std::vector<DeviceSlice>& slices = context.device();
  DeviceActivity activity;
  activity.unknowns = context.unknowns();
  activity.set_aside = static_cast<std::int64_t>(context.set_aside().size());
  std::unordered_map<std::uint32_t, std::int64_t> launches;  // by name
  std::vector<TimeSpan> spans;
  spans.reserve(slices.size());
  for (const DeviceSlice& device : slices) {
    const TraceSlice& slice = trace.slices[device.slice];
    add_span(&spans, {slice.start, slice.end()});
    ++activity.kinds[device.kind];
    activity.kernels += device.is_kernel;
    if (device.launch != kNoSlice)
      ++launches[trace.labels[context.slice(device.launch).label].name];
  }
  for (const auto& [name, count] : launches) {
    activity.launches[std::string(trace.texts[name])] = count;
  }
  if (slices.empty()) return activity;
  spans = merged(std::move(spans));
  activity.busy = total(spans);
  activity.span = difference_of(spans.back().end, spans.front().begin);
  if (activity.span > 0) {
    activity.utilization = static_cast<double>(activity.busy) / static_cast<double>(activity.span);
  }
  const std::vector<TimeSpan> annotated = steps(context);
  if (const std::int64_t length = total(annotated); length > 0) {
    activity.utilization_of_steps =
        static_cast<double>(common(spans, annotated)) / static_cast<double>(length);
  }
  activity.launch_delay = delays(trace, slices);
  add_waits(trace, slices, &activity);
  add_spread(context, &activity);
  return activity;
}

}  // namespace benchhud::analysis
