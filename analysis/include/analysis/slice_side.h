// What a slice's category says of where it ran.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schema/trace.h"

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
std::vector<SliceSide> sides_of_labels(const schema::Trace& trace);

/// Kernels, copies and sets.
constexpr bool is_device(SliceSide side) {
  return side == SliceSide::kKernel || side == SliceSide::kMemcpy || side == SliceSide::kMemset;
}
/// What the host did: neither a device's, nor a shadow or the profiler's window.
constexpr bool is_host(SliceSide side) {
  return !is_device(side) && side != SliceSide::kShadow && side != SliceSide::kProfiler;
}

/// Whether slices of that category are of a device: kernels, copies, sets.
bool is_device_category(std::string_view category);
/// Whether slices of that category are annotations of the host, shown on the device's side too.
bool is_shadow_category(std::string_view category);

}  // namespace benchhud::analysis
