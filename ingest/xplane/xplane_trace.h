// Reads XPlane files, which XLA's profiler writes (JAX, PyTorch/XLA, TensorFlow), as traces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/xplane/xplane_flows.h"
#include "schema/base/errors.h"
#include "trace/trace.h"

namespace benchhud::ingest {

/// What became of a plane's events: events == slices + counters + async + aggregated + allocations
/// + refused.
struct XplanePlaneCounts {
  std::string name;
  std::int64_t lines = 0, events = 0;
  std::int64_t slices = 0;
  std::int64_t async = 0;        ///< slices as well, which need not nest: copies and the like
  std::int64_t counters = 0;     ///< points C
  std::int64_t allocations = 0;  ///< points C: what allocators say of their memory
  std::int64_t aggregated = 0;   ///< points M: sums of events, without a place in time
  std::int64_t refused = 0;      ///< problems
};

struct XplaneTrace {
  /// Its `events` are the file's; a plane that has values of its own has a point M besides.
  trace::Trace trace;
  std::vector<XplanePlaneCounts> planes;  ///< the first kMostPlanes
  XplaneFlowCounts flows;
  /// Why nothing could be read, a phrase; "" if something could be.
  std::string unreadable;
  /// Why the trace was refused: its names take too much memory. "" if it was not.
  std::string refusal;
  static constexpr std::size_t kMostPlanes = 10'000;
};

/// Reads a file's bytes, decompressed. A plane is a process, the lines of one id are one thread.
///
/// Times are those of the file in picoseconds; beginnings and ends are each rounded to the nearest
/// nanosecond, never lengths, so that what nests still does. They count from the beginning of the
/// profile, whose wall clock is Trace::base_time where the file says it.
///
/// What cannot be decoded is a problem with its place. Memory: as of TraceBuilder.
///
/// `sink`, if there is one, gets the values of each event as its arguments.
/// `damage`: why the bytes ended before their time, if they did; a problem of the trace.
XplaneTrace read_xplane(std::string_view bytes, trace::TraceArgsSink* sink = nullptr,
                        std::string_view damage = "");

/// Reads a file, plain, gzip or zstd. Errors: kIo, kFull (a copy of it is made); kUnsupported where
/// nothing could be read; kTooLarge where it was refused.
schema::Expected<trace::Trace> read_xplane_file(const std::string& path,
                                                trace::TraceArgsSink* sink = nullptr);

}  // namespace benchhud::ingest
