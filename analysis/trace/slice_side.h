// What a slice's category says of where it ran, and what PyTorch's own names say that it is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace benchhud::analysis {

enum class SliceSide : std::uint8_t {
  kOther,       ///< of the host, as everything that no profiler of PyTorch wrote
  kOperator,    ///< cpu_op
  kAnnotation,  ///< user_annotation: record_function, and PyTorch's own marks
  kPython,      ///< a function's frame
  kRuntime,     ///< a call of the device's runtime or driver
  kOverhead,    ///< the profiler's own work
  kKernel,
  kMemcpy,
  kMemset,
  kShadow,    ///< the host's annotations, shown on the device's side too
  kProfiler,  ///< the profiler's window
};

/// By kineto's names of categories, and those that it had in 2021.
SliceSide side_of(std::string_view category);
/// Of each of Trace::labels.
std::vector<SliceSide> sides_of_labels(const trace::Trace& trace);

/// Kernels, copies and sets.
constexpr bool is_device(SliceSide side) {
  return side == SliceSide::kKernel || side == SliceSide::kMemcpy || side == SliceSide::kMemset;
}
/// What the host did: neither a device's, nor a shadow or the profiler's window.
constexpr bool is_host(SliceSide side) {
  return !is_device(side) && side != SliceSide::kShadow && side != SliceSide::kProfiler;
}

/// Whether slices of that category are annotations of the host, shown on the device's side too.
bool is_shadow_category(std::string_view category);

/// The slices of the host's annotations `ProfilerStep#N`, in the order of beginnings.
std::vector<std::uint32_t> profiler_steps(const trace::Trace& trace);

/// Whether it is a phase of torch.compile's work, `… (dynamo_timed)`.
bool is_compile_phase(std::string_view name);
/// Which, without that ending: the function that dynamo_timed() timed. Other names as they are.
std::string_view compile_phase(std::string_view name);

}  // namespace benchhud::analysis
