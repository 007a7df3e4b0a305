// What a trace tells, as JSON: for the command line and for whoever builds on it.
#pragma once

#include <nlohmann/json.hpp>

#include "analysis/trace/trace_report.h"
#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

/// `benchhud trace summary FILE --format json`. Keys and meanings: docs/traces.md.
nlohmann::ordered_json summary_json(const trace::Trace& trace, const trace::TraceNesting& nesting);

/// Everything, in lists of bounded length: `benchhud trace report FILE --format json`. Keys and
/// meanings: docs/traces.md. `report`: of that trace.
nlohmann::ordered_json report_json(const trace::Trace& trace, const analysis::TraceReport& report);

}  // namespace benchhud::analysis
