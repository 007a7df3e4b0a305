// Traces that somebody dropped on a page: in the store for a while, and seen by the holder of the
// token alone. What a dump is of as well is seen by everybody, and outlives that.
#pragma once

#include <cstdint>
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
  double at = 0, until = 0;     ///< seconds since 1970
  std::int64_t byte_count = 0;  ///< of the file, decompressed
  std::int64_t problem_count = 0;
};

/// Who asks: the id of a token; none: nobody in particular.
using TokenId = std::optional<std::int64_t>;

/// Whether somebody may know of a trace: it is of a dump, or not dropped at all, or by themselves.
schema::Expected<bool> may_see_trace(schema::Connection& connection, schema::TraceId trace,
                                     TokenId token, double now);

/// Those that somebody dropped and that are still there, the newest first.
schema::Expected<std::vector<DroppedTrace>> dropped_traces(schema::Connection& connection,
                                                           std::int64_t token, double now);
/// What is kept of one beside it (trace_digest.h); none where they dropped no such trace.
schema::Expected<std::optional<std::string>> dropped_digest(schema::Connection& connection,
                                                            schema::TraceId trace,
                                                            std::int64_t token, double now);

/// How many somebody has, and their bytes, without one of them.
struct DroppedSum {
  std::int64_t count = 0, bytes = 0;
};
schema::Expected<DroppedSum> dropped_sum(schema::Connection& connection, std::int64_t token,
                                         double now, schema::TraceId without);

/// Notes that somebody dropped a trace that is in the store; `digest` as it is encoded. Call it
/// within a transaction, as those below.
schema::Expected<void> put_dropped_trace(schema::Connection& connection, const DroppedTrace& trace,
                                         std::int64_t token, std::string_view digest);
/// Removes one, and the trace where nobody else has it. Error: kNotFound.
schema::Expected<void> remove_dropped_trace(schema::Connection& connection, schema::TraceId trace,
                                            std::int64_t token);
/// Removes those whose time is over or whose token is withdrawn, at most `most`. Gives how many.
schema::Expected<std::int64_t> remove_expired_traces(schema::Connection& connection, double now,
                                                     std::size_t most);
/// Whether there are any.
schema::Expected<bool> has_expired_traces(schema::Connection& connection, double now);

}  // namespace benchhud::trace
