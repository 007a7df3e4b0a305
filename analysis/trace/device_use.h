// Each device as a whole: when anything ran on any of its streams, and why nothing did in between.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/trace/device_activity.h"
#include "analysis/trace/trace_context.h"
#include "trace/trace_device.h"

namespace benchhud::analysis {

/// When anything ran on a device, by time; spans that touch are one.
std::vector<trace::BusySpan> busy_spans_of(const TraceContext& context, const OneDevice& device);
/// ns that they take together.
std::int64_t total(const std::vector<trace::BusySpan>& spans);

/// Visits all times in which nothing ran on a device, between its first slice and its last, by
/// beginning. The slice that ends one says why, as of a stream's (visit_gaps()).
void visit_device_gaps(const TraceContext& context, const OneDevice& device,
                       const std::function<void(const DeviceGap&)>& visit);

/// When each device was busy, and how long it waited for what. None where it is not known which
/// slices are devices' (TraceUnknowns::device).
std::optional<std::vector<trace::PackedDevice>> device_uses(const TraceContext& context);

}  // namespace benchhud::analysis
