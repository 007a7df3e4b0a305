// How fast copies and sets were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// Copies (or sets) of one kind, as their name says it: from what to what.
struct CopyRow {
  std::string name;
  TimeTotals time;          ///< of all
  std::int64_t stated = 0;  ///< of those, that say how much or how fast; what follows is of them
  double bytes = 0;
  double nanoseconds = 0;  ///< those of 0 ns count as 1000, the profiler's resolution once
  double fastest = 0;      ///< GB/s of 10^9 bytes, as the profiler says it; 0 where it does not
  /// GB/s of 10^9 bytes: bytes / nanoseconds.
  std::optional<double> mean_bandwidth() const;
};

/// The longest together first, at most `most`. Bytes where a slice says them, else its bandwidth
/// times its length (Holistic Trace Analysis adds up bandwidths over time the same way).
std::vector<CopyRow> copy_bandwidths(const TraceContext& context, std::size_t most,
                                     std::int64_t* left_out);

}  // namespace benchhud::analysis
