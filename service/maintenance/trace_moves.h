// Traces of a store in a place outside of it: moved there and back, looked after.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/places/object_place.h"
#include "schema/store/store_lock.h"
#include "trace/pack/moved_trace.h"

namespace benchhud::service {

struct TraceMoveReport {
  std::int64_t moved = 0;
  std::int64_t bytes = 0;             ///< of their packs
  std::vector<std::string> problems;  ///< of traces that were not moved: at most 20
  std::int64_t failed = 0;            ///< how many those were
  bool was_stopped = false;
};

/// Asked before each trace, with what was done so far: false ends the work, which can be taken up
/// again at any time.
using GoOn = std::function<bool(const TraceMoveReport&)>;

struct PlaceInUse {
  std::unique_ptr<schema::ObjectPlace> place;
  /// Packs that were copied into it, and those that could not be: lost or damaged where they were.
  TraceMoveReport copied;
};
/// Makes the place at `address` the store's, for new traces as well. Where the store has another
/// one, all packs are first copied, if they are not there yet, and stay where they were as well;
/// the old place is opened only for those. One that is lost or damaged there is reported and left
/// out. The place is marked as this store's unless it is set already. Errors: kConflict, the place
/// is another store's, or another process has set one meanwhile; kPlaceRefused, the store has moved
/// traces, and they are not there; kBusy, it was stopped; the places', the store's.
schema::Expected<PlaceInUse> use_place(schema::Connection& store, std::string_view address,
                                       const GoOn& go_on);

/// Moves all traces of the store into its place, each whole, and waits before each until nobody
/// does long work on the store; others need not wait for it. A trace that somebody dropped on a
/// page, and that is of no dump, stays. Errors: the place's, which would be the next trace's as
/// well; the store's.
schema::Expected<TraceMoveReport> move_traces_out(schema::Connection& store,
                                                  const schema::StoreTurns& turns,
                                                  schema::ObjectPlace& place, const GoOn& go_on);

/// Brings all of them back; new ones stay in the store from the beginning on. When none is left
/// outside, the store has no place any more. What cannot be read is reported, and stays noted.
/// Error: kPlaceRefused, the store does not say where moved traces are.
schema::Expected<TraceMoveReport> bring_traces_back(schema::Connection& store,
                                                    const schema::StoreTurns& turns,
                                                    const GoOn& go_on);

/// Moves out what was taken in or back while the place could not be reached, or by a process that
/// was ended before it had put it back: at most `most` traces, while `go_on` says so (null:
/// always). `turns`: null where the caller needs none. Does nothing where new traces stay in the
/// store. Returns how many. Errors: the place's, the store's.
schema::Expected<std::int64_t> move_rest_out(schema::Connection& store,
                                             const schema::StoreTurns* turns, std::int64_t most,
                                             const std::function<bool()>& go_on = nullptr);

struct OrphanReport {
  std::int64_t removed = 0, bytes = 0;
  std::int64_t young = 0, young_bytes = 0;  ///< that no trace is in, but not for long enough
};
/// Removes packs that no trace of the store is in: of traces that were deleted or brought back
/// (after trace::kOrphanAge), and those of which the store knows nothing (trace::kStrangerAge after
/// the first call that saw them, which was no rehearsal). They are given up
/// in short transactions and removed outside of these, and one that could not be removed is the
/// next time. `place`: opened with the store's id. `now`: seconds since 1970. Errors: the place's,
/// the store's.
schema::Expected<OrphanReport> remove_orphans(schema::Connection& store, schema::ObjectPlace& place,
                                              double now, bool is_rehearsal);

struct PlaceReport {
  std::int64_t packs = 0, bytes = 0;  ///< of the store's traces
  std::int64_t orphans = 0, orphan_bytes = 0;
  std::vector<std::string>
      problems;              ///< packs that are missing or damaged, with their trace: at most 20
  std::int64_t damaged = 0;  ///< how many those are
};
/// Whether the packs of all moved traces are there, with their sizes; `reads_all`: with their
/// bytes.
schema::Expected<PlaceReport> examine_place(schema::Connection& store, schema::ObjectPlace& place,
                                            bool reads_all);

}  // namespace benchhud::service
