// What nobody can tell of a trace, for it has slices that are not known to be the host's or a
// device's.
#pragma once

#include <vector>

#include "analysis/trace/device_activity.h"
#include "analysis/trace/slice_side.h"
#include "trace/trace.h"

namespace benchhud::analysis {

/// Of the trace whose labels have `sides`, with the device's slices in `device`.
///
/// Where no slice is known to be a device's, what ran on devices is unknown, and not nothing, if
/// - all that is on some thread may be a device's, for nothing says where it ran (slice_side.h), or
/// - the trace shows annotations or steps of a device and not its work, or
/// - calls launched something, or
/// - the trace has no slices, or none but the profiler's own.
/// Where no slice of a device has its launch, what launched them is unknown; operators are known
/// where arrows begin at them.
TraceUnknowns trace_unknowns(const trace::Trace& trace, const std::vector<SliceSide>& sides,
                             const DeviceSlices& device);

}  // namespace benchhud::analysis
