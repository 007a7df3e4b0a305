// All events of a window of a stored trace, one after the other, at most a chunk of them in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "trace/trace_lookup.h"
#include "trace/trace_span.h"

namespace benchhud::schema {

/// What is done with each event; false: no more are wanted. Must not visit anything itself.
template <class... Event>
using VisitEvent = std::function<Expected<bool>(const Event&...)>;

/// The slices of a thread that overlap the window, by row and time.
Expected<void> visit_slices(Connection& connection, TraceId trace, std::uint32_t thread,
                            const TraceSpan& window,
                            const VisitEvent<PlacedSlice, SliceExtra>& visit);
/// Points in the window, of all threads or of one, by thread and time.
Expected<void> visit_points(Connection& connection, TraceId trace, const TraceSpan& window,
                            std::optional<std::uint32_t> thread,
                            const VisitEvent<PlacedPoint>& visit);
/// Ends of flows in the window, by time.
Expected<void> visit_flows(Connection& connection, TraceId trace, const TraceSpan& window,
                           const VisitEvent<PlacedFlow>& visit);

}  // namespace benchhud::schema
