// The XLA profile of a trace in the store, without the rest of the trace.
#pragma once

#include <optional>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace.h"
#include "trace/xla_profile.h"

namespace benchhud::trace {

/// None where the trace is no XPlane profile, or an older version stored it. Errors: kCorrupt, the
/// store's.
schema::Expected<std::optional<XlaProfile>> read_xla_profile(schema::Connection& connection,
                                                             schema::TraceId trace);

/// Adds the profile of `made`, which is that trace read again, where an older version stored the
/// trace without one. Returns whether it did. Call it within a transaction. Errors: kCorrupt, the
/// store's.
schema::Expected<bool> add_xla_profile(schema::Connection& connection, schema::TraceId trace,
                                       const Trace& made);

}  // namespace benchhud::trace
