// A trace of any length, made up: written straight into a store, for nobody holds 100 million
// events in memory.
#pragma once

#include <cstdint>

#include "schema/database.h"
#include "schema/errors.h"
#include "schema/trace_store.h"

namespace benchhud::bench {

/// Half of the events are kernels on one stream, a few microseconds each, close to one another,
/// with a pause after every step; the others are on eight threads, six levels within one another.
/// The steps of a model are alike in their names and differ in their times. About as many as asked
/// for.
schema::Expected<schema::TraceId> write_made_up_trace(schema::Connection& connection,
                                                      std::uint64_t events);

inline constexpr std::uint32_t kMadeUpThreads = 9;  ///< the last one is the stream

}  // namespace benchhud::bench
