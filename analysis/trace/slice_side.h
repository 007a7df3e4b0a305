// What a slice is: of the host or of a device, and work or not. Its category decides; where that
// says nothing, the role of its thread (trace/thread_role.h) and its name do. Everything else asks
// here.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/thread_role.h"
#include "trace/trace.h"

namespace benchhud::analysis {

enum class SliceSide : std::uint8_t {
  kUnknown,     ///< neither category nor thread tells; in sums it counts as the host's
  kHost,        ///< the host's, and nothing more is known of it
  kOperator,    ///< cpu_op
  kAnnotation,  ///< user_annotation: record_function, and PyTorch's own marks
  kPython,      ///< a function's frame
  kRuntime,     ///< a call of the device's runtime or driver
  kOverhead,    ///< the profiler's own work
  kKernel,
  kDeviceOperator,  ///< a TPU's: operators lie within others, whose time contains theirs
  kMemcpy,
  kMemset,
  kDeviceStep,  ///< a step, as the device's profiler marks it
  kShadow,      ///< on a device, but no work: annotations, waits, what repeats other slices
  kProfiler,    ///< the profiler's window
};

/// The categories are libkineto's (ActivityType.h), those that it had in 2021, XPlane's
/// (docs/traces.md), and open forms of them: any `*_runtime`, `*_driver`, `*memcpy`, `*memset`.
SliceSide side_of(std::string_view name, std::string_view category,
                  trace::ThreadRole role = trace::ThreadRole::kUnknown);
/// Of each of Trace::labels.
std::vector<SliceSide> sides_of_labels(const trace::Trace& trace);

/// Kernels, and the operators of devices that have no kernels.
constexpr bool is_kernel(SliceSide side) {
  return side == SliceSide::kKernel || side == SliceSide::kDeviceOperator;
}
/// Kernels, copies and sets: a device's work.
constexpr bool is_device(SliceSide side) {
  return is_kernel(side) || side == SliceSide::kMemcpy || side == SliceSide::kMemset;
}
/// What the host did: neither a device's, nor a shadow or the profiler's window.
constexpr bool is_host(SliceSide side) {
  return !is_device(side) && side != SliceSide::kDeviceStep && side != SliceSide::kShadow &&
         side != SliceSide::kProfiler;
}

/// The slices of the host's annotations `ProfilerStep#N`, in the order of beginnings. Where there
/// are none: the steps of the thread of a device that has most of them.
std::vector<std::uint32_t> profiler_steps(const trace::Trace& trace,
                                          const std::vector<SliceSide>& sides);

/// Whether in a call of that name of a device's runtime the host waits for the device.
bool is_synchronization(std::string_view name);

/// Whether TorchDynamo looks whether it has code for a call: it checks guards.
bool is_dynamo_lookup(std::string_view name);

/// Whether it is a phase of torch.compile's work: `… (dynamo_timed)` of a profiler, or an event of
/// category `dynamo_timed` that PyTorch wrote by itself (the Chromium events of its structured
/// log).
bool is_compile_phase(std::string_view name, std::string_view category);
/// Whether it is one that a profiler recorded.
bool is_profiled_compile_phase(std::string_view name);
/// Which, without that ending: the function that dynamo_timed() timed. Other names as they are.
std::string_view compile_phase(std::string_view name);

}  // namespace benchhud::analysis
