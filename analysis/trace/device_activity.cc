#include "analysis/trace/device_activity.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "analysis/trace/label_class.h"
#include "analysis/trace/slice_side.h"
#include "analysis/trace/time_spans.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_unknowns.h"

namespace benchhud::analysis {

using trace::IdleCause;
using trace::kNoSlice;
using trace::Trace;
using trace::TraceArgs;
using trace::TraceNesting;
using trace::TraceSlice;
using Kind = DeviceSlice::Kind;

namespace {

// A name that a person may have given a function: libraries' kernels are templates or have their
// makers' prefixes.
bool is_plain_name(std::string_view name) {
  constexpr std::string_view kIdentifier =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  constexpr std::array<std::string_view, 5> kLibraries = {"cutlass", "cublas", "sm90_", "nvjet",
                                                          "Cijk"};
  if (name.find_first_not_of(kIdentifier) != name.npos) return false;
  return std::none_of(kLibraries.begin(), kLibraries.end(),
                      [&](std::string_view prefix) { return name.starts_with(prefix); });
}

class KernelKinds {
 public:
  KernelKinds(const Trace& trace, const TraceNesting& nesting)
      : trace_(trace), is_within_triton_(trace.slices.size()) {
    // What is around a slice stands before it in the order.
    for (const std::uint32_t index : nesting.order) {
      const std::uint32_t parent = nesting.parent[index];
      is_within_triton_[index] = trace.name(trace.slices[index]).starts_with("triton_") ||
                                 (parent != kNoSlice && is_within_triton_[parent]);
    }
  }

  Kind kind(const DeviceSlice& kernel) const {
    const TraceSlice& slice = trace_.slices[kernel.slice];
    const std::string_view name = trace_.name(slice);
    if (is_communication_kernel(name)) return Kind::kCommunication;
    if (trace_.texts[trace_.args_of(slice).kernel_backend] == "triton" ||
        name.starts_with("triton_") ||
        (kernel.launch != kNoSlice && is_within_triton_[kernel.launch])) {
      return Kind::kInductorTriton;
    }
    if (kernel.launch == kNoSlice || !is_plain_name(name)) return Kind::kLibrary;
    const std::string_view launch = trace_.name(trace_.slices[kernel.launch]);
    const bool is_driver_call = launch == "cuLaunchKernel" || launch == "cuLaunchKernelEx" ||
                                launch == "hipModuleLaunchKernel";
    return is_driver_call ? Kind::kUserTriton : Kind::kLibrary;
  }

 private:
  const Trace& trace_;
  std::vector<bool> is_within_triton_;  // by slice, itself too
};

std::vector<TimeSpan> steps(const Trace& trace) {
  std::vector<TimeSpan> spans;
  for (const std::uint32_t index : profiler_steps(trace)) {
    spans.push_back({trace.slices[index].start, trace.slices[index].end()});
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

}  // namespace

std::vector<DeviceSlice> device_slices(const Trace& trace, const TraceNesting& nesting) {
  std::unordered_map<std::int64_t, std::uint32_t> launches;  // by correlation
  const std::vector<SliceSide> sides = sides_of_labels(trace);
  std::vector<DeviceSlice> found;
  found.reserve(static_cast<std::size_t>(
      std::count_if(trace.slices.begin(), trace.slices.end(),
                    [&](const TraceSlice& slice) { return is_device(sides[slice.label]); })));
  for (const std::uint32_t index : nesting.order) {
    const TraceSlice& slice = trace.slices[index];
    const SliceSide side = sides[slice.label];
    if (side == SliceSide::kRuntime) {
      const std::int64_t correlation = trace.args_of(slice).correlation;
      if (correlation != TraceArgs::kAbsent) launches.emplace(correlation, index);
    }
    if (!is_device(side)) continue;
    DeviceSlice device;
    device.slice = index;
    if (side == SliceSide::kMemcpy) device.kind = Kind::kMemcpy;
    if (side == SliceSide::kMemset) device.kind = Kind::kMemset;
    found.push_back(device);
  }
  const KernelKinds kinds(trace, nesting);
  for (DeviceSlice& device : found) {
    const TraceSlice& slice = trace.slices[device.slice];
    const auto launch = launches.find(trace.args_of(slice).correlation);
    if (launch != launches.end()) device.launch = launch->second;
    if (sides[slice.label] == SliceSide::kKernel) device.kind = kinds.kind(device);
  }
  return found;
}

std::int64_t launch_delay(const Trace& trace, const DeviceSlice& slice) {
  const std::int64_t launched = trace.slices[slice.launch].end();
  return std::max<std::int64_t>(0, difference_of(trace.slices[slice.slice].start, launched));
}

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

DeviceActivity device_activity(const Trace& trace, const std::vector<DeviceSlice>& slices) {
  DeviceActivity activity;
  activity.unknowns = trace_unknowns(trace, sides_of_labels(trace), slices);
  std::vector<TimeSpan> spans;
  spans.reserve(slices.size());
  for (const DeviceSlice& device : slices) {
    const TraceSlice& slice = trace.slices[device.slice];
    spans.push_back({slice.start, slice.end()});
    ++activity.kinds[device.kind];
    activity.kernels += device.kind != Kind::kMemcpy && device.kind != Kind::kMemset;
    if (device.launch != kNoSlice) {
      ++activity.launches[std::string(trace.name(trace.slices[device.launch]))];
    }
  }
  if (slices.empty()) return activity;
  spans = merged(std::move(spans));
  activity.busy = total(spans);
  activity.span = difference_of(spans.back().end, spans.front().begin);
  if (activity.span > 0) {
    activity.utilization = static_cast<double>(activity.busy) / static_cast<double>(activity.span);
  }
  const std::vector<TimeSpan> annotated = steps(trace);
  if (const std::int64_t length = total(annotated); length > 0) {
    activity.utilization_of_steps =
        static_cast<double>(common(spans, annotated)) / static_cast<double>(length);
  }
  activity.launch_delay = delays(trace, slices);
  add_waits(trace, slices, &activity);
  return activity;
}

}  // namespace benchhud::analysis
