// What a label, a slice's name and category, tells of the slice; and a flow's category of the flow.
// What else decides a kernel's kind (its arguments, what launched it) is in device_activity.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/kernels/kernel_rules.h"
#include "trace/trace_queries.h"

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

/// The class of a label by its category, the role of its threads and its name, one of:
/// - of the host: operator, annotation, compiled (a region or graph that torch.compile made),
///   compile (a phase of its work), python (a function's frame), runtime (a call of the device's
///   runtime or driver), overhead (the profiler's own work), host (what else the host did);
/// - of a device: inductor_triton (kernels by their name `triton_…`) and what else name_of() of
///   kernel_rules.h lists, of kernels by their names alone; memcpy, memset, shadow (no work:
///   annotations, waits, steps, what repeats other slices);
/// - of either: communication (libkineto's category `collective_comm` stands on both);
/// - profiler (its window), unknown (nothing says where it ran).
LabelClass label_class(std::string_view name, std::string_view category,
                       trace::ThreadRole role = trace::ThreadRole::kUnknown);
LabelClass label_class(const trace::LabelText& label);

/// Whether slices of that class are work of their own. Annotations, on the host and shown on a
/// device, and the profiler's window only contain other slices: what is theirs alone is time
/// between these.
bool is_work(const LabelClass& of);

/// The class of a kernel of that label, as far as the label tells: by a rule of the team's own,
/// communication by category or thread, Inductor's Triton kernels by their name, or by a rule of
/// the program's; none where no rule fits.
std::optional<KernelClass> kernel_class_of_label(std::string_view name, std::string_view category,
                                                 trace::ThreadRole role);

/// What the arrows of that category lead along: launch (from the call to the device), fwdbwd (from
/// forward to backward), async, or other.
std::string_view flow_kind(std::string_view category);

}  // namespace benchhud::analysis
