#include "analysis/device_activity.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

namespace benchhud::analysis {

using schema::kNoSlice;
using schema::Trace;
using schema::TraceArgs;
using schema::TraceNesting;
using schema::TraceSlice;
using Kind = DeviceSlice::Kind;

namespace {

enum class Side : std::uint8_t { kNeither, kKernel, kMemcpy, kMemset, kRuntime };

// Categories of kineto, and those that it had in 2021.
Side side_of(std::string_view category) {
  if (category == "kernel" || category == "Kernel") return Side::kKernel;
  if (category == "gpu_memcpy" || category == "Memcpy") return Side::kMemcpy;
  if (category == "gpu_memset" || category == "Memset") return Side::kMemset;
  if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime") {
    return Side::kRuntime;
  }
  return Side::kNeither;
}

bool is_communication(std::string_view name) {
  return name.starts_with("nccl") || name.starts_with("hccl") ||
         name.find("ncclKernel") != name.npos || name.find("ncclDevKernel") != name.npos ||
         name.find("rccl") != name.npos;
}

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
  KernelKinds(const Trace& trace, const TraceNesting& nesting) : trace_(trace), nesting_(nesting) {}

  Kind kind(const DeviceSlice& kernel) const {
    const TraceSlice& slice = trace_.slices[kernel.slice];
    const std::string_view name = trace_.name(slice);
    if (is_communication(name)) return Kind::kCommunication;
    if (trace_.texts[trace_.args_of(slice).kernel_backend] == "triton" ||
        name.starts_with("triton_") || is_within_triton(kernel.launch)) {
      return Kind::kInductorTriton;
    }
    if (kernel.launch == kNoSlice || !is_plain_name(name)) return Kind::kLibrary;
    const std::string_view launch = trace_.name(trace_.slices[kernel.launch]);
    const bool is_driver_call = launch == "cuLaunchKernel" || launch == "cuLaunchKernelEx" ||
                                launch == "hipModuleLaunchKernel";
    return is_driver_call ? Kind::kUserTriton : Kind::kLibrary;
  }

 private:
  bool is_within_triton(std::uint32_t slice) const {
    for (; slice != kNoSlice; slice = nesting_.parent[slice]) {
      if (trace_.name(trace_.slices[slice]).starts_with("triton_")) return true;
    }
    return false;
  }

  const Trace& trace_;
  const TraceNesting& nesting_;
};

struct Span {
  std::int64_t begin = 0, end = 0;
};

// Sorted spans that do not touch.
std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> merged;
  for (const Span& span : spans) {
    if (!merged.empty() && span.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, span.end);
    } else {
      merged.push_back(span);
    }
  }
  return merged;
}

std::int64_t total(const std::vector<Span>& spans) {
  std::int64_t sum = 0;
  for (const Span& span : spans) sum += span.end - span.begin;
  return sum;
}

// Of two lists as merged() gives them.
std::int64_t common(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum +=
        std::max<std::int64_t>(0, std::min(a[i].end, b[j].end) - std::max(a[i].begin, b[j].begin));
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

std::vector<Span> steps(const Trace& trace) {
  std::vector<Span> spans;
  for (const TraceSlice& slice : trace.slices) {
    if (trace.name(slice).starts_with("ProfilerStep#") &&
        !is_shadow_category(trace.category(slice))) {
      spans.push_back({slice.start, slice.end()});
    }
  }
  return merged(std::move(spans));
}

std::optional<DeviceActivity::Delay> delays(const Trace& trace,
                                            const std::vector<DeviceSlice>& slices) {
  std::vector<std::int64_t> all;
  for (const DeviceSlice& slice : slices) {
    if (slice.launch == kNoSlice) continue;
    const std::int64_t delay = trace.slices[slice.slice].start - trace.slices[slice.launch].end();
    all.push_back(std::max<std::int64_t>(0, delay));
  }
  if (all.empty()) return std::nullopt;
  std::sort(all.begin(), all.end());
  return DeviceActivity::Delay{all[all.size() / 2], all[all.size() * 9 / 10], all.back()};
}

void add_waits(const Trace& trace, const std::vector<DeviceSlice>& slices,
               DeviceActivity* activity) {
  std::int64_t end = 0;  // of everything before on the stream
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const TraceSlice& slice = trace.slices[slices[i].slice];
    const bool is_first = i == 0 || trace.slices[slices[i - 1].slice].thread != slice.thread;
    if (!is_first && slice.start > end) {
      const std::int64_t gap = slice.start - end;
      const std::uint32_t launch = slices[i].launch;
      if (launch != kNoSlice && trace.slices[launch].start > end) {
        activity->host_wait += gap;
      } else if (gap < kKernelWait) {
        activity->kernel_wait += gap;
      } else {
        activity->other_wait += gap;
      }
    }
    end = is_first ? slice.end() : std::max(end, slice.end());
  }
}

}  // namespace

bool is_device_category(std::string_view category) {
  const Side side = side_of(category);
  return side != Side::kNeither && side != Side::kRuntime;
}

bool is_shadow_category(std::string_view category) {
  return category.starts_with("gpu_") && !is_device_category(category);
}

std::vector<DeviceSlice> device_slices(const Trace& trace, const TraceNesting& nesting) {
  std::unordered_map<std::int64_t, std::uint32_t> launches;  // by correlation
  std::vector<DeviceSlice> found;
  std::vector<Side> sides(trace.labels.size());
  for (std::uint32_t i = 0; i < sides.size(); ++i) {
    sides[i] = side_of(trace.texts[trace.labels[i].category]);
  }
  for (const std::uint32_t index : nesting.order) {
    const TraceSlice& slice = trace.slices[index];
    const Side side = sides[slice.label];
    if (side == Side::kNeither) continue;
    if (side == Side::kRuntime) {
      const std::int64_t correlation = trace.args_of(slice).correlation;
      if (correlation != TraceArgs::kAbsent) launches.emplace(correlation, index);
      continue;
    }
    DeviceSlice device;
    device.slice = index;
    if (side == Side::kMemcpy) device.kind = Kind::kMemcpy;
    if (side == Side::kMemset) device.kind = Kind::kMemset;
    found.push_back(device);
  }
  const KernelKinds kinds(trace, nesting);
  for (DeviceSlice& device : found) {
    const TraceSlice& slice = trace.slices[device.slice];
    const auto launch = launches.find(trace.args_of(slice).correlation);
    if (launch != launches.end()) device.launch = launch->second;
    if (sides[slice.label] == Side::kKernel) device.kind = kinds.kind(device);
  }
  return found;
}

DeviceActivity device_activity(const Trace& trace, const std::vector<DeviceSlice>& slices) {
  DeviceActivity activity;
  std::vector<Span> spans;
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
  activity.span = spans.back().end - spans.front().begin;
  if (activity.span > 0) {
    activity.utilization = static_cast<double>(activity.busy) / static_cast<double>(activity.span);
  }
  const std::vector<Span> annotated = steps(trace);
  if (const std::int64_t length = total(annotated); length > 0) {
    activity.utilization_of_steps =
        static_cast<double>(common(spans, annotated)) / static_cast<double>(length);
  }
  activity.launch_delay = delays(trace, slices);
  add_waits(trace, slices, &activity);
  return activity;
}

}  // namespace benchhud::analysis
