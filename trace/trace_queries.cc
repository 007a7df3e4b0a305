#include "trace/trace_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "schema/base/column_codec.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_access.h"
#include "trace/trace_args.h"
#include "trace/trace_derived.h"
#include "trace/trace_rows.h"
#include "trace/trace_visit.h"

namespace benchhud::trace {
namespace {

// Decoded blocks that are kept. Those of texts and arguments are of some 128 KB.
constexpr std::size_t kMostBlocks = 64;
constexpr std::size_t kMostArgBlocks = 4;
// Ends of arrows that are looked at to find those of one slice, for a slice may hold millions.
constexpr std::size_t kMostFlowsLookedAt = 10'000;
constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();

// The thing of that number, out of a block kept in `blocks` or read now.
template <class Thing, class Read, class Decode>
schema::Expected<Thing> kept_thing(std::map<std::uint64_t, std::vector<Thing>>* blocks,
                                   std::size_t most, std::uint64_t number, Read read,
                                   Decode decode) {
  auto block = blocks->upper_bound(number);
  if (block != blocks->begin() &&
      number - std::prev(block)->first < std::prev(block)->second.size()) {
    return std::prev(block)->second[number - std::prev(block)->first];
  }
  BENCHHUD_ASSIGN(const auto stored, read(number));
  BENCHHUD_ASSIGN(std::vector<Thing> things, decode(stored.bytes));
  if (number - stored.first >= things.size()) return schema::corrupt_trace("block");
  Thing thing = things[number - stored.first];
  if (blocks->size() >= most) blocks->clear();
  blocks->insert_or_assign(stored.first, std::move(things));
  return thing;
}

// Adds an event where there is room. Whether to go on.
template <class Event>
bool keep(const Event& event, std::size_t limit, TraceWindow<Event>* window) {
  window->is_cut = window->events.size() == limit;
  if (!window->is_cut) window->events.push_back(event);
  return !window->is_cut;
}

std::int64_t after(std::int64_t time) { return time == schema::kLatest ? time : time + 1; }

}  // namespace

schema::Expected<TraceInfo> TraceQueries::info() {
  schema::Statement query = connection_.cached(sql::kTraceById);
  query.bind(1, trace_);
  return one(
      query,
      [](const schema::Statement& row) {
        const auto derived_version = row.optional_integer(21);
        return TraceInfo{.content = hash_of(row, 1),
                         .byte_count = row.integer(2),
                         .base_time = row.integer(3),
                         .origin = row.optional_integer(18).value_or(0),
                         .slices = row.integer(4),
                         .points = row.integer(5),
                         .flows = row.integer(6),
                         .labels = row.integer(7),
                         .events = row.integer(9),
                         .problem_count = row.integer(17),
                         .has_async_tracks = row.integer(19) != 0,
                         .has_derived_tracks = derived_version == kDerivedTracksVersion,
                         .lacks_derived_tracks = derived_version != kDerivedTracksVersion &&
                                                 derived_version != kNoRoomForDerivedTracks};
      },
      fmt::format("trace {}", to_int(trace_)));
}

schema::Expected<std::vector<StoredThread>> TraceQueries::threads() {
  schema::Statement query = connection_.cached(sql::kThreadsOfTrace);
  query.bind(1, trace_).bind(2, true);
  return collect(query, [](const schema::Statement& row) {
    StoredThread stored;
    stored.number = static_cast<std::uint32_t>(row.integer(0));
    stored.thread = thread_of(row);
    stored.slices = row.integer(8);
    stored.rows = row.integer(9);
    stored.begin = row.optional_integer(10);
    stored.end = row.optional_integer(11);
    stored.is_async = row.integer(12) != 0;
    stored.is_derived = row.integer(13) != 0;
    return stored;
  });
}

schema::Expected<std::optional<schema::ArtifactId>> dump_of_trace(schema::Connection& store,
                                                                  schema::TraceId trace) {
  schema::Statement query = store.cached(sql::kArtifactOfTrace);
  query.bind(1, trace);
  return one(
      query, [](const schema::Statement& row) { return optional_id<schema::ArtifactId>(row, 0); },
      "artifact");
}

schema::Expected<TraceQueries::Block> TraceQueries::block_of(TraceBlockKind kind,
                                                             std::uint64_t number) {
  schema::Statement query = connection_.cached(sql::kBlockOfTrace);
  const std::uint64_t asked = std::min(number, static_cast<std::uint64_t>(schema::kLatest));
  query.bind(1, trace_).bind(2, kind).bind(3, static_cast<std::int64_t>(asked));
  const bool is_there = query.step();
  BENCHHUD_TRY(query.status());
  // The one behind which it would be may end before it.
  if (!is_there || number >= static_cast<std::uint64_t>(query.integer(0)) +
                                 static_cast<std::uint64_t>(query.integer(1))) {
    return schema::Error{schema::ErrorCode::kNotFound,
                         fmt::format("the trace has no such thing as number {}", number)};
  }
  Block block{static_cast<std::uint64_t>(query.integer(0)), own(query, 2)};
  return block;
}

schema::Expected<std::string> TraceQueries::text(std::uint32_t number) {
  const auto read = [&](std::uint64_t n) { return block_of(TraceBlockKind::kTexts, n); };
  return kept_thing(&texts_, kMostBlocks, number, read, decode_texts);
}

schema::Expected<LabelText> TraceQueries::label(std::uint32_t number) {
  const auto read = [&](std::uint64_t n) { return block_of(TraceBlockKind::kLabels, n); };
  BENCHHUD_ASSIGN(const TraceLabel label,
                  kept_thing(&labels_, kMostBlocks, number, read, decode_labels));
  LabelText texts;
  BENCHHUD_ASSIGN(texts.name, text(label.name));
  BENCHHUD_ASSIGN(texts.category, text(label.category));
  texts.role = label.role;
  return texts;
}

schema::Expected<std::string> TraceQueries::arguments(std::uint64_t packed) {
  const auto read = [&](std::uint64_t n) { return block_of(TraceBlockKind::kArgs, n); };
  return kept_thing(&args_, kMostArgBlocks, packed, read, decode_texts);
}

schema::Expected<PlacedSlice> TraceQueries::slice(const SliceId& id) {
  ThreadAccess access(connection_, trace_, id.thread);
  BENCHHUD_ASSIGN(const bool is_there, access.has_chunk(id.chunk));
  if (is_there) {
    BENCHHUD_ASSIGN(const auto slices, access.slices(id.chunk));
    if (id.index < slices.size()) return PlacedSlice{id, slices[id.index]};
  }
  return schema::Error{schema::ErrorCode::kNotFound, fmt::format("the trace has no slice {}/{}/{}",
                                                                 id.thread, id.chunk, id.index)};
}

schema::Expected<SliceDetails> TraceQueries::details(const SliceId& id) {
  SliceDetails details;
  BENCHHUD_ASSIGN(details.placed, slice(id));
  BENCHHUD_ASSIGN(details.label, label(details.placed.slice.label));
  BENCHHUD_ASSIGN(const auto extras, chunk_extras(connection_, trace_, id.thread, id.chunk));
  if (id.index >= extras.size()) return schema::corrupt_trace("chunk of arguments");
  details.extra = extras[id.index];
  BENCHHUD_ASSIGN(details.origin, text(details.extra.args.origin));
  if (details.extra.args.packed == TraceArgs::kNotKept) return details;
  auto kept = arguments(details.extra.args.packed);
  // A trace may have been stored without them.
  if (!kept && kept.error().code == schema::ErrorCode::kNotFound) return details;
  if (!kept) return std::move(kept).error();
  details.arguments = *std::move(kept);
  return details;
}

schema::Expected<std::optional<PlacedSlice>> TraceQueries::slice_at(std::uint32_t thread,
                                                                    std::uint32_t row,
                                                                    std::int64_t time) {
  ThreadAccess access(connection_, trace_, thread);
  std::optional<PlacedSlice> found;
  BENCHHUD_TRY(access.for_each_segment(
      {time, after(time), row, row},
      [&](std::size_t, const TraceSegment& segment) -> schema::Expected<void> {
        BENCHHUD_ASSIGN(const auto slices, access.slices_of(segment));
        auto next = std::upper_bound(
            slices.begin(), slices.end(), time,
            [](std::int64_t moment, const ChunkSlice& each) { return moment < each.begin; });
        if (next == slices.begin()) return {};
        const ChunkSlice& slice = *--next;
        // Of two that touch, the later; what takes no time is there at its moment.
        if (slice.end() < time || (slice.end() == time && slice.duration > 0)) return {};
        const auto index = static_cast<std::uint32_t>(next - slices.begin());
        found = PlacedSlice{{thread, segment.chunk, segment.first + index}, slice};
        return {};
      }));
  return found;
}

schema::Expected<const std::vector<std::uint32_t>*> TraceQueries::stack_rows(std::uint32_t thread) {
  if (stack_rows_thread_ != thread) {
    BENCHHUD_ASSIGN(stack_rows_, stack_rows_of(connection_, trace_, thread));
    stack_rows_thread_ = thread;
  }
  return &stack_rows_;
}

schema::Expected<std::vector<PlacedSlice>> TraceQueries::parents(const SliceId& id,
                                                                 std::size_t limit) {
  BENCHHUD_ASSIGN(PlacedSlice inner, slice(id));
  BENCHHUD_ASSIGN(const auto* const first_rows, stack_rows(id.thread));
  std::vector<PlacedSlice> around;
  while (around.size() < limit && inner.slice.row > 0 &&
         !std::binary_search(first_rows->begin(), first_rows->end(), inner.slice.row)) {
    BENCHHUD_ASSIGN(const auto outer, slice_at(id.thread, inner.slice.row - 1, inner.slice.begin));
    if (!outer || outer->slice.end() < inner.slice.end())
      return schema::corrupt_trace("row of slices");
    around.push_back(*outer);
    inner = *outer;
  }
  return around;
}

schema::Expected<TraceWindow<PlacedPoint>> TraceQueries::points(const PointQuery& query) {
  TraceWindow<PlacedPoint> window;
  BENCHHUD_TRY(visit_points(connection_, trace_, {query.begin, query.end}, query.thread,
                            [&](const PlacedPoint& placed) -> schema::Expected<bool> {
                              const char phase = placed.point.point.phase;
                              const bool is_wanted =
                                  (!query.phase || phase == *query.phase) &&
                                  (!query.other_than || phase != *query.other_than);
                              return !is_wanted || keep(placed, query.limit, &window);
                            }));
  return window;
}

schema::Expected<ChunkPoint> TraceQueries::point(std::uint64_t number) {
  const auto read = [&](std::uint64_t n) { return block_of(TraceBlockKind::kPoints, n); };
  return kept_thing(&points_, kMostArgBlocks, number, read, decode_points);
}

schema::Expected<TraceWindow<PlacedFlow>> TraceQueries::flows(const FlowQuery& query) {
  TraceWindow<PlacedFlow> window;
  BENCHHUD_TRY(visit_flows(connection_, trace_, {query.begin, query.end},
                           [&](const PlacedFlow& placed) -> schema::Expected<bool> {
                             const bool is_wanted =
                                 !query.thread || placed.flow.thread == *query.thread;
                             return !is_wanted || keep(placed, query.limit, &window);
                           }));
  return window;
}

schema::Expected<PlacedFlow> TraceQueries::flow(std::uint64_t number) {
  const auto read = [&](std::uint64_t n) { return block_of(TraceBlockKind::kFlows, n); };
  BENCHHUD_ASSIGN(const ChunkFlow flow,
                  kept_thing(&flows_, kMostBlocks, number, read, decode_flows));
  return PlacedFlow{number, flow};
}

// The slice right within `parent` that is going on at that time, or ends then.
schema::Expected<std::optional<PlacedSlice>> TraceQueries::child_at(const PlacedSlice& parent,
                                                                    std::int64_t time) {
  const std::uint32_t row = parent.slice.row + 1;
  BENCHHUD_ASSIGN(const auto* const first_rows, stack_rows(parent.id.thread));
  std::optional<PlacedSlice> child;
  if (std::binary_search(first_rows->begin(), first_rows->end(), row)) return child;
  BENCHHUD_ASSIGN(child, slice_until(parent.id.thread, row, time));
  const bool is_within =
      child && child->slice.begin >= parent.slice.begin && child->slice.end() <= parent.slice.end();
  if (!is_within) child.reset();
  return child;
}

schema::Expected<std::optional<PlacedSlice>> TraceQueries::slice_until(std::uint32_t thread,
                                                                       std::uint32_t row,
                                                                       std::int64_t time) {
  BENCHHUD_ASSIGN(auto found, slice_at(thread, row, time));
  if (found || time == kEarliest) return found;
  BENCHHUD_ASSIGN(found, slice_at(thread, row, time - 1));
  if (found && found->slice.end() != time) found.reset();
  return found;
}

schema::Expected<std::optional<PlacedSlice>> TraceQueries::innermost_at(std::uint32_t thread,
                                                                        std::int64_t time) {
  constexpr std::size_t kMostRows = 64;
  BENCHHUD_ASSIGN(const auto* const first_rows, stack_rows(thread));
  std::vector<std::uint32_t> rows = {0};
  for (const std::uint32_t row : *first_rows) {
    if (row != 0 && rows.size() < kMostRows) rows.push_back(row);
  }
  std::optional<PlacedSlice> found;
  for (const std::uint32_t row : rows) {
    BENCHHUD_ASSIGN(found, slice_until(thread, row, time));
    if (found) break;
  }
  while (found) {
    BENCHHUD_ASSIGN(const auto child, child_at(*found, time));
    if (!child) break;
    found = child;
  }
  return found;
}

schema::Expected<std::int64_t> TraceQueries::self_time(const PlacedSlice& placed) {
  const ChunkSlice& slice = placed.slice;
  const std::uint32_t row = slice.row + 1;
  BENCHHUD_ASSIGN(const auto* const first_rows, stack_rows(placed.id.thread));
  if (slice.duration == 0 || std::binary_search(first_rows->begin(), first_rows->end(), row)) {
    return slice.duration;
  }
  // What begins in it in the row below ends in it; one part for all keeps what is read small.
  BENCHHUD_ASSIGN(const Tile within, TileReader(connection_, trace_)
                                         .tile({.thread = placed.id.thread,
                                                .begin = slice.begin,
                                                .end = slice.end(),
                                                .buckets = 1,
                                                .first_row = row,
                                                .last_row = row}));
  std::int64_t self = slice.duration;
  for (const TileRow& of_row : within.rows) {
    for (const TileItem& item : of_row.items) {
      if (!item.reaches_in)
        self = schema::wrapping_difference(self, static_cast<std::int64_t>(item.busy));
    }
  }
  if (self < 0) return schema::corrupt_trace("row of slices");
  return self;
}

schema::Expected<std::optional<PlacedFlow>> TraceQueries::flow_before(const PlacedFlow& end) {
  if (end.flow.before == 0) return std::optional<PlacedFlow>();
  if (end.flow.before > end.number) return schema::corrupt_trace("chunk of flows");
  BENCHHUD_ASSIGN(const PlacedFlow found, flow(end.number - end.flow.before));
  return std::optional(found);
}

schema::Expected<std::optional<PlacedFlow>> TraceQueries::flow_after(const PlacedFlow& end) {
  if (end.flow.after == 0) return std::optional<PlacedFlow>();
  BENCHHUD_ASSIGN(const PlacedFlow found, flow(end.number + end.flow.after));
  return std::optional(found);
}

schema::Expected<TraceWindow<PlacedFlow>> TraceQueries::flows_on(const SliceId& id,
                                                                 std::size_t limit) {
  BENCHHUD_ASSIGN(const PlacedSlice placed, slice(id));
  const FlowQuery query{.thread = id.thread,
                        .begin = placed.slice.begin,
                        .end = after(placed.slice.end()),
                        .limit = kMostFlowsLookedAt};
  BENCHHUD_ASSIGN(const auto near, flows(query));
  TraceWindow<PlacedFlow> window;
  window.is_cut = near.is_cut;
  std::optional<PlacedSlice> child;
  for (const PlacedFlow& each : near.events) {
    if (!child || child->slice.end() < each.flow.time) {
      BENCHHUD_ASSIGN(child, child_at(placed, each.flow.time));
    }
    if (child) continue;
    if (window.events.size() == limit) {
      window.is_cut = true;
      break;
    }
    window.events.push_back(each);
  }
  return window;
}

}  // namespace benchhud::trace
