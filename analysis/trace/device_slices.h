// What ran on devices, what each of it does, and what launched it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/kernels/kernel_rules.h"
#include "analysis/trace/slice_side.h"
#include "analysis/trace/time_spans.h"
#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

/// A slice of a device and the call that launched it.
struct DeviceSlice {
  using Kind = KernelClass;
  std::uint32_t slice = 0;
  /// The call with its correlation, or where the arrow begins that ends here; one may have many
  /// (CUDA graphs).
  std::uint32_t launch = trace::kNoSlice;
  /// The operator where an arrow begins that ends here: some profilers know no more.
  std::uint32_t launching_operator = trace::kNoSlice;
  Kind kind = Kind::kOther;
  bool is_kernel = true;  ///< no copy or set of the device's own engines
};
static_assert(sizeof(DeviceSlice) == 16);  // a long trace has millions

struct DeviceSlices {
  std::vector<DeviceSlice> slices;  ///< by stream and beginning
  /// Of each of `slices`, ns without what lies within it. Empty where no device's operators nest:
  /// then the length of each is its own.
  std::vector<std::int64_t> own_times;
  /// Slices of devices whose times are impossible, ascending: longer than a day, or parted by more
  /// than a day from where most of them are. Nothing counts them.
  std::vector<std::uint32_t> set_aside;
};

/// `sides`: of the trace's labels.
///
/// The kind of a kernel: a team's own rules on names and XLA's categories come first. Inductor's
/// Triton kernels say so in their arguments, are named `triton_…`, or were launched within a slice
/// of that name; what communicates says so in its name, category or thread. What is left goes by
/// kernel_rules(): by XLA's category, by the name, by the operator that launched it and those
/// around that. Where none fits, a plain name that cuLaunchKernel(Ex) or hipModuleLaunchKernel
/// launched may be somebody's Triton kernel, but for what XLA made: it launches so, too.
DeviceSlices device_slices(const trace::Trace& trace, const trace::TraceNesting& nesting,
                           const std::vector<SliceSide>& sides);

/// The parts of time in which a device did that and nothing within it, by stream and beginning;
/// `slices` as device_slices() gives them.
void visit_own_spans(const trace::Trace& trace, const std::vector<DeviceSlice>& slices,
                     const std::vector<SliceSide>& sides,
                     const std::function<void(std::size_t, const TimeSpan&)>& visit);

/// A device: a process that has slices of devices.
struct OneDevice {
  std::uint32_t thread = 0;  ///< the first of its threads that have any
  /// By beginning, of equal ones what was launched first: their places in DeviceSlices::slices.
  std::vector<std::uint32_t> slices;
};
/// All devices, by their first threads; `slices` as device_slices() gives them.
std::vector<OneDevice> devices_of(const trace::Trace& trace,
                                  const std::vector<DeviceSlice>& slices);

/// ns from the end of the call that launched it (not kNoSlice) to its beginning, at least 0.
std::int64_t launch_delay(const trace::Trace& trace, const DeviceSlice& slice);

}  // namespace benchhud::analysis
