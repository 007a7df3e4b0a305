#include "schema/trace_finding.h"

#include <string_view>

#include "rows.h"
#include "schema/queries.h"

namespace benchhud::schema {

Expected<void> put_trace_findings(Connection& connection, TraceId trace,
                                  const TraceFindings& findings) {
  BENCHHUD_TRY(delete_trace_findings(connection, trace));
  std::int64_t number = 0;
  for (const TraceFinding& each : findings.findings) {
    BENCHHUD_TRY(connection.cached(sql::kInsertTraceFinding)
                     .bind(1, trace)
                     .bind(2, number++)
                     .bind_text_view(3, each.kind)
                     .bind(4, std::int64_t{each.thread})
                     .bind(5, each.begin)
                     .bind(6, each.end)
                     .bind_text_view(7, each.words)
                     .run());
  }
  for (const FindingKind& each : findings.kinds) {
    BENCHHUD_TRY(connection.cached(sql::kInsertTraceFindingKind)
                     .bind(1, trace)
                     .bind_text_view(2, each.kind)
                     .bind(3, each.count)
                     .run());
  }
  return {};
}

Expected<TraceFindings> trace_findings(Connection& connection, TraceId trace) {
  TraceFindings found;
  Statement query = connection.cached(sql::kFindingsOfTrace);
  query.bind(1, trace);
  BENCHHUD_ASSIGN(found.findings, collect(query, [](const Statement& row) {
                    TraceFinding each;
                    each.kind = row.text(0);
                    each.thread = static_cast<std::uint32_t>(row.integer(1));
                    each.begin = row.integer(2);
                    each.end = row.integer(3);
                    each.words = row.text(4);
                    return each;
                  }));
  BENCHHUD_ASSIGN(found.kinds, trace_finding_kinds(connection, trace));
  return found;
}

Expected<std::vector<FindingKind>> trace_finding_kinds(Connection& connection, TraceId trace) {
  Statement query = connection.cached(sql::kFindingKindsOfTrace);
  query.bind(1, trace);
  return collect(query, [](const Statement& row) {
    return FindingKind{std::string(row.text(0)), row.integer(1)};
  });
}

Expected<void> delete_trace_findings(Connection& connection, TraceId trace) {
  for (const std::string_view sql : {sql::kDeleteTraceFindings, sql::kDeleteTraceFindingKinds}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, trace).run());
  }
  return {};
}

}  // namespace benchhud::schema
