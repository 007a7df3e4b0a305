// The XLA profile of a trace in the store, without the rest of the trace.
#pragma once

#include <optional>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/xla_profile.h"

namespace benchhud::trace {

/// None where the trace is no XPlane profile, or an older version stored it. Errors: kCorrupt, the
/// store's.
schema::Expected<std::optional<XlaProfile>> read_xla_profile(schema::Connection& connection,
                                                             schema::TraceId trace);

}  // namespace benchhud::trace
