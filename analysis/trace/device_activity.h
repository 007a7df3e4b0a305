// What a trace tells of the device: how busy it was, with what, what launched it, and why it
// waited.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics/quantiles.h"
#include "analysis/trace/device_slices.h"
#include "trace/trace.h"
#include "trace/trace_device.h"

namespace benchhud::analysis {

/// Nothing runs on a stream between two of its slices.
struct DeviceGap {
  std::int64_t begin = 0;       ///< the end of everything before on the stream
  std::int64_t length = 0;      ///< ns, more than 0
  const DeviceSlice* slice;     ///< that ends it
  bool has_launch = false;      ///< its launch is known
  bool waits_for_host = false;  ///< its launch began after the gap had
};
/// What was waited for in it.
trace::IdleCause idle_cause(const DeviceGap& gap);
/// Visits all gaps by stream and beginning; `slices` as device_slices() gives them.
void visit_gaps(const trace::Trace& trace, const std::vector<DeviceSlice>& slices,
                const std::function<void(const DeviceGap&)>& visit);

/// Why something of a trace is not known (trace_unknowns.h): a sentence, or "" where it is known.
struct TraceUnknowns {
  std::string device;     ///< what ran on devices, if anything did
  std::string launches;   ///< which calls launched that
  std::string operators;  ///< which operators did
};

struct DeviceActivity {
  TraceUnknowns unknowns;  ///< where there are any, numbers that hang on them mean nothing
  std::int64_t kernels = 0;
  std::int64_t set_aside = 0;  ///< slices of devices whose times are impossible (device_slices.h)
  std::int64_t busy = 0;       ///< ns in which any device did anything: the union of its slices
  std::int64_t span = 0;       ///< ns from the first beginning to the last end
  std::int64_t devices = 0;    ///< that did anything
  /// ns of `span` in which the one device that was busy least did anything, and the one most.
  std::int64_t least_busy = 0, most_busy = 0;
  std::optional<double> utilization;  ///< busy / span
  /// Busy within the steps (profiler_steps()) / their length (overlaps counted once).
  std::optional<double> utilization_of_steps;
  std::map<DeviceSlice::Kind, std::int64_t> kinds;
  /// Of device slices, by the name of the call that launched them.
  std::map<std::string, std::int64_t> launches;
  std::optional<Quantiles> launch_delay;  ///< of launch_delay(), where the call is in the trace
  /// ns between slices that follow each other on a stream. The host was waited for where the launch
  /// began after the slice before had ended; else a gap under kKernelWait is the device's own, from
  /// kernel to kernel.
  /// Where the launch is not known, neither is what was waited for.
  std::int64_t host_wait = 0, kernel_wait = 0, other_wait = 0, unknown_wait = 0;
};

/// Gaps up to this belong to going from kernel to kernel, ns. Holistic Trace Analysis calls it 30
/// ns, but compares microseconds.
inline constexpr std::int64_t kKernelWait = 30'000;

class TraceContext;
DeviceActivity device_activity(const TraceContext& context);

}  // namespace benchhud::analysis
