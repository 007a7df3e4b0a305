// Sums by label over a window of a thread, at a cost that grows with the window's edges and not
// with what is between them.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace_index.h"
#include "trace/trace_sums.h"

namespace benchhud::trace {

/// Sums by label, ascending, of the thread's slices that overlap [begin, end), or that take no time
/// and lie in it. All times, the shortest and the longest too, are of the parts that lie in the
/// window. Errors: kCorrupt, the store's.
schema::Expected<std::vector<LabelSums>> sums_in_window(schema::Connection& connection,
                                                        schema::TraceId trace,
                                                        const TraceIndex& index,
                                                        std::uint32_t thread, std::int64_t begin,
                                                        std::int64_t end);

}  // namespace benchhud::trace
