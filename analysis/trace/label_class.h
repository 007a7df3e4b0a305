// What a label, a slice's name and category, tells of the slice; and a flow's category of the flow.
// What else decides a kernel's kind (its arguments, what launched it) is in device_activity.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace benchhud::analysis {

/// Where slices ran.
enum class TrackSide : std::uint8_t { kOther, kHost, kDevice };

/// "other", "host" or "device".
constexpr std::string_view track_side_name(TrackSide side) {
  return side == TrackSide::kDevice ? "device" : side == TrackSide::kHost ? "host" : "other";
}

struct LabelClass {
  std::string_view name;  ///< such as "operator"; a constant
  TrackSide side = TrackSide::kOther;
};

/// The class of a label by PyTorch's names of categories and functions, one of:
/// - of the host: operator, annotation, compiled (a region or graph that torch.compile made),
///   compile (a phase of its work), python (a function's frame), runtime (a call of the device's
///   runtime or driver), overhead (the profiler's own work);
/// - of a device: inductor_triton (kernels by their name `triton_…`), communication (NCCL's,
/// RCCL's,
///   HCCL's), library (any other kernel), memcpy, memset, shadow (the host's annotations on the
///   device's side);
/// - profiler (its window), other (no profiler of PyTorch wrote it).
LabelClass label_class(std::string_view name, std::string_view category);

/// Whether slices of that class are work of their own. Annotations, on the host and shown on a
/// device, and the profiler's window only contain other slices: what is theirs alone is time
/// between these.
bool is_work(const LabelClass& of);

/// Whether a kernel of that name is NCCL's, RCCL's or HCCL's.
bool is_communication_kernel(std::string_view name);

/// What the arrows of that category lead along: launch (from the call to the device), fwdbwd (from
/// forward to backward), async, or other.
std::string_view flow_kind(std::string_view category);

}  // namespace benchhud::analysis
