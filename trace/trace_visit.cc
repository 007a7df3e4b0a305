#include "trace/trace_visit.h"

#include <optional>
#include <vector>

#include "schema/base/column_codec.h"
#include "trace/queries.h"
#include "trace/trace_access.h"
#include "trace/trace_rows.h"

namespace benchhud::trace {
namespace {

// Blocks of a kind in the window, that may hold something of the thread if one is given;
// `visit(first number, bytes)` returns whether to go on.
template <class Visit>
schema::Expected<void> visit_blocks(schema::Connection& connection, schema::TraceId trace,
                                    TraceBlockKind kind, const TraceSpan& window,
                                    std::optional<std::uint32_t> thread, Visit visit) {
  schema::Statement blocks = connection.cached(sql::kBlocksInWindow);
  blocks.bind(1, trace).bind(2, kind).bind(3, window.begin).bind(4, window.end);
  if (thread) {
    blocks.bind(5, std::int64_t{*thread});
  } else {
    blocks.bind_null(5);
  }
  bool goes_on = true;
  while (goes_on && blocks.step()) {
    BENCHHUD_ASSIGN(goes_on, visit(static_cast<std::uint64_t>(blocks.integer(0)), blocks.blob(2)));
  }
  BENCHHUD_TRY(blocks.status());
  return {};
}

class SliceVisitor {
 public:
  SliceVisitor(schema::Connection& connection, schema::TraceId trace, std::uint32_t thread,
               const TraceSpan& window, const VisitEvent<PlacedSlice, SliceExtra>& visit)
      : connection_(connection),
        trace_(trace),
        thread_(thread),
        window_(window),
        visit_(visit),
        access_(connection, trace, thread) {}

  schema::Expected<void> run() {
    return access_.for_each_segment(
        {window_.begin, window_.end}, [&](std::size_t, const TraceSegment& segment) {
          return goes_on_ ? visit_segment(segment) : schema::Expected<void>();
        });
  }

 private:
  schema::Expected<void> visit_segment(const TraceSegment& segment) {
    BENCHHUD_ASSIGN(const auto slices, access_.slices_of(segment));
    if (chunk_ != segment.chunk) {
      BENCHHUD_ASSIGN(extras_, chunk_extras(connection_, trace_, thread_, segment.chunk));
      chunk_ = segment.chunk;
    }
    if (segment.first + slices.size() > extras_.size()) {
      return schema::corrupt_trace("chunk of arguments");
    }
    for (std::size_t i = 0; goes_on_ && i < slices.size(); ++i) {
      const ChunkSlice& slice = slices[i];
      if (!window_.overlaps(slice)) continue;
      const auto index = static_cast<std::uint32_t>(segment.first + i);
      BENCHHUD_ASSIGN(goes_on_, visit_({{thread_, segment.chunk, index}, slice}, extras_[index]));
    }
    return {};
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  std::uint32_t thread_;
  const TraceSpan& window_;
  const VisitEvent<PlacedSlice, SliceExtra>& visit_;
  ThreadAccess access_;
  std::optional<std::uint64_t> chunk_;
  std::vector<SliceExtra> extras_;
  bool goes_on_ = true;
};

}  // namespace

schema::Expected<void> visit_slices(schema::Connection& connection, schema::TraceId trace,
                                    std::uint32_t thread, const TraceSpan& window,
                                    const VisitEvent<PlacedSlice, SliceExtra>& visit) {
  return SliceVisitor(connection, trace, thread, window, visit).run();
}

schema::Expected<void> visit_points(schema::Connection& connection, schema::TraceId trace,
                                    const TraceSpan& window, std::optional<std::uint32_t> thread,
                                    const VisitEvent<PlacedPoint>& visit) {
  const auto of_block = [&](std::uint64_t first, std::string_view bytes) -> schema::Expected<bool> {
    BENCHHUD_ASSIGN(const auto points, decode_points(bytes));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const TracePoint& point = points[i].point;
      if (!window.has(point.time) || (thread && point.thread != *thread)) continue;
      BENCHHUD_ASSIGN(const bool goes_on, visit({first + i, points[i]}));
      if (!goes_on) return false;
    }
    return true;
  };
  return visit_blocks(connection, trace, TraceBlockKind::kPoints, window, thread, of_block);
}

schema::Expected<void> visit_flows(schema::Connection& connection, schema::TraceId trace,
                                   const TraceSpan& window, const VisitEvent<PlacedFlow>& visit) {
  const auto of_block = [&](std::uint64_t first, std::string_view bytes) -> schema::Expected<bool> {
    BENCHHUD_ASSIGN(const auto flows, decode_flows(bytes));
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!window.has(flows[i].time)) continue;
      BENCHHUD_ASSIGN(const bool goes_on, visit({first + i, flows[i]}));
      if (!goes_on) return false;
    }
    return true;
  };
  return visit_blocks(connection, trace, TraceBlockKind::kFlows, window, {}, of_block);
}

}  // namespace benchhud::trace
