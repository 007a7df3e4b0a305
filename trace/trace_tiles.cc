#include "trace/trace_tiles.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "schema/base/column_codec.h"
#include "trace/trace_access.h"
#include "trace/trace_span.h"

namespace benchhud::trace {
namespace {

// From so many slices a bucket on, if they were spread evenly, it pays to look at the nodes over
// them first, and at the nodes over those. Measured; what comes out is the same.
constexpr double kWorthNodes = 4;
constexpr double kWorthUpperNodes = 64;

// Makes items of what comes by row and time.
class TileBuilder {
 public:
  TileBuilder(const TileQuery& query, Tile* tile) : query_(query), tile_(*tile) {}

  void begin_row(std::uint32_t row) {
    if (row_ == row) return;
    finish();
    row_ = row;
  }

  void finish() {
    close();
    if (!items_.empty()) tile_.rows.push_back({*row_, std::exchange(items_, {})});
  }

  // Takes what the node stands for, whose first slice is `first`, unless it must be looked into.
  bool take(const TraceNode& node, const SliceId& first) {
    if (node.begin >= query_.end || node.end < query_.begin) return true;
    if (node.begin < query_.begin) {
      if (node.count > 1) return false;
      if (node.end > query_.begin) {
        close();
        items_.push_back(item(node, first));
        items_.back().reaches_in = true;
      }
      return true;
    }
    if (node.count > 1 && (node.end >= query_.end || node.extent() >= tile_.bucket)) return false;
    add(node, first);
    return true;
  }

 private:
  static TileItem item(const TraceNode& node, const SliceId& first) {
    return {.begin = node.begin,
            .end = node.end,
            .count = node.count,
            .busy = node.busy,
            .label = node.label,
            .slice = first};
  }

  void add(const TraceNode& node, const SliceId& first) {
    tile_.count += node.count;
    if (open_ && schema::distance(open_->begin, node.end) < tile_.bucket) return open_->add(node);
    close();
    open_ = node;
    first_ = first;
    if (node.extent() >= tile_.bucket) close();
  }

  void close() {
    if (open_) items_.push_back(item(*open_, first_));
    open_.reset();
  }

  const TileQuery& query_;
  Tile& tile_;
  std::optional<std::uint32_t> row_;
  std::vector<TileItem> items_;
  std::optional<TraceNode> open_;  // may still grow
  SliceId first_;
};

// Goes down from segments as far as it must.
class Descent {
 public:
  Descent(ThreadAccess* access, const TileQuery& query, Tile* tile)
      : access_(*access), query_(query), tile_(*tile), builder_(query, tile) {}

  schema::Expected<void> run() {
    const ThreadAccess::Window window{query_.begin, query_.end, query_.first_row, query_.last_row};
    BENCHHUD_TRY(access_.for_each_segment(
        window, [&](std::size_t index, const TraceSegment& segment) -> schema::Expected<void> {
          builder_.begin_row(segment.row);
          if (builder_.take(segment.node, id(segment, 0))) return {};
          return open_segment(index, segment);
        }));
    builder_.finish();
    return {};
  }

 private:
  SliceId id(const TraceSegment& segment, std::uint64_t index) const {
    return {query_.thread, segment.chunk, segment.first + static_cast<std::uint32_t>(index)};
  }

  schema::Expected<void> open_segment(std::size_t index, const TraceSegment& segment) {
    const TraceNode& node = segment.node;
    const bool is_cut = node.begin < query_.begin || node.end >= query_.end;
    const double slices_a_bucket = static_cast<double>(node.count) *
                                   static_cast<double>(tile_.bucket) /
                                   (static_cast<double>(node.extent()) + 1);
    // Where the window cuts a chunk its slices are needed anyway.
    if (is_cut || slices_a_bucket < kWorthNodes || !has_nodes(node)) {
      return open_slices(segment, 0, node.count);
    }
    if (slices_a_bucket < kWorthUpperNodes || !has_upper_nodes(node)) {
      return open_nodes(index, segment, 0, node.count);
    }
    BENCHHUD_ASSIGN(const auto upper, access_.upper_nodes(index));
    std::uint64_t at = 0;
    for (const TraceNode& each : upper) {
      if (!builder_.take(each, id(segment, at))) {
        BENCHHUD_TRY(open_nodes(index, segment, at, at + each.count));
      }
      at += each.count;
    }
    return {};
  }

  // The nodes over the segment's slices [begin, end).
  schema::Expected<void> open_nodes(std::size_t index, const TraceSegment& segment,
                                    std::uint64_t begin, std::uint64_t end) {
    BENCHHUD_ASSIGN(const auto nodes, access_.nodes(index));
    std::uint64_t at = 0;
    for (const TraceNode& node : nodes) {
      if (at >= end) break;
      if (at >= begin && !builder_.take(node, id(segment, at))) {
        BENCHHUD_TRY(open_slices(segment, at, at + node.count));
      }
      at += node.count;
    }
    return {};
  }

  schema::Expected<void> open_slices(const TraceSegment& segment, std::uint64_t begin,
                                     std::uint64_t end) {
    BENCHHUD_ASSIGN(const auto all, access_.slices_of(segment));
    const auto slices = all.subspan(begin, end - begin);
    const TraceSpan window{query_.begin, query_.end};
    for (const ChunkSlice& slice : window.candidates(slices)) {
      builder_.take(node_of(slice),
                    id(segment, begin + static_cast<std::uint64_t>(&slice - slices.data())));
    }
    return {};
  }

  ThreadAccess& access_;
  const TileQuery& query_;
  Tile& tile_;
  TileBuilder builder_;
};

}  // namespace

schema::Expected<Tile> TileReader::tile(const TileQuery& query) {
  if (query.begin >= query.end || query.buckets == 0 || query.buckets > kMostBuckets) {
    return schema::Error{schema::ErrorCode::kInvalidArgument,
                         "a tile's window is at least a nanosecond, and has 1 to 65536 buckets"};
  }
  Tile tile;
  const std::uint64_t width = schema::distance(query.begin, query.end);
  tile.bucket = width / query.buckets + (width % query.buckets != 0);
  ThreadAccess access(connection_, trace_, query.thread);
  BENCHHUD_TRY(Descent(&access, query, &tile).run());
  return tile;
}

}  // namespace benchhud::trace
