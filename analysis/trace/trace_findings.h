// Where in a trace there is what its report tells of: the places that a timeline marks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/trace_context.h"
#include "trace/trace_device.h"
#include "trace/trace_finding.h"

namespace benchhud::analysis {

/// Gaps of devices under kKernelWait that are kept, the longest ones: from kernel to kernel there
/// are millions.
inline constexpr std::size_t kMostShortGaps = 10'000;

/// All of the places, by kind:
///
/// - graph_break: a compiled region within another (compiled_regions.h);
/// - recompile: the first region of each compile id of a frame beyond its first;
/// - compiling: an outermost phase of torch.compile's work;
/// - step: `ProfilerStep#N`;
/// - device_idle: a gap of a device as a whole (device_use.h): all of 30 µs or more, and of
///   shorter ones the longest kMostShortGaps;
/// - idle_host_wait, idle_other: gaps of a stream of 30 µs or more, by DeviceActivity's classes;
/// - long_launch_delay: from the end of a call to the beginning of what it launched, over 100 µs;
/// - queue_full: a stream has kFullQueue launches waiting, to one of 200 parts of its time;
/// - synchronization: the host waits for the device; pageable_copy: a copy to or from pageable
///   memory.
///
/// Memory holds 16 bytes of each finding that is not packed yet: of a slice at most one at once.
std::vector<trace::PackedFindings> trace_findings(const TraceContext& context);

/// Why nothing ran, of a finding that is a gap; none of others.
std::optional<trace::IdleCause> finding_cause(std::string_view kind,
                                              const trace::TraceFinding& finding);

/// A phrase for a person; `name` and `other` are the names of the finding's labels.
std::string finding_words(std::string_view kind, const trace::TraceFinding& finding,
                          std::string_view name, std::string_view other);

}  // namespace benchhud::analysis
