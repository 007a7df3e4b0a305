// How much a trace may have of what is numbered. A reader refuses events beyond, and counts them.
#pragma once

#include <cstddef>

namespace benchhud::trace {

/// Threads of the file. Slices' numbers in SQL (sql_slice_id()) have 20 bits for a track, which
/// leaves some 48,000 for tracks that are made for asynchronous events.
inline constexpr std::size_t kMostTraceThreads = 1'000'000;
/// Words of TraceArgsTable, whose numbers have 32 bits, and slices; four billion of either take
/// more than 16 GB of memory.
inline constexpr std::size_t kMostTraceArgsWords = 0xffffff00;
inline constexpr std::size_t kMostTraceSlices = 0xffffff00;

/// Modules of HLO that are read of one profile, and bytes of their texts.
inline constexpr std::size_t kMostHloModules = 10'000;
inline constexpr std::size_t kMostHloTexts = std::size_t{512} << 20;

/// How long, in seconds, the pack of a trace that was moved stays in its place after the last trace
/// of the store has gone from it: whoever restores a store of the day before finds it.
inline constexpr double kOrphanAge = 24 * 3600.0;

}  // namespace benchhud::trace
