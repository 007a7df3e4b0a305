#include "ingest/pipeline/prepared_trace.h"

#include <future>
#include <utility>

#include "schema/db/buffered_reading.h"
#include "schema/results/unrecognized_files.h"
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
  if (stored) BENCHHUD_TRY(made.open_moved(store, *stored));
  const bool is_stored = stored && !made.is_of_lost_pack();
  BENCHHUD_TRY(made.write(std::move(trace), args, summarize, is_stored));
  if (made.packed_) {
    BENCHHUD_TRY(trace::index_trace(made.pack_.database(), *made.packed_));
  } else {
    BENCHHUD_TRY(made.look_for_missing());
  }
  return made;
}

/// Before the store is locked, so that nobody waits for its place.
Expected<void> PreparedTrace::open_moved(Connection& store, TraceId trace) {
  BENCHHUD_ASSIGN(const auto pack, trace::pack_of_trace(store, trace));
  if (!pack) return {};
  if (content_.is_lost) {
    lost_pack_ = pack->key;
    return {};
  }
  auto open = trace::OpenTrace::open(store, trace);
  if (open) {
    moved_ = *std::move(open);
  } else if (open.error().code == schema::ErrorCode::kCorrupt) {
    lost_pack_ = pack->key;
  } else if (trace::is_of_the_place(open.error())) {
    // Whoever looks at the trace is told; this dump of it is known all the same.
    left_pack_ = pack->key;
  } else {
    return std::move(open).error();
  }
  return {};
}

/// Whether a trace that was moved lacks something that this one has. It had its findings and
/// devices by then.
Expected<void> PreparedTrace::look_for_missing() {
  if (!moved_) return {};
  BENCHHUD_ASSIGN(const auto index, trace::TraceIndex::open(moved_->database(), moved_->number()));
  BENCHHUD_ASSIGN(const trace::TraceInfo info,
                  trace::TraceQueries(moved_->database(), moved_->number()).info());
  const bool lacks_index = !index && info.labels <= trace::kMostIndexedLabels;
  if (lacks_index || (missing_.derived_tracks && info.lacks_derived_tracks)) return {};
  left_pack_ = moved_->pack_key();
  moved_.reset();
  return {};
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

Expected<void> PreparedTrace::put_into_place(Connection& store) {
  BENCHHUD_ASSIGN(const auto known, trace::trace_place(store));
  if (!packed_ || !known || !known->takes_new) return {};
  BENCHHUD_ASSIGN(place_, trace::open_trace_place(*known));
  BENCHHUD_ASSIGN(const std::string store_file, schema::store_file(store));
  BENCHHUD_ASSIGN(auto pack, trace::PutPack::write(pack_.database(), *packed_, store_file));
  const auto put = pack.put(store, *place_);
  // It stays in the store.
  if (!put && put.error().code == schema::ErrorCode::kTooLarge) return {};
  BENCHHUD_TRY(put);
  placed_.emplace(std::move(pack));
  return {};
}

bool PreparedTrace::is_copied_ahead(const CopyAhead& options) {
  if (!packed_ || placed_ || is_of_lost_pack()) return false;
  const auto bytes = pack_.byte_count();
  return bytes && *bytes > options.larger_than;
}

std::optional<trace::ArrivingTrace> PreparedTrace::copy_ahead(Connection& store,
                                                              const CopyAhead& options) {
  if (!is_copied_ahead(options)) return std::nullopt;
  auto arriving = pack_.copy_ahead(store, *packed_, options.longest_piece);
  if (arriving) arriving_ = *std::move(arriving);
  return arriving_;
}

Expected<TraceId> PreparedTrace::adopt(Connection& store) {
  if (arriving_) {
    BENCHHUD_ASSIGN(const bool is_there, pack_.adopt_arrived(store, *packed_, *arriving_));
    if (is_there) return arriving_->trace;
  }
  BENCHHUD_ASSIGN(const TraceId adopted, pack_.adopt_row(store, *packed_));
  BENCHHUD_TRY(put_parts(store, adopted));
  return adopted;
}

/// All but the trace's row, which the store has: into the place, or into the store.
Expected<void> PreparedTrace::put_parts(Connection& store, TraceId trace) {
  if (placed_) {
    // It may have another place since.
    BENCHHUD_ASSIGN(const bool takes_new, trace::takes_new_traces(store, *place_));
    if (takes_new) {
      BENCHHUD_ASSIGN(const bool is_noted, placed_->note(store, trace));
      // Where it was removed as an orphan meanwhile, it stays in the store.
      if (is_noted) return {};
    }
  }
  return pack_.adopt_parts(store, *packed_, trace);
}

Expected<std::optional<PreparedTrace::Stored>> PreparedTrace::put(Connection& store) {
  Stored stored;
  BENCHHUD_ASSIGN(const auto found, trace::find_trace(store, content_.hash));
  if (!found && !packed_) return std::optional<Stored>();
  const schema::SmallWriteBuffer small(store);
  if (found) {
    stored.trace = *found;
    // One that came in meanwhile lacks nothing.
    if (!packed_) {
      BENCHHUD_ASSIGN(const bool is_added, add_missing(store, *found));
      if (!is_added) return std::optional<Stored>();
    } else if (is_of_lost_pack()) {
      BENCHHUD_ASSIGN(const bool is_lost, trace::forget_lost_pack(store, *found, lost_pack_));
      if (is_lost) {
        // This program's reader may count differently from the one that ingested it first.
        BENCHHUD_TRY(pack_.overwrite_row(store, *packed_, *found));
        BENCHHUD_TRY(put_parts(store, *found));
      }
    }
  } else {
    BENCHHUD_ASSIGN(stored.trace, adopt(store));
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

/// False where the trace was moved since it was looked at.
Expected<bool> PreparedTrace::add_missing(Connection& store, TraceId trace) const {
  BENCHHUD_ASSIGN(const auto pack, trace::pack_of_trace(store, trace));
  if (pack) {
    if (pack->key == left_pack_) return true;
    if (!moved_) return false;
    BENCHHUD_ASSIGN(const auto taken, trace::take_back(store, trace, *moved_));
    if (taken == trace::TakenBack::kIsElsewhere) return false;
  }
  if (digest_) {
    BENCHHUD_TRY(trace::put_trace_findings(store, trace, missing_.findings));
    BENCHHUD_TRY(trace::put_trace_devices(store, trace, missing_.devices));
  }
  BENCHHUD_ASSIGN(const bool is_new, put_missing_tracks(store, trace, missing_));
  BENCHHUD_ASSIGN(const auto index, trace::TraceIndex::open(store, trace));
  if (!index || is_new) BENCHHUD_TRY(trace::index_trace(store, trace));
  return true;
}

}  // namespace benchhud::ingest
