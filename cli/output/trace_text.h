// What a trace tells, for people.
#pragma once

#include <nlohmann/json.hpp>

#include "analysis/trace/trace_report.h"
#include "trace/memory/device_memory.h"

namespace benchhud::cli {

/// `summary`: analysis::summary_json() of the same trace; `memory`: its Trace::memory.
void print_trace_summary(const nlohmann::ordered_json& summary, const analysis::TraceReport& report,
                         const trace::MemoryByDevice& memory);
/// The tables that a summary has no room for.
void print_trace_report(const analysis::TraceReport& report);

}  // namespace benchhud::cli
