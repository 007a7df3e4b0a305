#include "ingest/pipeline/prepared_trace.h"

#include <future>
#include <utility>

#include "schema/db/buffered_reading.h"
#include "trace/trace_index.h"
#include "trace/trace_queries.h"
#include "trace/trace_store.h"

namespace benchhud::ingest {

using schema::Connection;
using schema::Expected;
using schema::TraceId;

Expected<bool> put_missing_tracks(Connection& store, TraceId trace, const TraceSummary& summary) {
  if (!summary.derived_tracks) return false;
  BENCHHUD_ASSIGN(const trace::TraceInfo info, trace::TraceQueries(store, trace).info());
  if (!info.lacks_derived_tracks) return false;
  BENCHHUD_TRY(trace::put_derived_tracks(store, trace, *summary.derived_tracks));
  return true;
}

Expected<PreparedTrace> PreparedTrace::make(Connection& store, trace::TracePack pack,
                                            trace::Trace trace, trace::PackedArgs* args,
                                            std::optional<trace::TraceHlo> hlo,
                                            const TraceContent& content,
                                            const SummarizeTrace& summarize) {
  PreparedTrace made(std::move(pack), std::move(hlo), content);
  BENCHHUD_ASSIGN(const auto stored, trace::find_trace(store, content.hash));
  BENCHHUD_TRY(made.write(std::move(trace), args, summarize, stored.has_value()));
  if (made.packed_) BENCHHUD_TRY(trace::index_trace(made.pack_.database(), *made.packed_));
  return made;
}

Expected<void> PreparedTrace::write(const trace::Trace trace, trace::PackedArgs* args,
                                    const SummarizeTrace& summarize, bool is_stored) {
  const trace::TraceNesting nesting = trace::nest(trace, trace::NestingRows::kYes);
  std::future<TraceSummary> summary;
  if (summarize) {
    // Where no thread is to be had, it is made when it is asked for.
    summary = std::async(std::launch::async | std::launch::deferred,
                         [&] { return summarize(trace, nesting); });
  }
  Connection& database = pack_.database();
  if (!is_stored) {
    BENCHHUD_ASSIGN(packed_, trace::put_unindexed_trace(database, trace, nesting, args,
                                                        content_.hash, content_.byte_count));
  }
  if (!summary.valid()) return {};
  TraceSummary made = summary.get();
  digest_ = schema::pack_text(made.digest);
  if (is_stored) {
    missing_ = std::move(made);
    return {};
  }
  BENCHHUD_TRY(trace::put_trace_findings(database, *packed_, made.findings));
  BENCHHUD_TRY(trace::put_trace_devices(database, *packed_, made.devices));
  if (!made.derived_tracks) return {};
  return trace::put_derived_tracks(database, *packed_, *made.derived_tracks);
}

Expected<std::optional<PreparedTrace::Stored>> PreparedTrace::put(Connection& store) {
  Stored stored;
  BENCHHUD_ASSIGN(const auto found, trace::find_trace(store, content_.hash));
  if (!found && !packed_) return std::optional<Stored>();
  const schema::SmallWriteBuffer small(store);
  if (found) {
    stored.trace = *found;
    // One that came in meanwhile lacks nothing.
    if (!packed_) BENCHHUD_TRY(add_missing(store, *found));
  } else {
    BENCHHUD_ASSIGN(stored.trace, pack_.adopt(store, *packed_));
  }
  if (hlo_) {
    BENCHHUD_ASSIGN(const trace::TraceHlo hlo, pack_.adopt_hlo(store, *hlo_));
    BENCHHUD_TRY(trace::put_trace_hlo(store, stored.trace, hlo));
  }
  if (digest_) {
    schema::TextWriter texts(store);
    BENCHHUD_ASSIGN(stored.digest, texts.put(*digest_));
  }
  return std::optional(stored);
}

Expected<void> PreparedTrace::add_missing(Connection& store, TraceId trace) const {
  if (digest_) {
    BENCHHUD_TRY(trace::put_trace_findings(store, trace, missing_.findings));
    BENCHHUD_TRY(trace::put_trace_devices(store, trace, missing_.devices));
  }
  BENCHHUD_ASSIGN(const bool is_new, put_missing_tracks(store, trace, missing_));
  BENCHHUD_ASSIGN(const auto index, trace::TraceIndex::open(store, trace));
  if (index && !is_new) return {};
  return trace::index_trace(store, trace);
}

}  // namespace benchhud::ingest
