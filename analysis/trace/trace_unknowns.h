// What nobody can tell of a trace, for it has slices that are not known to be the host's or a
// device's.
#pragma once

#include <string>
#include <vector>

#include "analysis/trace/device_activity.h"
#include "analysis/trace/slice_side.h"
#include "trace/trace.h"

namespace benchhud::analysis {

/// Of the trace whose labels have `sides`, with the device's slices in `device`.
///
/// A thread whose slices are all of categories that are not known (slice_side.h) may be a device's.
/// Where there is one and no slice is known to be a device's, what ran on devices is unknown; it is
/// not that nothing did. Where no slice of a device has its launch, what launched them is unknown.
TraceUnknowns trace_unknowns(const trace::Trace& trace, const std::vector<SliceSide>& sides,
                             const std::vector<DeviceSlice>& device);

}  // namespace benchhud::analysis
