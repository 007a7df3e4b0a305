// What a store knows of the traces that are kept outside of it: in which place, and under which
// keys.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "schema/places/object_place.h"
#include "trace/pack/pack_file.h"
#include "trace/trace_limits.h"

namespace benchhud::trace {

/// All packs of a place have keys that begin so.
inline constexpr std::string_view kPackPrefix = "traces/";

/// A pack in the store's place.
struct PlacedPack {
  std::string key;
  PackFacts facts;
};

/// "traces/4f/4f….v35": by the pack's bytes and the version of its tables. `round`: how many keys
/// of the same pack were given up before; "….v35.1" for the second.
std::string key_of_pack(const PackFacts& facts, int round = 0);

/// None where the trace is in the store itself.
schema::Expected<std::optional<PlacedPack>> pack_of_trace(schema::Connection& store,
                                                          schema::TraceId trace);

struct MovedTrace {
  schema::TraceId trace{};
  PlacedPack pack;
};
/// All that are outside the store, by their numbers.
schema::Expected<std::vector<MovedTrace>> moved_traces(schema::Connection& store);

/// Whether a trace of the store is in the pack of this key.
schema::Expected<bool> is_pack_used(schema::Connection& store, std::string_view key);

/// What notes about a trace hang on. It is in the store, also of one that was moved.
struct NotedTrace {
  schema::ContentHash content;
  std::int64_t origin = 0;  ///< of its times as they are shown, ns
};
/// Error: kNotFound.
schema::Expected<NotedTrace> noted_trace(schema::Connection& store, schema::TraceId trace);

/// Whether more was found in a moved trace than is kept; none where it is in the store.
schema::Expected<std::optional<bool>> pack_lacks_findings(schema::Connection& store,
                                                          schema::TraceId trace);

/// How long a pack stays, in seconds, of which the store does not know that a trace was ever in it,
/// from when it was first seen: a killed process has put it, or the store is a copy that was made
/// before.
inline constexpr double kStrangerAge = 30 * 24 * 3600.0;

/// A pack of the place that no trace is in.
struct OrphanPack {
  std::string key;
  double noted_at = 0;  ///< seconds since 1970: when its last trace had gone, or it was first seen
  double keep_until = 0;  ///< seconds since 1970
  /// When it was decided to remove it: from then on no trace is noted to be in it. None: it is kept
  /// for now.
  std::optional<double> given_up_at{};

  bool operator==(const OrphanPack&) const = default;
};
/// None where a trace is in it, or nothing is known of it.
schema::Expected<std::optional<OrphanPack>> orphan_pack(schema::Connection& store,
                                                        std::string_view key);
schema::Expected<std::vector<OrphanPack>> orphan_packs(schema::Connection& store);
/// Notes that no trace is in this one's pack any more: it is kept for kOrphanAge. The caller holds
/// the write transaction, as for the next four.
schema::Expected<void> leave_pack(schema::Connection& store, schema::TraceId trace);
/// Notes that there is a pack of which the store knows nothing, or one that was put again since it
/// was noted, seen at `now`, in seconds since 1970: it is kept for kStrangerAge.
schema::Expected<void> note_stranger(schema::Connection& store, std::string_view key, double now);
/// Notes that a pack is going to be removed, decided at `now`, in seconds since 1970: whoever has
/// put it before, and is to note after that a trace is in it, is told so, and puts it again under
/// another key. So it can be removed without the lock, at any time after that.
schema::Expected<void> give_up_pack(schema::Connection& store, std::string_view key, double now);
/// Forgets an orphan that is not in the place any more.
schema::Expected<void> forget_orphan_pack(schema::Connection& store, std::string_view key);
/// Forgets those that were given up before `time`.
schema::Expected<void> forget_given_up_packs(schema::Connection& store, double time);

/// The trace with the least number above `after` that is to be moved out of the store; none where
/// there is no more. One that somebody dropped on a page, and that is of no dump, is not: it has to
/// be gone when its time is over.
schema::Expected<std::optional<schema::TraceId>> next_trace_to_move(schema::Connection& store,
                                                                    schema::TraceId after);

/// The sizes of the packs in a place, by their keys. Lists the whole place. Errors: the place's.
using PackSizes = std::unordered_map<std::string, std::int64_t>;
schema::Expected<PackSizes> packs_in_place(schema::ObjectPlace& place);
/// Whether a pack is among them, with its size.
bool has_pack(const PackSizes& sizes, const PlacedPack& pack);

struct TraceCounts {
  std::int64_t all = 0, moved = 0;
  std::int64_t moved_bytes = 0;  ///< of packs
  std::int64_t waiting = 0;      ///< in the store, of those that next_trace_to_move() gives
};
schema::Expected<TraceCounts> count_traces(schema::Connection& store);

/// The place of a store, as it is set.
struct TracePlace {
  std::string address;  ///< for schema::open_place(): where all moved traces are
  std::string id;       ///< which the place is marked with
  /// Whether new traces go there. False while traces are brought back.
  bool takes_new = false;

  bool operator==(const TracePlace&) const = default;
};
/// None where no trace was ever moved, or all were brought back.
schema::Expected<std::optional<TracePlace>> trace_place(schema::Connection& store);
/// Whether this is the place where the store's new traces go.
schema::Expected<bool> takes_new_traces(schema::Connection& store,
                                        const schema::ObjectPlace& place);
/// Opens it, if it is the one that was set. It gives up (schema::PlaceOptions) when `gives_up` says
/// so, and after give_up_places(). Errors: schema::open_place()'s.
schema::Expected<std::unique_ptr<schema::ObjectPlace>> open_trace_place(
    const TracePlace& place, std::function<bool()> gives_up = nullptr);
/// That this process asks no place of traces any more: who waits for one gives up.
void give_up_places();
bool are_places_given_up();
/// Sets it. The caller holds the write transaction, and gives what it found before as `known`.
/// None: traces are in the store alone. Error: kConflict, another process has set it meanwhile.
schema::Expected<void> set_trace_place(schema::Connection& store,
                                       const std::optional<TracePlace>& known,
                                       const std::optional<TracePlace>& place);

/// The id that places of this store are marked with, which tells it, with its copies, from others.
/// It is made and kept when it is first asked for: before a place is marked, so that one whose
/// marking was cut short is known again. The caller holds the write transaction.
schema::Expected<std::string> place_id(schema::Connection& store);

}  // namespace benchhud::trace
