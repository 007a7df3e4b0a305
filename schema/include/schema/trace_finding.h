// Places in a trace where something was found. What is found is analysis' to say; the store keeps
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/artifact.h"
#include "schema/database.h"
#include "schema/errors.h"

namespace benchhud::schema {

struct TraceFinding {
  std::string kind;  ///< such as "graph_break"
  std::uint32_t thread = 0;
  std::int64_t begin = 0, end = 0;  ///< ns on the trace's own clock
  std::string words;                ///< a phrase for a person
};

struct FindingKind {
  std::string kind;
  std::int64_t count = 0;  ///< of all that were found, kept or not
};

struct TraceFindings {
  std::vector<TraceFinding> findings;  ///< by beginning
  std::vector<FindingKind> kinds;
};

/// Keeps findings in place of those that are there. Call it within a transaction.
Expected<void> put_trace_findings(Connection& connection, TraceId trace,
                                  const TraceFindings& findings);
Expected<TraceFindings> trace_findings(Connection& connection, TraceId trace);
/// How many there are of each kind.
Expected<std::vector<FindingKind>> trace_finding_kinds(Connection& connection, TraceId trace);
Expected<void> delete_trace_findings(Connection& connection, TraceId trace);

}  // namespace benchhud::schema
