// Takes the modules of HLO that an XPlane profile holds into a store.
#pragma once

#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "trace/trace.h"
#include "trace/trace_hlo.h"

namespace benchhud::ingest {

/// Stores the modules of a profile's bytes, decompressed, each content once, and tells which they
/// are, for put_trace_hlo(). What cannot be decoded becomes problems of `trace`.
/// The caller holds the write transaction.
schema::Expected<trace::TraceHlo> put_profile_hlo(schema::Connection& store, std::string_view bytes,
                                                  trace::Trace* trace);

}  // namespace benchhud::ingest
