// A trace of any length, made up: written straight into a store, for nobody holds 100 million
// events in memory.
#pragma once

#include <cstdint>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "trace/trace_store.h"

namespace benchhud::bench {

/// What a made-up trace holds: slices alone, or arrows and counters as well.
enum class MadeUpEvents { kSlices, kAll };

/// Half of the slices are kernels on one stream, a few microseconds each, close to one another,
/// with a pause after every step; the others are on eight threads, six levels within one another.
/// The steps of a model are alike in their names and differ in their times. About as many as asked
/// for. With kAll every tenth kernel has an arrow from a thread of the host, and two counters
/// change with every fiftieth; the arrows are in memory, some 50 bytes an end.
schema::Expected<schema::TraceId> write_made_up_trace(schema::Connection& connection,
                                                      std::uint64_t events,
                                                      MadeUpEvents which = MadeUpEvents::kSlices);

inline constexpr std::uint32_t kMadeUpThreads = 9;  ///< the last one is the stream

}  // namespace benchhud::bench
