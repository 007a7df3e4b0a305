#include "service/imports/dropped_trace_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ingest/pipeline/dump_ingest.h"
#include "schema/results/artifact_writer.h"
#include "schema/results/reader.h"
#include "service/traces/trace_digest.h"
#include "trace/trace_queries.h"

namespace benchhud::service {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

Error no_more(const trace::DroppedSum& sum, const DropLimits& limits) {
  return {ErrorCode::kTooLarge,
          fmt::format("You have {} dropped traces of {} bytes: there may be {}, of {} bytes "
                      "together. Remove one, or wait until one expires.",
                      sum.count, sum.bytes, limits.count, limits.all_bytes)};
}

// Others of the same token may have been stored while this one was sent.
Expected<void> check_limits(schema::Connection& store, const NewDrop& drop,
                            const trace::DroppedTrace& dropped, const DropLimits& limits) {
  if (dropped.byte_count > limits.bytes) {
    return Error{ErrorCode::kTooLarge, fmt::format("The trace has {} bytes; {} may be dropped.",
                                                   dropped.byte_count, limits.bytes)};
  }
  BENCHHUD_ASSIGN(const trace::DroppedSum sum,
                  trace::dropped_sum(store, drop.token, drop.now, dropped.trace));
  if (sum.count < limits.count && sum.bytes <= limits.all_bytes - dropped.byte_count) return {};
  return no_more(sum, limits);
}

}  // namespace

Expected<std::int64_t> most_bytes_of_drop(schema::Connection& connection, std::int64_t token,
                                          double now, const DropLimits& limits) {
  BENCHHUD_ASSIGN(const trace::DroppedSum sum, trace::dropped_sum(connection, token, now));
  const std::int64_t left = std::min(limits.bytes, limits.all_bytes - sum.bytes);
  if (sum.count >= limits.count || left <= 0) return no_more(sum, limits);
  return left;
}

Expected<trace::DroppedTrace> drop_trace(schema::Connection& store, const NewDrop& drop,
                                         const DropLimits& limits,
                                         const schema::StoreTurns& turns) {
  std::string digest;
  ingest::DumpOptions options;
  options.joins_sessions = false;
  options.refuses_too_large = true;
  options.keeps_traces_in_store = true;  // where it is gone when its time is over
  // A pack only states its trace's hash: it could open another's trace by that, or take the place
  // of one that is still to come.
  options.takes_packs = false;
  options.trace_summary = [&](const trace::Trace& trace, const trace::TraceNesting& nesting) {
    ingest::TraceSummary summary = summarize_trace(trace, nesting);
    digest = std::exchange(summary.digest, "");
    return summary;
  };
  ingest::DumpIngest dumps(store, std::move(options));
  BENCHHUD_ASSIGN(auto prepared, dumps.prepare(drop.file));
  BENCHHUD_ASSIGN(const auto turn, turns.take(store));
  BENCHHUD_ASSIGN(auto transaction,
                  schema::Transaction::begin(store, schema::Transaction::Kind::kWrite));
  BENCHHUD_ASSIGN(const ingest::DumpResult dump, dumps.put(std::move(prepared)));
  if (dump.error) return *dump.error;
  BENCHHUD_ASSIGN(const schema::Artifact artifact, schema::Reader(store).artifact(dump.id));
  if (!artifact.trace) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} is no trace: {}", drop.name,
                             dump.unreadable.value_or("there is no list of events in it"))};
  }
  trace::DroppedTrace dropped{.trace = *artifact.trace,
                              .name = drop.name,
                              .at = drop.now,
                              .until = drop.now + limits.seconds,
                              .byte_count = artifact.byte_count,
                              .problem_count = dump.problem_count};
  // It was listed as a dump to be taken in as one; nobody but who dropped it is to see it.
  const bool is_new = dump.outcome == ingest::DumpResult::Outcome::kNew;
  if (is_new) BENCHHUD_TRY(schema::forget_artifact(store, dump.id));
  BENCHHUD_ASSIGN(const auto shared, trace::dump_of_trace(store, dropped.trace));
  if (!is_new || shared) {
    dropped.until = 0;
    return dropped;  // nothing is to be kept
  }
  BENCHHUD_TRY(check_limits(store, drop, dropped, limits));
  BENCHHUD_TRY(trace::put_dropped_trace(store, dropped, drop.token, digest));
  BENCHHUD_TRY(transaction.commit());
  return dropped;
}

Expected<std::optional<TraceDigest>> digest_of_dropped(schema::Connection& connection,
                                                       schema::TraceId trace, std::int64_t token,
                                                       double now) {
  BENCHHUD_ASSIGN(const auto bytes, trace::dropped_digest(connection, trace, token, now));
  if (!bytes) return std::optional<TraceDigest>();
  return decode_digest(*bytes);
}

}  // namespace benchhud::service
