// Where a trace of a store is read.
#pragma once

#include <memory>
#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/pack/open_packs.h"

namespace benchhud::trace {

/// A trace that this process has opened, for another one that is to open it, too. If it was moved:
/// under which key, and in which file of this machine, whose bytes were looked at; else "". The
/// file is there as long as this lives.
struct CheckedTrace {
  schema::TraceId trace{};
  std::string pack_key, pack_file;
  std::shared_ptr<const schema::CachedObject> kept{};
};

/// The database that a trace's threads, slices, index and the like are read in, and the trace's
/// number there: what trace_queries.h, trace_tiles.h, trace_index.h and the other readers of one
/// trace ask for. What is asked about a trace (its dumps, who dropped it, its notes, its HLO) is in
/// the store, by the store's number. Of a trace that was moved (moved_trace.h) it is its pack; else
/// the store. A copy is of the same database. Not shared between threads; must not outlive the
/// store's connection.
class OpenTrace {
 public:
  OpenTrace() = default;  ///< of none
  /// Of one that is not there it is the store, which says so. `wait`: how long, where it has to be
  /// fetched. Errors: lend_pack()'s; kPlaceRefused, the store is a copy that does not say where the
  /// packs are; the store's.
  static schema::Expected<OpenTrace> open(schema::Connection& store, schema::TraceId trace,
                                          PackWait wait = PackWait::kUntilFetched);

  /// The same; its pack is not read whole again if it is still the one that was checked. Errors: as
  /// open().
  static schema::Expected<OpenTrace> open(schema::Connection& store, const CheckedTrace& checked);

  /// This one of `store`, whose number there is `trace`. Errors: as open() with a short wait.
  schema::Expected<CheckedTrace> checked(schema::Connection& store, schema::TraceId trace) const;

  schema::Connection& database() const { return *database_; }
  schema::TraceId number() const { return number_; }
  /// Whether it was moved: then it does not hang on the store's connection.
  bool is_pack() const { return pack_ != nullptr; }
  /// Of its pack; "" where it is in the store.
  const std::string& pack_key() const { return pack_key_; }

 private:
  LentPack pack_;  // null: it is in the store
  std::string pack_key_;
  schema::Connection* database_ = nullptr;
  schema::TraceId number_{};
};

}  // namespace benchhud::trace
