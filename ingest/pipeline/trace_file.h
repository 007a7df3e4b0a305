// Reads a trace file of whatever format.
#pragma once

#include <string>

#include "schema/base/errors.h"
#include "trace/trace.h"

namespace benchhud::ingest {

/// Reads a Chrome trace (read_trace()) or an XPlane profile (read_xplane_file()), which
/// is_xplane_file() tells apart. `sink` and errors: as theirs.
schema::Expected<trace::Trace> read_trace_file(const std::string& path,
                                               trace::TraceArgsSink* sink = nullptr);

}  // namespace benchhud::ingest
