// The contract's DroppedTrace.
#pragma once

#include "schema/base/json_writer.h"
#include "trace/dropped_trace.h"

namespace benchhud::views {

void write_dropped_trace(schema::JsonWriter& json, const trace::DroppedTrace& dropped);

}  // namespace benchhud::views
