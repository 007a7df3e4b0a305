#include "trace/dropped_trace.h"

#include <fmt/format.h>

#include <utility>

#include "schema/base/column_codec.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_store.h"

namespace benchhud::trace {
namespace {

// No token has this id.
constexpr std::int64_t kNobody = -1;

schema::Expected<void> remove_in_transaction(schema::Connection& connection,
                                             const ExpiredTrace& expired) {
  BENCHHUD_ASSIGN(auto transaction,
                  schema::Transaction::begin(connection, schema::Transaction::Kind::kWrite));
  BENCHHUD_TRY(remove_dropped_trace(connection, expired.trace, expired.token));
  return transaction.commit();
}

}  // namespace

schema::Expected<bool> may_see_trace(schema::Connection& connection, schema::TraceId trace,
                                     TokenId token, double now) {
  schema::Statement query = connection.cached(sql::kMaySeeTrace);
  query.bind(1, trace).bind(2, token.value_or(kNobody)).bind(3, now);
  const bool may = query.step() && query.integer(0) != 0;
  BENCHHUD_TRY(query.status());
  return may;
}

schema::Expected<bool> is_only_dropped(schema::Connection& connection, schema::TraceId trace) {
  schema::Statement query = connection.cached(sql::kIsTraceOnlyDropped);
  query.bind(1, trace);
  const bool is_dropped = query.step() && query.integer(0) != 0;
  BENCHHUD_TRY(query.status());
  return is_dropped;
}

schema::Expected<std::vector<DroppedTrace>> dropped_traces(schema::Connection& connection,
                                                           std::int64_t token, double now) {
  schema::Statement query = connection.cached(sql::kDroppedTracesOfToken);
  query.bind(1, token).bind(2, now);
  return collect(query, [](const schema::Statement& row) {
    return DroppedTrace{.trace = schema::TraceId(row.integer(0)),
                        .name = std::string(row.text(1)),
                        .at = row.real(2),
                        .until = row.real(3),
                        .byte_count = row.integer(4),
                        .problem_count = row.integer(5)};
  });
}

schema::Expected<std::optional<std::string>> dropped_digest(schema::Connection& connection,
                                                            schema::TraceId trace,
                                                            std::int64_t token, double now) {
  schema::Statement query = connection.cached(sql::kDigestOfDroppedTrace);
  query.bind(1, trace).bind(2, token).bind(3, now);
  if (query.step()) {
    BENCHHUD_ASSIGN(std::string digest, schema::decompress(query.blob(0), std::size_t{256} << 20));
    return std::optional(std::move(digest));
  }
  BENCHHUD_TRY(query.status());
  return std::optional<std::string>();
}

schema::Expected<DroppedSum> dropped_sum(schema::Connection& connection, std::int64_t token,
                                         double now, schema::TraceId without) {
  schema::Statement query = connection.cached(sql::kDroppedBytesOfToken);
  query.bind(1, token).bind(2, now).bind(3, without);
  DroppedSum sum;
  if (query.step()) sum = {query.integer(0), query.integer(1)};
  BENCHHUD_TRY(query.status());
  return sum;
}

schema::Expected<void> put_dropped_trace(schema::Connection& connection, const DroppedTrace& trace,
                                         std::int64_t token, std::string_view digest) {
  const std::string packed = schema::compress(digest);
  return connection.cached(sql::kPutDroppedTrace)
      .bind(1, trace.trace)
      .bind(2, token)
      .bind_text_view(3, trace.name)
      .bind(4, trace.at)
      .bind(5, trace.until)
      .bind_blob_view(6, packed)
      .run();
}

schema::Expected<void> remove_dropped_trace(schema::Connection& connection, schema::TraceId trace,
                                            std::int64_t token) {
  // What somebody alone saw is not left in free pages, of which copies of the store are made.
  BENCHHUD_TRY(connection.execute("PRAGMA secure_delete = ON"));
  BENCHHUD_TRY(
      connection.cached(sql::kDeleteDroppedTraceOfToken).bind(1, trace).bind(2, token).run());
  if (connection.changes() == 0) {
    return schema::Error{schema::ErrorCode::kNotFound,
                         fmt::format("there is no dropped trace {}", to_int(trace))};
  }
  schema::Statement query = connection.cached(sql::kIsTraceKept);
  query.bind(1, trace);
  const bool is_kept = query.step() && query.integer(0) != 0;
  BENCHHUD_TRY(query.status());
  if (is_kept) return {};
  // Nor what was noted on it, which whoever reads the store could find by its content otherwise.
  BENCHHUD_TRY(connection.cached(sql::kDeleteNotesOfTrace).bind(1, trace).run());
  return delete_trace(connection, trace);
}

schema::Expected<std::vector<ExpiredTrace>> expired_traces(schema::Connection& connection,
                                                           double now) {
  schema::Statement query = connection.cached(sql::kDroppedTracesToRemove);
  query.bind(1, now);
  return collect(query, [](const schema::Statement& row) {
    return ExpiredTrace{schema::TraceId(row.integer(0)), row.integer(1)};
  });
}

schema::Expected<Removal> remove_expired_traces(schema::Connection& connection, double now,
                                                const std::function<bool()>& go_on) {
  BENCHHUD_ASSIGN(const auto expired, expired_traces(connection, now));
  Removal done;
  for (const ExpiredTrace& each : expired) {
    const auto removed = remove_in_transaction(connection, each);
    if (removed) {
      ++done.removed;
    } else if (removed.error().code == schema::ErrorCode::kBusy) {
      return removed.error();
    } else if (removed.error().code != schema::ErrorCode::kNotFound) {  // its owner was faster
      done.failures.push_back(fmt::format("The expired trace {} could not be removed: {}.",
                                          to_int(each.trace), removed.error().message));
    }
    if (!go_on()) break;
  }
  return done;
}

}  // namespace benchhud::trace
