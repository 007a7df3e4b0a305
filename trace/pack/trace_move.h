// A trace out of its store into the store's place, and back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "schema/places/object_place.h"
#include "schema/store/store_lock.h"
#include "schema/store/unfinished_file.h"
#include "trace/pack/moved_trace.h"
#include "trace/pack/open_trace.h"
#include "trace/trace_index.h"

namespace benchhud::trace {

/// A pack that was put into a place, for a store to note. Its file stays beside the store until
/// then. What is put and not noted is removed by remove_orphans() a month later.
class PutPack {
 public:
  /// Writes the trace of `from` (a store in a transaction, or a TracePack) into a file beside the
  /// store at `store_file`, to be put. Errors: write_pack()'s.
  static schema::Expected<PutPack> write(schema::Connection& from, schema::TraceId trace,
                                         const std::string& store_file);
  /// Puts it, under a key that was not given up. Errors: the place's, the store's.
  schema::Expected<void> put(schema::Connection& store, schema::ObjectPlace& place);

  /// Notes that the store's trace is in it. The caller holds the write transaction, within which
  /// the place is not asked anything. False, and nothing is noted: since it was put, somebody has
  /// given it up as an orphan, and removes it; it has to be put again. Errors: the store's.
  schema::Expected<bool> note(schema::Connection& store, schema::TraceId trace) const;

  const PlacedPack& pack() const { return pack_; }

 private:
  PutPack(schema::UnfinishedFile file, PlacedPack pack, std::int64_t origin,
          std::optional<std::int64_t> index_version, bool lacks_findings)
      : file_(std::move(file)),
        pack_(std::move(pack)),
        origin_(origin),
        index_version_(index_version),
        lacks_findings_(lacks_findings) {}

  schema::UnfinishedFile file_;
  PlacedPack pack_;
  std::int64_t origin_;
  std::optional<std::int64_t> index_version_;
  bool lacks_findings_;
};

/// Moves a trace that is in the store into the place: the object is there before the store's rows
/// go. Two transactions of its own, between which others may write: where the trace has become
/// another one meanwhile (it was indexed again, or is gone), or `place` is not the one where the
/// store's new traces go, nothing is done. `turns`: where one is
/// taken for the second; null: the caller needs none. Returns the pack; none where nothing was
/// done. Errors: as PutPack; those of StoreTurns::take().
schema::Expected<std::optional<PlacedPack>> move_out(schema::Connection& store,
                                                     schema::TraceId trace,
                                                     schema::ObjectPlace& place,
                                                     const schema::StoreTurns* turns = nullptr);

enum class TakenBack {
  kWasThere,     ///< it is in the store
  kTaken,        ///< it is in the store now
  kIsElsewhere,  ///< it is in another pack than when it was opened: it has to be opened again
};
/// Copies a moved trace back into the store, which then no longer refers to its pack. So whatever
/// changes a trace does so in the store: a pack never changes. `open` is the trace, opened before
/// the caller took the write transaction, so that nobody waits for a place. Errors: kCorrupt, the
/// store's.
schema::Expected<TakenBack> take_back(schema::Connection& store, schema::TraceId trace,
                                      const OpenTrace& open);

/// Whether it is an error of the place as a whole: the next trace would have it as well.
bool is_of_the_place(const schema::Error& error);
/// Whether a moved trace cannot be read, or not now, while the store is in order.
bool is_of_a_pack(const schema::Error& error);

/// The dumps of traces whose packs are not in the store's place, or have another size there: their
/// files may be taken in again. None where the place cannot be reached. Lists the whole place.
/// Errors: the store's.
schema::Expected<std::vector<schema::ArtifactId>> dumps_of_lost_packs(schema::Connection& store);

/// Makes the store forget the pack `key` of a trace, which is lost, so that all but the trace's row
/// can be written again. False, and nothing is done, where the trace is not in that pack any more.
/// The caller holds the write transaction.
schema::Expected<bool> forget_lost_pack(schema::Connection& store, schema::TraceId trace,
                                        std::string_view key);

/// Moves a trace that was taken back out again, if the store has a place for new traces. Errors: as
/// move_out().
schema::Expected<void> put_back(schema::Connection& store, schema::TraceId trace);

/// index_traces() of moved traces: each is taken back for it and put back. It ends where the place
/// cannot be reached.
schema::Expected<std::int64_t> index_moved_traces(schema::Connection& store, ReindexScope which,
                                                  const std::function<bool()>& go_on = nullptr);

}  // namespace benchhud::trace
