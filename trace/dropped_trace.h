// Traces that somebody dropped on a page: in the store for a while, and seen by the holder of the
// token alone. What a dump is of as well is seen by everybody, and outlives that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::trace {

struct DroppedTrace {
  schema::TraceId trace{};
  std::string name;             ///< of the file
  double at = 0, until = 0;     ///< seconds since 1970; until 0: a dump is of the same content
  std::int64_t byte_count = 0;  ///< of the file, decompressed
  std::int64_t problem_count = 0;
};

/// Who asks: the id of a token; none: nobody in particular.
using TokenId = std::optional<std::int64_t>;

/// Whether somebody may know of a trace: it is of a dump, or not dropped at all, or by themselves.
schema::Expected<bool> may_see_trace(schema::Connection& connection, schema::TraceId trace,
                                     TokenId token, double now);

/// Whether a trace is of no dump: it is there because somebody dropped it.
schema::Expected<bool> is_only_dropped(schema::Connection& connection, schema::TraceId trace);

/// Those that somebody dropped and that are still there, the newest first.
schema::Expected<std::vector<DroppedTrace>> dropped_traces(schema::Connection& connection,
                                                           std::int64_t token, double now);
/// What is kept of one beside it (trace_digest.h); none where they dropped no such trace.
schema::Expected<std::optional<std::string>> dropped_digest(schema::Connection& connection,
                                                            schema::TraceId trace,
                                                            std::int64_t token, double now);

/// How many somebody has, and their bytes, without one of them; 0, which is no trace's id: of all.
struct DroppedSum {
  std::int64_t count = 0, bytes = 0;
};
schema::Expected<DroppedSum> dropped_sum(schema::Connection& connection, std::int64_t token,
                                         double now, schema::TraceId without = {});

/// Notes that somebody dropped a trace that is in the store; `digest` as it is encoded. Call it
/// within a transaction, as the one below.
schema::Expected<void> put_dropped_trace(schema::Connection& connection, const DroppedTrace& trace,
                                         std::int64_t token, std::string_view digest);
/// Removes one, and the trace where nobody else has it. Error: kNotFound.
schema::Expected<void> remove_dropped_trace(schema::Connection& connection, schema::TraceId trace,
                                            std::int64_t token);
/// A trace that nobody is to see any more whose token dropped it.
struct ExpiredTrace {
  schema::TraceId trace{};
  std::int64_t token = 0;
};
/// Those whose time is over or whose token is withdrawn, what expired first being first.
schema::Expected<std::vector<ExpiredTrace>> expired_traces(schema::Connection& connection,
                                                           double now);

/// What became of expired traces.
struct Removal {
  std::int64_t removed = 0;
  std::vector<std::string> failures;  ///< a sentence each
};
/// Removes expired traces, each in a transaction of its own, so that others can write in between
/// and one that cannot be removed keeps none of the others. Stops after the one at which `go_on`
/// gives false. Error: kBusy where somebody else writes; what was removed until then is removed.
schema::Expected<Removal> remove_expired_traces(schema::Connection& connection, double now,
                                                const std::function<bool()>& go_on);

}  // namespace benchhud::trace
