// All events of a window of a stored trace, one after the other, at most a chunk of them in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "trace/trace_queries.h"
#include "trace/trace_span.h"

namespace benchhud::trace {

/// What is done with each event; false: no more are wanted. Must not visit anything itself.
template <class... Event>
using VisitEvent = std::function<schema::Expected<bool>(const Event&...)>;

/// The slices of a thread that overlap the window, by row and time.
schema::Expected<void> visit_slices(schema::Connection& connection, schema::TraceId trace,
                                    std::uint32_t thread, const TraceSpan& window,
                                    const VisitEvent<PlacedSlice, SliceExtra>& visit);
/// Points in the window, of all threads or of one, by thread and time.
schema::Expected<void> visit_points(schema::Connection& connection, schema::TraceId trace,
                                    const TraceSpan& window, std::optional<std::uint32_t> thread,
                                    const VisitEvent<PlacedPoint>& visit);
/// Ends of flows in the window, by time.
schema::Expected<void> visit_flows(schema::Connection& connection, schema::TraceId trace,
                                   const TraceSpan& window, const VisitEvent<PlacedFlow>& visit);

}  // namespace benchhud::trace
