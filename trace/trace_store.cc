// The blobs that this file writes; trace_slices.cc writes those of slices:
//   trace_block.bytes, by kind: texts and arguments as trace_args.cc encodes them; labels (at most
//     8192), points and flows as trace_chunk.cc does; an XLA profile as xla_profile.cc does
//   trace_thread.stack_rows: rows, as trace_chunk.cc encodes them
#include "trace/trace_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/time.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_async.h"
#include "trace/trace_device.h"
#include "trace/trace_finding.h"
#include "trace/trace_hlo.h"
#include "trace/trace_index.h"
#include "trace/trace_limits.h"
#include "trace/trace_nesting.h"
#include "trace/trace_rows.h"
#include "trace/xla_profile.h"

namespace benchhud::trace {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

// Whether every number leads somewhere and every slice ends after it begins.
class Validator {
 public:
  explicit Validator(const Trace& trace) : trace_(trace) {}

  schema::Expected<void> check() {
    for (const TraceLabel& label : trace_.labels) {
      if (!is_text(label.name) || !is_text(label.category)) return wrong("label");
    }
    for (const TraceSlice& slice : trace_.slices) {
      if (!schema::ends_in_time(slice.start, slice.duration) || !is_event(slice))
        return wrong("slice");
    }
    for (const TracePoint& point : trace_.points) {
      if (!is_event(point) || !is_text(point.id)) return wrong("point");
    }
    for (const TraceFlow& flow : trace_.flows) {
      if (flow.thread >= trace_.threads.size() || !is_text(flow.category)) return wrong("flow");
    }
    std::uint32_t least = 0;  // they ascend
    for (const TraceBandwidth& bandwidth : trace_.bandwidths) {
      if (bandwidth.slice < least || bandwidth.slice >= trace_.slices.size()) {
        return wrong("bandwidth");
      }
      least = bandwidth.slice + 1;
    }
    return {};
  }

 private:
  static schema::Error wrong(std::string_view what) {
    return schema::Error{
        schema::ErrorCode::kInvalidArgument,
        fmt::format("a {} of the trace refers to what is not there, or ends before it "
                    "begins",
                    what)};
  }
  bool is_text(std::uint32_t number) const { return number < trace_.texts.size(); }
  template <class Event>
  bool is_event(const Event& event) const {
    return event.label < trace_.labels.size() && event.thread < trace_.threads.size() &&
           event.args < trace_.args.size() && is_text(trace_.args_of(event).origin);
  }

  const Trace& trace_;
};

class TraceWriter {
 public:
  TraceWriter(schema::Connection& connection, const Trace& trace, const TraceNesting& nesting)
      : connection_(connection), trace_(trace), nesting_(nesting) {}

  schema::Expected<schema::TraceId> write(PackedArgs* args, const schema::ContentHash& content,
                                          std::int64_t byte_count, const SliceFeed& feed) {
    BENCHHUD_TRY(put_row(content, byte_count));
    BENCHHUD_TRY(put_problems());
    BENCHHUD_TRY(put_texts());
    BENCHHUD_TRY(put_labels());
    BENCHHUD_TRY(put_args(args));
    TraceSliceWriter slices(connection_, id_);
    BENCHHUD_TRY(put_slices(&slices));
    if (feed) BENCHHUD_TRY(feed(slices));
    BENCHHUD_TRY(slices.finish());
    BENCHHUD_TRY(put_threads(slices));
    BENCHHUD_TRY(connection_.cached(sql::kSetTraceSliceCount)
                     .bind(1, id_)
                     .bind(2, static_cast<std::int64_t>(slices.count()))
                     .run());
    BENCHHUD_TRY(put_points());
    BENCHHUD_TRY(put_flows());
    if (trace_.xla) {
      BENCHHUD_TRY(put_block({.kind = TraceBlockKind::kXlaProfile, .count = 1},
                             encode_xla_profile(*trace_.xla)));
    }
    return id_;
  }

 private:
  schema::Expected<void> put_row(const schema::ContentHash& content, std::int64_t byte_count) {
    schema::Statement insert = connection_.cached(sql::kInsertTrace);
    insert.bind_blob_view(1, content.view()).bind(2, byte_count).bind(3, trace_.base_time);
    int parameter = 4;
    for (const std::size_t size :
         {trace_.points.size(), trace_.flows.size(), trace_.labels.size(), trace_.texts.size()}) {
      insert.bind(parameter++, static_cast<std::int64_t>(size));
    }
    for (const std::int64_t count : {trace_.events, trace_.broken, trace_.fillers, trace_.refused,
                                     trace_.pairs, trace_.flow_events, trace_.unclosed,
                                     trace_.unmatched, trace_.problem_count, trace_.cuda_driver}) {
      insert.bind(parameter++, count);
    }
    BENCHHUD_TRY(insert.run());
    id_ = schema::TraceId(connection_.last_insert_id());
    return {};
  }

  schema::Expected<void> put_problems() {
    for (std::size_t i = 0; i < trace_.problems.size(); ++i) {
      schema::Statement insert = connection_.cached(sql::kInsertTraceProblem);
      insert.bind(1, id_)
          .bind(2, static_cast<std::int64_t>(i))
          .bind(3, trace_.problems[i].offset)
          .bind_text_view(4, trace_.problems[i].reason);
      BENCHHUD_TRY(insert.run());
    }
    return {};
  }

  schema::Expected<void> put_block(const BlockPlace& place, std::string_view bytes) {
    return insert_block(connection_, id_, place, bytes);
  }

  schema::Expected<void> put_texts() {
    std::vector<std::string_view> texts;
    std::size_t bytes = 0;
    const auto close = [&](std::size_t end) {
      return put_block(
          {.kind = TraceBlockKind::kTexts, .first = end - texts.size(), .count = texts.size()},
          encode_texts(texts));
    };
    for (std::uint32_t i = 0; i < trace_.texts.size(); ++i) {
      if (!texts.empty() && bytes + trace_.texts[i].size() > kTextBlockBytes) {
        BENCHHUD_TRY(close(i));
        texts.clear();
        bytes = 0;
      }
      texts.push_back(trace_.texts[i]);
      bytes += trace_.texts[i].size() + 1;
    }
    return close(trace_.texts.size());
  }

  schema::Expected<void> put_labels() {
    const std::vector<TraceLabel>& labels = trace_.labels;
    for (std::size_t first = 0; first < labels.size(); first += kLabelsABlock) {
      const std::size_t end = std::min(first + kLabelsABlock, labels.size());
      BlockPlace place{.kind = TraceBlockKind::kLabels, .first = first, .count = end - first};
      BENCHHUD_TRY(put_block(place, encode_labels({labels.data() + first, end - first})));
    }
    return {};
  }

  schema::Expected<void> put_args(PackedArgs* args) {
    if (!args) return {};
    args->finish();
    return args->visit_blocks([&](const PackedArgs::Block& block) {
      return put_block({.kind = TraceBlockKind::kArgs, .first = block.first, .count = block.count},
                       block.bytes);
    });
  }

  // Slices by thread, row and time.
  std::vector<std::uint32_t> by_row() const {
    const std::vector<std::uint32_t>& order = nesting_.order;  // by thread and time
    std::vector<std::uint32_t> sorted(order.size());
    for (std::size_t first = 0, end; first < order.size(); first = end) {
      const std::uint32_t thread = trace_.slices[order[first]].thread;
      for (end = first; end < order.size() && trace_.slices[order[end]].thread == thread;) ++end;
      std::vector<std::size_t> places(std::size_t{nesting_.row_counts[thread]} + 1);
      places.front() = first;
      for (std::size_t i = first; i < end; ++i) ++places[nesting_.row[order[i]] + 1];
      std::partial_sum(places.begin(), places.end(), places.begin());
      for (std::size_t i = first; i < end; ++i) {
        sorted[places[nesting_.row[order[i]]]++] = order[i];
      }
    }
    return sorted;
  }

  schema::Expected<void> put_slices(TraceSliceWriter* writer) {
    std::vector<bool> has_bandwidth(trace_.slices.size());
    for (const TraceBandwidth& each : trace_.bandwidths) has_bandwidth[each.slice] = true;
    for (const std::uint32_t index : by_row()) {
      const TraceSlice& slice = trace_.slices[index];
      SliceExtra extra;
      extra.args = trace_.args_of(slice);
      if (has_bandwidth[index]) {
        const TraceBandwidth& bandwidth = *std::lower_bound(
            trace_.bandwidths.begin(), trace_.bandwidths.end(), index,
            [](const TraceBandwidth& each, std::uint32_t of) { return each.slice < of; });
        extra.has_bandwidth = true;
        extra.bytes = bandwidth.bytes;
        extra.gigabytes_per_second = bandwidth.gigabytes_per_second;
      }
      BENCHHUD_TRY(writer->add(
          slice.thread, {slice.start, slice.duration, slice.label, nesting_.row[index]}, extra));
    }
    return {};
  }

  schema::Expected<void> put_threads(const TraceSliceWriter& slices) {
    for (std::uint32_t i = 0; i < trace_.threads.size(); ++i) {
      BENCHHUD_TRY(insert_thread(connection_, id_,
                                 {.number = i,
                                  .thread = &trace_.threads[i],
                                  .extent = slices.extent(i),
                                  .stack_rows = nesting_.stack_rows[i]}));
    }
    return {};
  }

  schema::Expected<void> put_points() {
    const auto& points = trace_.points;
    std::vector<std::uint32_t> order(points.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(points[a].thread, points[a].time) <
             std::pair(points[b].thread, points[b].time);
    });
    std::vector<ChunkPoint> chunk;
    for (std::size_t first = 0; first < order.size(); first += kEventsAChunk) {
      chunk.clear();
      BlockPlace place{.kind = TraceBlockKind::kPoints, .first = first};
      place.begin = std::numeric_limits<std::int64_t>::max();
      place.end = std::numeric_limits<std::int64_t>::min();
      for (std::size_t i = first; i < std::min(first + kEventsAChunk, order.size()); ++i) {
        const TracePoint& point = points[order[i]];
        chunk.push_back({point, trace_.args_of(point)});
        place.begin = std::min(*place.begin, point.time);
        place.end = std::max(*place.end, point.time);
      }
      place.count = chunk.size();
      place.first_thread = chunk.front().point.thread;
      place.last_thread = chunk.back().point.thread;
      BENCHHUD_TRY(put_block(place, encode_points(chunk)));
    }
    return {};
  }

  schema::Expected<void> put_flows() {
    const auto& flows = trace_.flows;
    const auto count = static_cast<std::uint32_t>(flows.size());
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return flows[a].time < flows[b].time;
    });
    // Of each, by its place in that order, the places of its flow's ends before and after it.
    std::vector<std::uint32_t> before(count, kNone), after(count, kNone);
    {
      std::vector<std::uint32_t> by_key(count);
      std::iota(by_key.begin(), by_key.end(), 0U);
      std::stable_sort(by_key.begin(), by_key.end(), [&](std::uint32_t a, std::uint32_t b) {
        return flows[order[a]].key < flows[order[b]].key;
      });
      for (std::uint32_t i = 1; i < count; ++i) {
        if (flows[order[by_key[i - 1]]].key != flows[order[by_key[i]]].key) continue;
        before[by_key[i]] = by_key[i - 1];
        after[by_key[i - 1]] = by_key[i];
      }
    }
    std::vector<ChunkFlow> chunk;
    for (std::uint32_t first = 0; first < count; first += kEventsAChunk) {
      chunk.clear();
      const auto end = std::min(first + static_cast<std::uint32_t>(kEventsAChunk), count);
      for (std::uint32_t i = first; i < end; ++i) {
        const TraceFlow& flow = flows[order[i]];
        chunk.push_back({.time = flow.time,
                         .category = flow.category,
                         .thread = flow.thread,
                         .step = flow.step,
                         .before = before[i] == kNone ? 0 : i - before[i],
                         .after = after[i] == kNone ? 0 : after[i] - i});
      }
      BlockPlace place{.kind = TraceBlockKind::kFlows, .first = first, .count = chunk.size()};
      place.begin = chunk.front().time;
      place.end = chunk.back().time;
      BENCHHUD_TRY(put_block(place, encode_flows(chunk)));
    }
    return {};
  }

  schema::Connection& connection_;
  const Trace& trace_;
  const TraceNesting& nesting_;
  schema::TraceId id_{};
};

}  // namespace

schema::Expected<void> insert_block(schema::Connection& connection, schema::TraceId trace,
                                    const BlockPlace& place, std::string_view bytes) {
  schema::Statement insert = connection.cached(sql::kInsertTraceBlock);
  insert.bind(1, trace)
      .bind(2, place.kind)
      .bind(3, static_cast<std::int64_t>(place.first))
      .bind(4, static_cast<std::int64_t>(place.count))
      .bind(5, place.begin)
      .bind(6, place.end)
      .bind(7, place.first_thread)
      .bind(8, place.last_thread)
      .bind_blob_view(9, bytes);
  return insert.run();
}

schema::Expected<void> insert_thread(schema::Connection& connection, schema::TraceId trace,
                                     const ThreadRow& row) {
  const TraceThread& thread = *row.thread;
  const std::string stack_rows = encode_rows(row.stack_rows);
  schema::Statement insert = connection.cached(sql::kInsertTraceThread);
  insert.bind(1, trace)
      .bind(2, std::int64_t{row.number})
      .bind_text_view(3, thread.pid)
      .bind_text_view(4, thread.tid)
      .bind_text_view(5, thread.process_name)
      .bind_text_view(6, thread.name)
      .bind_text_view(7, thread.process_labels)
      .bind(8, thread.process_sort_index)
      .bind(9, thread.thread_sort_index)
      .bind(10, static_cast<std::int64_t>(row.extent.slices))
      .bind(11, static_cast<std::int64_t>(row.extent.rows))
      .bind_blob_view(14, stack_rows)
      .bind(15, row.is_async)
      .bind(16, row.is_derived);
  if (row.extent.slices == 0) {
    insert.bind_null(12).bind_null(13);
  } else {
    insert.bind(12, row.extent.begin).bind(13, row.extent.end);
  }
  return insert.run();
}

schema::Expected<std::optional<schema::TraceId>> find_trace(schema::Connection& connection,
                                                            const schema::ContentHash& content) {
  schema::Statement query = connection.cached(sql::kFindTrace);
  query.bind_blob_view(1, content.view());
  BENCHHUD_ASSIGN(const auto found, collect(query, [](const schema::Statement& row) {
                    return schema::TraceId(row.integer(0));
                  }));
  if (found.empty()) return std::optional<schema::TraceId>();
  return std::optional(found.front());
}

schema::Expected<schema::TraceId> put_trace(schema::Connection& connection, const Trace& trace,
                                            const TraceNesting& nesting, PackedArgs* args,
                                            const schema::ContentHash& content,
                                            std::int64_t byte_count, const SliceFeed& feed) {
  BENCHHUD_ASSIGN(const schema::TraceId id,
                  put_unindexed_trace(connection, trace, nesting, args, content, byte_count, feed));
  BENCHHUD_TRY(index_trace(connection, id));
  return id;
}

schema::Expected<schema::TraceId> put_unindexed_trace(schema::Connection& connection,
                                                      const Trace& trace,
                                                      const TraceNesting& nesting, PackedArgs* args,
                                                      const schema::ContentHash& content,
                                                      std::int64_t byte_count,
                                                      const SliceFeed& feed) {
  BENCHHUD_ASSIGN(const auto found, find_trace(connection, content));
  if (found) return *found;
  BENCHHUD_TRY(Validator(trace).check());
  return TraceWriter(connection, trace, nesting).write(args, content, byte_count, feed);
}

schema::Expected<void> delete_trace(schema::Connection& connection, schema::TraceId id) {
  schema::Statement query = connection.cached(sql::kIsTraceUsed);
  query.bind(1, id);
  const bool is_used = query.step();
  BENCHHUD_TRY(query.status());
  if (is_used) {
    return schema::Error{schema::ErrorCode::kConflict,
                         fmt::format("an artifact refers to trace {}", to_int(id))};
  }
  BENCHHUD_TRY(delete_trace_index(connection, id));
  BENCHHUD_TRY(delete_trace_findings(connection, id));
  BENCHHUD_TRY(delete_trace_devices(connection, id));
  BENCHHUD_TRY(connection.cached(sql::kDeleteDroppedTrace).bind(1, id).run());
  BENCHHUD_TRY(connection.cached(sql::kDeleteArrivingTrace).bind(1, id).run());
  BENCHHUD_TRY(delete_trace_hlo(connection, id));
  const double now = schema::now();
  BENCHHUD_TRY(connection.cached(sql::kPutOrphanPack)
                   .bind(1, id)
                   .bind(2, now)
                   .bind(3, now + kOrphanAge)
                   .run());
  for (const std::string_view sql :
       {sql::kDeleteTraceProblems, sql::kDeleteTraceThreads, sql::kDeleteTraceBlocks,
        sql::kDeleteTraceChunks, sql::kDeleteTraceGroups, sql::kDeleteTracePack,
        sql::kDeleteTrace}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, id).run());
  }
  if (connection.changes() == 0) {
    return schema::Error{schema::ErrorCode::kNotFound,
                         fmt::format("there is no trace {}", to_int(id))};
  }
  return {};
}

schema::Expected<std::int64_t> delete_unused_traces(schema::Connection& connection) {
  schema::Statement query = connection.cached(sql::kUnusedTraces);
  query.bind(1, schema::now() - kLongestArrival);
  BENCHHUD_ASSIGN(const auto unused, collect(query, [](const schema::Statement& row) {
                    return schema::TraceId(row.integer(0));
                  }));
  for (const schema::TraceId id : unused) BENCHHUD_TRY(delete_trace(connection, id));
  if (!unused.empty()) BENCHHUD_TRY(delete_unused_hlo(connection));
  return static_cast<std::int64_t>(unused.size());
}

}  // namespace benchhud::trace
