// Reads a trace file of whatever format.
#pragma once

#include <string>

#include "schema/base/errors.h"
#include "trace/trace.h"

namespace benchhud::ingest {

/// Whether a file is a pack (trace/pack/pack_file.h), by its first bytes, which are not read of
/// what is no regular file: a pipe gives them once. Errors: kIo; kUnsupported of one that is
/// compressed as a whole.
schema::Expected<bool> is_pack_file(const std::string& path);

/// Reads a Chrome trace (read_trace()), an XPlane profile (read_xplane_file()) or a pack
/// (trace::PackReader), which is_pack_file() and is_xplane_file() tell apart, without the events'
/// arguments. Errors: as theirs.
schema::Expected<trace::Trace> read_trace_file(const std::string& path);

}  // namespace benchhud::ingest
