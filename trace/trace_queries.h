// What is asked of a stored trace beside its tiles: names, threads, one slice with its arguments,
// points and flows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "trace/trace.h"
#include "trace/trace_chunk.h"
#include "trace/trace_tiles.h"

namespace benchhud::trace {

struct TraceInfo {
  schema::ContentHash content;  ///< of the file, decompressed
  std::int64_t byte_count = 0;  ///< of the file, decompressed
  std::int64_t base_time = 0;   ///< as Trace::base_time
  std::int64_t origin = 0;      ///< ns; where its first slice begins, asynchronous ones included
  std::int64_t slices = 0, points = 0, flows = 0, labels = 0, events = 0, problem_count = 0;
  bool has_async_tracks = false;
  bool has_derived_tracks = false;  ///< by today's rules (trace_derived.h)
  /// Whether tracks are still to be derived by today's rules: it has none, and room for them.
  bool lacks_derived_tracks = false;
};

struct StoredThread {
  std::uint32_t number = 0;
  TraceThread thread;
  std::int64_t slices = 0, rows = 0;
  std::optional<std::int64_t> begin, end;  ///< ns; of the first slice, and of the one ending last
  /// Derived: what is asynchronous, as slices (trace_async.h). TraceInfo::slices counts none of
  /// them.
  bool is_async = false;
  /// Derived: repeats slices of other threads (trace_derived.h). Neither TraceInfo::slices nor the
  /// index counts its own.
  bool is_derived = false;
};

struct LabelText {
  std::string name, category;
  ThreadRole role = ThreadRole::kUnknown;
};

/// A slice, and where it is.
struct PlacedSlice {
  SliceId id;
  ChunkSlice slice;
};

struct SliceDetails {
  PlacedSlice placed;
  LabelText label;
  SliceExtra extra;
  std::string origin;
  /// As the file has them, an object's text; none where they were not kept.
  std::optional<std::string> arguments;
};

/// One end of an arrow, and which one it is.
struct PlacedFlow {
  std::uint64_t number = 0;  ///< by time, from 0
  ChunkFlow flow;
};

/// At most `limit` of what was asked for, and whether there is more.
template <class Event>
struct TraceWindow {
  std::vector<Event> events;
  bool is_cut = false;
};

/// A point, and which one it is.
struct PlacedPoint {
  std::uint64_t number = 0;  ///< by thread and time, from 0
  ChunkPoint point;
};

struct PointQuery {
  std::optional<std::uint32_t> thread;  ///< none: all
  std::int64_t begin = 0, end = 0;      ///< ns: [begin, end)
  std::optional<char> phase;            ///< such as 'C': counters
  std::optional<char> other_than{};     ///< such as 'M': metadata
  std::size_t limit = 10'000;
};

struct FlowQuery {
  std::optional<std::uint32_t> thread;  ///< none: all
  std::int64_t begin = 0, end = 0;      ///< ns: [begin, end)
  std::size_t limit = 10'000;
};

/// The newest dump of a store that a trace was made of; none where it is of no result.
schema::Expected<std::optional<schema::ArtifactId>> dump_of_trace(schema::Connection& store,
                                                                  schema::TraceId trace);

/// Looks things up in one trace. Not shared between threads. It keeps the blocks of texts, labels
/// and arguments it read last. All errors: kNotFound where something is asked for that the trace
/// does not have; kCorrupt; the store's.
class TraceQueries {
 public:
  TraceQueries(schema::Connection& connection, schema::TraceId trace)
      : connection_(connection), trace_(trace) {}

  schema::Expected<TraceInfo> info();
  schema::Expected<std::vector<StoredThread>> threads();
  /// A text of Trace::texts, and what a label is called.
  schema::Expected<std::string> text(std::uint32_t number);
  schema::Expected<LabelText> label(std::uint32_t number);

  schema::Expected<PlacedSlice> slice(const SliceId& id);
  /// The slice with its arguments: of those one block is read.
  schema::Expected<SliceDetails> details(const SliceId& id);
  /// The slices around it, the innermost first, at most `limit`.
  schema::Expected<std::vector<PlacedSlice>> parents(const SliceId& id, std::size_t limit = 256);
  /// The slice of a thread's row that is going on at `time`; none where there is a gap.
  schema::Expected<std::optional<PlacedSlice>> slice_at(std::uint32_t thread, std::uint32_t row,
                                                        std::int64_t time);
  /// The innermost slice of a thread that is going on at `time`, or ends then; none where there is
  /// none. Where stacks overlap, the first of their first 64 is looked at.
  schema::Expected<std::optional<PlacedSlice>> innermost_at(std::uint32_t thread,
                                                            std::int64_t time);
  /// How long a slice was without what lies right within it, ns.
  schema::Expected<std::int64_t> self_time(const PlacedSlice& placed);
  /// Arguments by TraceArgs::packed.
  schema::Expected<std::string> arguments(std::uint64_t packed);

  /// Points by thread and time.
  schema::Expected<TraceWindow<PlacedPoint>> points(const PointQuery& query);
  schema::Expected<ChunkPoint> point(std::uint64_t number);

  /// Flows by time.
  schema::Expected<TraceWindow<PlacedFlow>> flows(const FlowQuery& query);
  schema::Expected<PlacedFlow> flow(std::uint64_t number);
  /// The ends that are on the slice itself, by time. An end is on the innermost slice of its thread
  /// that is going on at its time, the moment of its end included. Of a slice with more than 10,000
  /// ends within it, those behind are not looked at (`is_cut`).
  schema::Expected<TraceWindow<PlacedFlow>> flows_on(const SliceId& id, std::size_t limit = 1000);
  /// The ends of its flow before and after an end.
  schema::Expected<std::optional<PlacedFlow>> flow_before(const PlacedFlow& end);
  schema::Expected<std::optional<PlacedFlow>> flow_after(const PlacedFlow& end);

 private:
  struct Block {
    std::uint64_t first = 0;
    std::string bytes;
  };
  schema::Expected<Block> block_of(TraceBlockKind kind, std::uint64_t number);
  /// As slice_at(), or the one that ends then.
  schema::Expected<std::optional<PlacedSlice>> slice_until(std::uint32_t thread, std::uint32_t row,
                                                           std::int64_t time);
  schema::Expected<std::optional<PlacedSlice>> child_at(const PlacedSlice& parent,
                                                        std::int64_t time);
  schema::Expected<const std::vector<std::uint32_t>*> stack_rows(std::uint32_t thread);

  schema::Connection& connection_;
  schema::TraceId trace_;
  // Blocks decoded last: by the number of their first thing.
  std::map<std::uint64_t, std::vector<std::string>> texts_;
  std::map<std::uint64_t, std::vector<TraceLabel>> labels_;
  std::map<std::uint64_t, std::vector<std::string>> args_;
  std::map<std::uint64_t, std::vector<ChunkPoint>> points_;
  std::map<std::uint64_t, std::vector<ChunkFlow>> flows_;
  std::optional<std::uint32_t> stack_rows_thread_;
  std::vector<std::uint32_t> stack_rows_;
};

}  // namespace benchhud::trace
