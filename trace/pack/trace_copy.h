// A trace with all that is kept of it, from one database into another.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/db/table_copy.h"
#include "schema/model/artifact.h"
#include "schema/model/types.h"
#include "trace/trace_hlo.h"

namespace benchhud::trace {

/// The tables that a trace is in, and those of texts and of HLO modules, which several traces may
/// share. Tests compare them with the store's tables.
inline constexpr std::array<std::string_view, 21> kTablesOfATrace = {
    "text",
    "hlo_module",
    "trace",
    "trace_problem",
    "trace_thread",
    "trace_block",
    "trace_chunk",
    "trace_group",
    "trace_index",
    "trace_track",
    "trace_label_sums",
    "trace_sums",
    "trace_posting",
    "trace_counter",
    "trace_counter_block",
    "trace_flow_kind",
    "trace_finding",
    "trace_device",
    "trace_finding_kind",
    "trace_finding_block",
    "trace_device_block",
};
/// Those of them in which each row is of one trace, its `trace_id`.
inline constexpr auto kPartsOfATrace = std::span(kTablesOfATrace).subspan<3>();

/// Copies traces out of one database into others that have the same tables: its rows, but for its
/// HLO modules. Must not outlive the database that it copies from.
class TraceCopy {
 public:
  static schema::Expected<TraceCopy> make(schema::Connection& from);

  /// Returns the trace's number in `to`. The caller holds the write transaction of `to`. Errors:
  /// kNotFound; kConflict where `to` has a trace of that content; the databases'.
  schema::Expected<schema::TraceId> run(schema::Connection& to, schema::TraceId trace);
  /// The same of its row in `trace` alone: the rest is elsewhere.
  schema::Expected<schema::TraceId> run_row(schema::Connection& to, schema::TraceId trace);
  /// The same of all but that row, which `to` has as its trace `copied`.
  schema::Expected<void> run_parts(schema::Connection& to, schema::TraceId trace,
                                   schema::TraceId copied);
  /// That in pieces, as TableCopy's: each copy_parts_until() goes on until `end` and returns
  /// whether nothing is left.
  void start_parts(schema::TraceId trace);
  schema::Expected<bool> copy_parts_until(schema::Connection& to, schema::TraceId copied,
                                          schema::TableCopy::Clock::time_point end);
  void stop();
  /// Writes the trace's own row over that of `over` in `to`, which is of the same content.
  schema::Expected<void> overwrite_row(schema::Connection& to, schema::TraceId trace,
                                       schema::TraceId over);

 private:
  schema::TableCopy trace_;
  std::vector<schema::TableCopy> parts_;
  std::size_t part_ = 0;  // that is copied next, in pieces
  schema::TraceId started_{};
};

/// The number in `to` of a text of `from`, which is copied unless it is there. The caller holds the
/// write transaction of `to`.
schema::Expected<schema::TextId> copy_text(schema::Connection& from, schema::Connection& to,
                                           schema::TextId text);
/// The same modules by their numbers in `to`, copied unless they are there. As copy_text().
schema::Expected<TraceHlo> copy_hlo(schema::Connection& from, schema::Connection& to, TraceHlo hlo);

}  // namespace benchhud::trace
