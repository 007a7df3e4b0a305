// Traces in the store: all of a trace goes in and all of it comes out. What is asked of one trace
// piece by piece is in trace_tiles.h and trace_queries.h.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace.h"
#include "trace/trace_args.h"
#include "trace/trace_nesting.h"
#include "trace/trace_slices.h"

namespace benchhud::trace {

/// The trace that was made of a file with this content, if it is in the store.
schema::Expected<std::optional<schema::TraceId>> find_trace(schema::Connection& connection,
                                                            const schema::ContentHash& content);

/// Gives a writer slices that are too many to be held at once: by thread, row and time.
using SliceFeed = std::function<schema::Expected<void>(TraceSliceWriter&)>;

/// Stores a trace, with its index; one whose content is there already is left as it is, and its id
/// returned. Call it within a transaction: on an error, parts may have been written.
///
/// `nesting`: the trace's, with NestingRows::kYes.
/// `args`: what the trace's arguments lead to (TraceArgs::packed); null where they were not kept.
/// `content`, `byte_count`: of the file, decompressed.
/// `feed`: more slices, of threads beyond those of `trace.slices`, labelled with `trace.labels`.
///
/// Beside the trace, memory holds 4 bytes a slice for its place, 16 a flow, 4 a point, and the
/// chunk that is being written. Errors: kInvalidArgument where a number in the trace leads nowhere,
/// or a slice ends before it begins; the store's.
schema::Expected<schema::TraceId> put_trace(schema::Connection& connection, const Trace& trace,
                                            const TraceNesting& nesting, PackedArgs* args,
                                            const schema::ContentHash& content,
                                            std::int64_t byte_count,
                                            const SliceFeed& feed = nullptr);

/// The same without its index, for index_trace() to be called when the trace is no longer in
/// memory.
schema::Expected<schema::TraceId> put_unindexed_trace(schema::Connection& connection,
                                                      const Trace& trace,
                                                      const TraceNesting& nesting, PackedArgs* args,
                                                      const schema::ContentHash& content,
                                                      std::int64_t byte_count,
                                                      const SliceFeed& feed = nullptr);

/// How much of a trace is read. Few bytes of a hostile one may stand for very many events.
struct TraceReadLimits {
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t events = std::numeric_limits<std::uint32_t>::max();  ///< slices, points, flows
  std::uint64_t labels = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t threads = kAll, problems = kAll;
  std::uint64_t text_bytes = kAll;  ///< of names, threads' and reasons of problems, together
};

/// The whole trace, in memory. It equals what was stored but for three things: events come by
/// thread and time instead of in the file's order; arguments are renumbered; and so are the keys
/// of flows, which are the same where they were the same. Whatever is stored, all numbers in it
/// lead somewhere and no slice ends before it begins. Errors: kNotFound, kCorrupt; kTooLarge.
schema::Expected<Trace> read_trace(schema::Connection& connection, schema::TraceId id,
                                   const TraceReadLimits& limits = {});

/// Deletes a trace. Call it within a transaction. Errors: kConflict where an artifact refers to it;
/// kNotFound.
schema::Expected<void> delete_trace(schema::Connection& connection, schema::TraceId id);

/// A trace that began to come in piece by piece (pack/arriving_trace.h) longer ago than so many
/// seconds is believed to come no more: its process was killed. If it does go on it finds its trace
/// removed, and copies it again.
inline constexpr double kLongestArrival = 3600;

/// Deletes the traces that no artifact refers to, nobody dropped (dropped_trace.h) and that are not
/// coming in, and returns how many those were. Call it within a transaction.
schema::Expected<std::int64_t> delete_unused_traces(schema::Connection& connection);

}  // namespace benchhud::trace
