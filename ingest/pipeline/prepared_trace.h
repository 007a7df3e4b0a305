// A trace that is ready to be put into a store: read, nested, summed up, compressed and indexed,
// none of which needs the store's lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/db/text_store.h"
#include "schema/model/artifact.h"
#include "schema/places/object_place.h"
#include "trace/pack/open_trace.h"
#include "trace/pack/trace_move.h"
#include "trace/pack/trace_pack.h"
#include "trace/trace.h"
#include "trace/trace_args.h"
#include "trace/trace_derived.h"
#include "trace/trace_device.h"
#include "trace/trace_finding.h"
#include "trace/trace_hlo.h"
#include "trace/trace_nesting.h"

namespace benchhud::ingest {

/// What analysis finds in a trace.
struct TraceSummary {
  std::string digest;                                ///< what is kept of it, encoded
  std::vector<trace::PackedFindings> findings = {};  ///< the places that are marked
  /// When devices were busy; none: not known.
  std::optional<std::vector<trace::PackedDevice>> devices = {};
  /// What repeats its slices; none where it is no XPlane profile.
  std::optional<trace::DerivedTracks> derived_tracks = {};
};
using SummarizeTrace = std::function<TraceSummary(const trace::Trace&, const trace::TraceNesting&)>;

/// Puts the derived tracks of a stored trace where it lacks them. Returns whether it did: then the
/// trace's index is to be made anew. The caller holds the write transaction.
schema::Expected<bool> put_missing_tracks(schema::Connection& store, schema::TraceId trace,
                                          const TraceSummary& summary);

/// What a trace is made of.
struct TraceContent {
  schema::ContentHash hash;
  std::int64_t byte_count = 0;
  /// Whether the store has its trace in a pack that its place has lost; a cache may still have a
  /// copy of that.
  bool is_lost = false;
};

/// Which traces go into the store in pieces.
struct CopyAhead {
  std::int64_t larger_than = 4 << 20;           ///< bytes, packed: what takes longer than a piece
  std::chrono::milliseconds longest_piece{25};  ///< for which others wait
};

class PreparedTrace {
 public:
  /// What was put.
  struct Stored {
    schema::TraceId trace{};
    std::optional<schema::TextId> digest;
  };

  /// `pack`: an empty one, but for the texts and modules of `hlo`, which is what the profile holds;
  /// none of a trace that is none. Where the store has a trace of that content, only what it may
  /// lack is made; nothing, where it was moved and cannot be read now. `summarize` may be null; it
  /// runs on a thread of its own meanwhile. Memory: as put_unindexed_trace(); the trace is no
  /// longer in it when its index is made.
  static schema::Expected<PreparedTrace> make(schema::Connection& store, trace::TracePack pack,
                                              trace::Trace trace, trace::PackedArgs* args,
                                              std::optional<trace::TraceHlo> hlo,
                                              const TraceContent& content,
                                              const SummarizeTrace& summarize);

  /// Puts the trace into the store's place for traces, if it has one and lacks the trace: put()
  /// then notes where it is. Errors: the place's; nothing is in the store then.
  schema::Expected<void> put_into_place(schema::Connection& store);

  /// Whether it is large, and is to be in the store, which lacks it.
  bool is_copied_ahead(const CopyAhead& options);
  /// Copies it into the store then, where nobody sees it until put(). The caller holds no
  /// transaction, but the turn with the store. None where nothing was copied.
  std::optional<trace::ArrivingTrace> copy_ahead(schema::Connection& store,
                                                 const CopyAhead& options);

  /// Takes it into the store, or adds what the store lacks of the same trace. The caller holds the
  /// write transaction. None where the trace that was there when it was made has gone meanwhile: it
  /// has to be made again.
  schema::Expected<std::optional<Stored>> put(schema::Connection& store);

  /// Whether it was made because the store has the trace in a pack that is missing or damaged:
  /// put() then gives it back what it had.
  bool is_of_lost_pack() const { return !lost_pack_.empty(); }

  /// What it was made in, for the next one.
  trace::TracePack take_pack() { return std::move(pack_); }

 private:
  PreparedTrace(trace::TracePack pack, std::optional<trace::TraceHlo> hlo,
                const TraceContent& content)
      : pack_(std::move(pack)), hlo_(std::move(hlo)), content_(content) {}

  schema::Expected<void> write(const trace::Trace trace, trace::PackedArgs* args,
                               const SummarizeTrace& summarize, bool is_stored);
  schema::Expected<schema::TraceId> adopt(schema::Connection& store);
  schema::Expected<void> open_moved(schema::Connection& store, schema::TraceId trace);
  schema::Expected<void> look_for_missing();
  schema::Expected<void> put_parts(schema::Connection& store, schema::TraceId trace);
  schema::Expected<bool> add_missing(schema::Connection& store, schema::TraceId trace) const;

  trace::TracePack pack_;
  std::optional<trace::TraceHlo> hlo_;  // by the pack's numbers
  TraceContent content_;
  std::optional<schema::TraceId> packed_;  // none: the store had it
  std::unique_ptr<schema::ObjectPlace> place_;
  std::optional<trace::PutPack> placed_;          // in that place
  std::optional<trace::ArrivingTrace> arriving_;  // it is in the store, unseen
  std::optional<schema::PackedText> digest_;
  TraceSummary missing_;  // of a trace that the store had, what it may lack
  // Where that one was moved: the pack to which nothing is added, or else the trace, which lacks
  // something; or the pack that is lost, and is made again.
  std::string left_pack_;
  std::optional<trace::OpenTrace> moved_;
  std::string lost_pack_;
};

}  // namespace benchhud::ingest
