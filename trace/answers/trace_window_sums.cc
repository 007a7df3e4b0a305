#include "trace/answers/trace_window_sums.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "schema/base/column_codec.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_access.h"
#include "trace/trace_rows.h"
#include "trace/trace_span.h"
#include "trace/trace_tiles.h"

namespace benchhud::trace {
namespace {

class WindowSums {
 public:
  WindowSums(schema::Connection& connection, schema::TraceId trace, const TraceIndex& index,
             std::uint32_t thread, const TraceSpan& window)
      : connection_(connection),
        trace_(trace),
        index_(index),
        thread_(thread),
        window_(window),
        access_(connection, trace, thread) {}

  schema::Expected<std::vector<LabelSums>> sum() {
    BENCHHUD_ASSIGN(extents_, index_.extents(thread_));
    if (extents_.empty()) return std::vector<LabelSums>();
    ChunkExtent all = extents_.front();
    for (const ChunkExtent& extent : extents_) {
      all.begin = std::min(all.begin, extent.begin);
      all.end = std::max(all.end, extent.end);
    }
    if (window_.holds(all.begin, all.end)) return index_.thread_sums(thread_);
    BENCHHUD_TRY(add_groups());
    std::vector<LabelSums> sums;
    for (const auto& [label, of_label] : sums_) sums.push_back({label, of_label});
    return sums;
  }

 private:
  struct Group {
    std::uint64_t number = 0;
    std::vector<TraceSegment> segments;  // none where the window holds all of it
  };

  void add(const std::vector<LabelSums>& sums) {
    for (const LabelSums& each : sums) sums_[each.label].add(each.sums);
  }

  schema::Expected<void> add_groups() {
    // All of them first: the statement that gives them is used again below.
    std::vector<Group> groups;
    schema::Statement query = connection_.cached(sql::kGroupsOfWindow);
    query.bind(1, trace_)
        .bind(2, std::int64_t{thread_})
        .bind(3, window_.begin)
        .bind(4, window_.end);
    while (query.step()) {
      Group& group = groups.emplace_back();
      group.number = static_cast<std::uint64_t>(query.integer(0));
      if (window_.holds(query.integer(1), query.integer(2))) continue;
      BENCHHUD_ASSIGN(group.segments, decode_segments(query.blob(3)));
    }
    BENCHHUD_TRY(query.status());
    for (const Group& group : groups) {
      if (group.segments.empty()) {
        BENCHHUD_ASSIGN(const auto sums, index_.group_sums(thread_, group.number));
        add(sums);
      }
      for (std::size_t i = 0, end; i < group.segments.size(); i = end) {
        for (end = i;
             end < group.segments.size() && group.segments[end].chunk == group.segments[i].chunk;) {
          ++end;
        }
        BENCHHUD_TRY(add_chunk({group.segments.data() + i, end - i}));
      }
    }
    return {};
  }

  // `segments`: all of the chunk's.
  schema::Expected<void> add_chunk(std::span<const TraceSegment> segments) {
    const std::uint64_t chunk = segments.front().chunk;
    if (chunk >= extents_.size()) return schema::corrupt_trace("list of chunks");
    const ChunkExtent& extent = extents_[chunk];
    if (extent.begin >= window_.end || extent.end < window_.begin) return {};
    if (window_.holds(extent.begin, extent.end)) {
      BENCHHUD_ASSIGN(const auto sums, index_.chunk_sums(thread_, chunk));
      add(sums);
      return {};
    }
    BENCHHUD_ASSIGN(const auto within, index_.within(thread_, chunk));
    for (const TraceSegment& segment : segments) BENCHHUD_TRY(add_slices(segment, within));
    return {};
  }

  schema::Expected<void> add_slices(const TraceSegment& segment,
                                    const std::vector<std::int64_t>& within) {
    if (segment.node.begin >= window_.end || segment.node.end < window_.begin) return {};
    BENCHHUD_ASSIGN(const auto slices, access_.slices_of(segment));
    for (const ChunkSlice& slice : window_.candidates(slices)) {
      if (!window_.overlaps(slice)) continue;
      const std::size_t place = segment.first + static_cast<std::size_t>(&slice - slices.data());
      std::int64_t below = 0;
      if (!within.empty()) {
        if (place >= within.size()) return schema::corrupt_trace("list of lengths");
        below = within[place];
      }
      const std::int64_t part = window_.part_of(slice);
      if (below > 0 && part < slice.duration) {
        BENCHHUD_ASSIGN(below, within_part_of(slice));
      }
      if (below > part) return schema::corrupt_trace("list of lengths");
      sums_[slice.label].add(SliceSums{1, part, part - below, part, part});
    }
    return {};
  }

  // ns that what lies right within a slice takes of the slice's part in the window.
  schema::Expected<std::int64_t> within_part_of(const ChunkSlice& slice) {
    const TraceSpan part{std::max(slice.begin, window_.begin), std::min(slice.end(), window_.end)};
    BENCHHUD_ASSIGN(const Tile below, TileReader(connection_, trace_)
                                          .tile({.thread = thread_,
                                                 .begin = part.begin,
                                                 .end = part.end,
                                                 .buckets = 1,
                                                 .first_row = slice.row + 1,
                                                 .last_row = slice.row + 1}));
    std::int64_t taken = 0;
    for (const TileRow& row : below.rows) {
      for (const TileItem& item : row.items) {
        // What reaches in stands alone; of several, the last one may end behind the window.
        const std::int64_t outside =
            std::max<std::int64_t>(0, schema::wrapping_difference(item.end, part.end));
        taken = schema::wrapping_sum(taken, item.reaches_in
                                                ? part.part_of(item.begin, item.end)
                                                : static_cast<std::int64_t>(item.busy) - outside);
      }
    }
    return taken;
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  const TraceIndex& index_;
  std::uint32_t thread_;
  TraceSpan window_;
  ThreadAccess access_;
  std::vector<ChunkExtent> extents_;
  std::map<std::uint32_t, SliceSums> sums_;
};

}  // namespace

schema::Expected<std::vector<LabelSums>> sums_in_window(schema::Connection& connection,
                                                        schema::TraceId trace,
                                                        const TraceIndex& index,
                                                        std::uint32_t thread, std::int64_t begin,
                                                        std::int64_t end) {
  return WindowSums(connection, trace, index, thread, {begin, end}).sum();
}

}  // namespace benchhud::trace
