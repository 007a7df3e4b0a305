// What launching costs: calls of the runtime, and how long what they launch waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/quantiles.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// A call longer than this is unusual, ns; Holistic Trace Analysis's default.
inline constexpr std::int64_t kLongCall = 50'000;
/// A wait longer than this is unusual, ns; Holistic Trace Analysis's default.
inline constexpr std::int64_t kLongDelay = 100'000;

/// Launches of what has one name on the device. A launch of several (a CUDA graph) counts for each.
struct LaunchRow {
  std::string name;
  std::int64_t count = 0;
  TimeTotals call;    ///< of the host
  TimeTotals device;  ///< of what was launched
  TimeTotals delay;   ///< from the end of the call to the beginning on the device, at least 0
  std::int64_t long_delays = 0;
};

struct LaunchStats {
  std::int64_t calls = 0;         ///< that launched something
  std::int64_t launched = 0;      ///< device slices with their call
  std::int64_t without_call = 0;  ///< device slices whose call is not in the trace
  TimeTotals call_time;
  std::optional<Quantiles> call, device, delay;  ///< device and delay: of slices
  std::int64_t long_calls = 0;                   ///< beyond kLongCall
  std::int64_t long_delays = 0;                  ///< beyond kLongDelay
  /// Calls that took longer than all that they launched.
  std::int64_t longer_than_launched = 0;
  std::vector<LaunchRow> rows;  ///< the most often launched first
  std::int64_t rows_left_out = 0;
};

/// Follows Holistic Trace Analysis's CUDA kernel launch statistics, which leaves out cuLaunchKernel
/// and HIP; here every call that launched something counts. At most `most` rows.
LaunchStats launch_stats(const TraceContext& context, std::size_t most);

}  // namespace benchhud::analysis
