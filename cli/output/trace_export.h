// benchhud trace export: a window of a stored trace as a Chrome trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/errors.h"

namespace benchhud::cli {

struct TraceExportRequest {
  std::string store;
  /// One of them: the number in the timeline's address, or a dump's.
  std::optional<std::int64_t> trace, artifact;
  /// ns from the trace's origin; none: from its first event, to its last.
  std::optional<std::int64_t> begin, end;
  std::optional<std::string> tracks;  ///< numbers with commas between; none: all
  std::optional<std::string> out;     ///< the file; none: standard output
};

/// Writes what /traces/{id}/export answers. A file is there when it is whole, or as it was. Errors:
/// kNotFound (store, trace, dump), kUnsupported where the dump is no trace, kInvalidArgument (the
/// window is empty, the list of tracks), kIo, kCorrupt.
schema::Expected<void> export_trace(const TraceExportRequest& request);

}  // namespace benchhud::cli
