// The part of a trace's report that is about XLA.
#pragma once

#include <nlohmann/json.hpp>

#include "analysis/trace/trace_report.h"
#include "trace/trace.h"

namespace benchhud::analysis {

/// Null where the trace is no XPlane profile, or an older version stored it. docs/traces.md says
/// what its members are.
nlohmann::ordered_json xla_json(const trace::Trace& trace, const TraceReport& report);

}  // namespace benchhud::analysis
