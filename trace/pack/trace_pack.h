// A trace in a database of its own, made without anybody's lock, and then copied into a store.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "schema/model/types.h"
#include "trace/pack/arriving_trace.h"
#include "trace/pack/trace_copy.h"
#include "trace/trace_hlo.h"

namespace benchhud::trace {

/// Reading, nesting, compressing and indexing a trace takes as long as the trace is large, and none
/// of it needs the store. So all of it is written here first, by what else writes a store, and what
/// is left to do with the store's lock held is copying compressed blocks. It ends with its object;
/// nothing of it is seen by others, or stays behind where the process is killed.
class TracePack {
 public:
  /// An empty one, with the store's tables of traces, of texts and of HLO modules, in a file beside
  /// the store. Errors: kIo, kFull, kReadOnly.
  static schema::Expected<TracePack> make(schema::Connection& store);

  /// How large it is.
  schema::Expected<std::int64_t> byte_count();
  /// Takes everything out again, so that it is as if it were new.
  schema::Expected<void> clear();

  /// Where the trace is to be written, within a transaction that is never committed: what is small
  /// stays in memory.
  schema::Connection& database() { return state_->database; }

  /// Copies a trace of the pack into the store, with its index. The caller holds the store's write
  /// transaction. Errors: kConflict where the store has a trace of that content; kVersion where it
  /// was migrated since the pack was made; the store's.
  schema::Expected<schema::TraceId> adopt(schema::Connection& store, schema::TraceId trace);
  /// The same of its row in `trace` alone: the rest is kept outside the store (moved_trace.h).
  schema::Expected<schema::TraceId> adopt_row(schema::Connection& store, schema::TraceId trace);
  /// Copies a trace of the pack into the store before it is adopted, in transactions of its own
  /// that last `longest_piece` each and leave others time to write in between. The caller holds no
  /// transaction, but the turn with the store, so that one process does this at a time. None where
  /// the store has a trace of that content, or has removed what came in. After an error what came
  /// in is removed, now or by a later ingest. Errors: as adopt().
  schema::Expected<std::optional<ArrivingTrace>> copy_ahead(
      schema::Connection& store, schema::TraceId trace, std::chrono::milliseconds longest_piece);
  /// Adopts that. False where the store has removed it.
  schema::Expected<bool> adopt_arrived(schema::Connection& store, schema::TraceId trace,
                                       const ArrivingTrace& arriving);
  /// Writes its row over the one of the store's trace `over`, which is of the same content.
  schema::Expected<void> overwrite_row(schema::Connection& store, schema::TraceId trace,
                                       schema::TraceId over);
  /// The rest of it, of which the store has the row as its trace `adopted`.
  schema::Expected<void> adopt_parts(schema::Connection& store, schema::TraceId trace,
                                     schema::TraceId adopted);
  /// The store's number of a text of the pack, which is copied unless the store has it.
  schema::Expected<schema::TextId> adopt_text(schema::Connection& store, schema::TextId text);
  /// The same modules by the store's numbers, copied unless the store has them.
  schema::Expected<TraceHlo> adopt_hlo(schema::Connection& store, TraceHlo hlo);

 private:
  struct State {
    schema::Connection database;
    int version = 0;  // of the store's tables
    TraceCopy copy;
  };
  explicit TracePack(std::unique_ptr<State> state) : state_(std::move(state)) {}
  schema::Expected<void> check_version(schema::Connection& store) const;
  schema::Expected<bool> copy_piece(schema::Connection& store, schema::TraceId trace,
                                    std::chrono::milliseconds longest,
                                    std::optional<ArrivingTrace>* arriving);

  std::unique_ptr<State> state_;
};

}  // namespace benchhud::trace
