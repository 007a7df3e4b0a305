// Packs that are open for readers of this process, from one request to the next.
#pragma once

#include <memory>
#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "trace/pack/moved_trace.h"
#include "trace/pack/pack_reading.h"

namespace benchhud::trace {

/// A connection to a pack. No other thread has it while one has a copy of this; then it is kept for
/// the next who asks for the same pack, among those that were used last (kMostIdlePacks).
using LentPack = std::shared_ptr<schema::Connection>;

/// So many connections of a process stay open while nobody uses them. Each is a file, and up to 2
/// MB of its pages.
inline constexpr std::size_t kMostIdlePacks = 32;

/// Opens a pack of the place, or takes one that is open. `content` is what the store
/// has as its trace's hash: a pack of another trace is not believed. Errors: kCorrupt, it is
/// missing or not what was put there, in words that name it; kVersion; the place's, also where it
/// takes longer than `wait`.
schema::Expected<LentPack> lend_pack(const TracePlace& place, const PlacedPack& pack,
                                     const schema::ContentHash& content, PackWait wait);

/// Whether a pack holds the trace of this content. Errors: kCorrupt; the database's.
schema::Expected<void> check_content(schema::Connection& pack, const PlacedPack& placed,
                                     const schema::ContentHash& content);

}  // namespace benchhud::trace
