// Tracks that are derived from a trace's slices and repeat their time: another view of the same
// work, as XProf shows beside what a profile of XLA has. Nothing sums them up: they are not
// indexed, and so in no search, no table and no query.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace.h"
#include "trace/trace_chunk.h"

namespace benchhud::trace {

/// By which rules tracks are derived now: one more wherever others would be. What was derived by
/// older ones counts as not derived until the profile is ingested again.
inline constexpr std::int64_t kDerivedTracksVersion = 1;
/// In its place of a trace that has no room for the labels of tracks by these rules: it is not
/// tried again with them.
inline constexpr std::int64_t kNoRoomForDerivedTracks = -kDerivedTracksVersion;

/// The category of their slices.
inline constexpr std::string_view kDerivedCategory = "derived";

struct DerivedTrack {
  TraceThread thread;
  std::vector<ChunkSlice> slices;  ///< by row and time; labels are numbers of DerivedTracks::names
  std::vector<std::uint32_t> stack_rows;  ///< ascending: rows whose slices lie in no other
};

struct DerivedTracks {
  TextPool names;
  std::vector<DerivedTrack> tracks;
  bool has_no_room = false;  ///< the trace has none for their labels, as was found before
};

/// Stores them behind the trace's threads, with the labels that they need, in place of those that
/// are there. Deletes the trace's index, for index_trace() to be called afterwards. Call it within
/// a transaction. Texts and labels that the trace has already, as of tracks that were derived
/// before, are not stored again; to find them, all are read. A trace that would lose its index by
/// them, since it would have more than kMostIndexedLabels labels, gets none, which is kept
/// (kNoRoomForDerivedTracks). Errors: kCorrupt, the store's.
schema::Expected<void> put_derived_tracks(schema::Connection& connection, schema::TraceId trace,
                                          const DerivedTracks& derived);

}  // namespace benchhud::trace
