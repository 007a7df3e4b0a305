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
#include "trace/trace.h"
#include "trace/trace_device.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

/// A slice of the device and the runtime call that launched it.
struct DeviceSlice {
  enum class Kind : std::uint8_t {
    kInductorTriton,  ///< a Triton kernel that Inductor generated
    kUserTriton,      ///< launched as Triton kernels are, by something else: a candidate
    kLibrary,         ///< any other kernel
    kCommunication,   ///< NCCL's, RCCL's, HCCL's
    kMemcpy,
    kMemset,
  };
  std::uint32_t slice = 0;
  std::uint32_t launch =
      trace::kNoSlice;  ///< equal correlation; one launch may have many (CUDA graphs)
  Kind kind = Kind::kLibrary;
};

/// All slices of devices, by stream and beginning.
///
/// The kind of a kernel: Inductor's Triton kernels say so in their arguments, are named `triton_…`,
/// or were launched within a slice of that name. The name of the launch alone decides nothing:
/// cuBLAS and CUTLASS are launched by cuLaunchKernel as well, and CUDA graphs launch everything.
std::vector<DeviceSlice> device_slices(const trace::Trace& trace,
                                       const trace::TraceNesting& nesting);

/// ns from the end of the call that launched it (not kNoSlice) to its beginning, at least 0.
std::int64_t launch_delay(const trace::Trace& trace, const DeviceSlice& slice);

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
  std::string device;    ///< what ran on devices, if anything did
  std::string launches;  ///< what launched that
};

struct DeviceActivity {
  TraceUnknowns unknowns;  ///< where there are any, numbers that hang on them mean nothing
  std::int64_t kernels = 0;
  std::int64_t busy = 0;  ///< ns in which any device did anything: the union of its slices
  std::int64_t span = 0;  ///< ns from the first beginning to the last end
  std::optional<double> utilization;  ///< busy / span
  /// Busy within `ProfilerStep#` annotations / their length (overlaps counted once).
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

DeviceActivity device_activity(const trace::Trace& trace, const std::vector<DeviceSlice>& slices);

}  // namespace benchhud::analysis
