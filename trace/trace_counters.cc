// A block of a counter's values, by time (trace_counter_block.bytes): one zstd frame around at most
// 16 MiB, with numbers as ColumnWriter writes them (schema/base/column_codec.h):
//   N: varint, at most 4096
//   N times the time, ns: zigzag difference to the one before (of the first: to 0), modulo 2^64
//   N times the value: double
#include "trace/trace_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "schema/base/column_codec.h"
#include "schema/base/content_hash.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_chunk.h"
#include "trace/trace_queries.h"
#include "trace/trace_rows.h"
#include "trace/trace_tiles.h"

namespace benchhud::trace {
namespace {

constexpr std::size_t kValuesABlock = 4096;
// Of all counters together, before they are written.
constexpr std::size_t kMostOpenValues = 1'000'000;

std::string encode_values(const std::vector<CounterValue>& values) {
  schema::ColumnWriter column;
  column.put(values.size());
  std::int64_t last = 0;
  for (const CounterValue& each : values) {
    column.put_signed(schema::wrapping_difference(each.time, last));
    last = each.time;
  }
  for (const CounterValue& each : values) column.put_double(each.value);
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<CounterValue>> decode_values(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  const std::size_t count = column.get_count();
  if (count > kValuesABlock) column.fail();
  std::vector<CounterValue> values(column.is_ok() ? count : 0);
  std::int64_t last = 0;
  for (CounterValue& each : values)
    each.time = last = schema::wrapping_sum(last, column.get_signed());
  for (CounterValue& each : values) each.value = column.get_double();
  if (!column.is_done()) return schema::corrupt_trace("block of a counter");
  return values;
}

// One counter that is being collected.
struct Series {
  TraceCounter counter;
  std::uint32_t blocks = 0;
  std::vector<CounterValue> open;
};

class CounterIndexer {
 public:
  CounterIndexer(schema::Connection& connection, schema::TraceId trace)
      : connection_(connection), trace_(trace), lookup_(connection, trace) {}

  schema::Expected<std::int64_t> run() {
    // The blocks' numbers first: what is looked up below reads others in between.
    const auto add_counters = [&](std::string_view block) -> schema::Expected<void> {
      BENCHHUD_ASSIGN(const auto points, decode_points(block));
      for (const ChunkPoint& each : points) {
        if (each.point.phase == 'C') BENCHHUD_TRY(add(each));
      }
      return {};
    };
    BENCHHUD_TRY(for_each_block(connection_, trace_, TraceBlockKind::kPoints, add_counters));
    BENCHHUD_TRY(finish());
    return static_cast<std::int64_t>(left_out_.size());
  }

 private:
  // Which counter it is: thread, label, id and key.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string>;

  schema::Expected<void> add(const ChunkPoint& each) {
    if (each.args.packed == TraceArgs::kNotKept) return {};
    const auto arguments = lookup_.arguments(each.args.packed);
    // A trace may have been stored without them.
    if (!arguments && arguments.error().code == schema::ErrorCode::kNotFound) return {};
    if (!arguments) return arguments.error();
    schema::Statement members = connection_.cached(sql::kNumbersOfObject);
    members.bind_text_view(1, *arguments);
    std::vector<std::pair<std::string, double>> numbers;
    while (members.step()) numbers.emplace_back(members.text(0), members.real(1));
    BENCHHUD_TRY(members.status());
    for (auto& [key, value] : numbers) {
      BENCHHUD_ASSIGN(Series * series, series_of(each.point, std::move(key)));
      if (series == nullptr) continue;
      TraceCounter& counter = series->counter;
      counter.min = counter.count == 0 ? value : std::min(counter.min, value);
      counter.max = counter.count == 0 ? value : std::max(counter.max, value);
      ++counter.count;
      series->open.push_back({each.point.time, value});
      ++open_values_;
      if (series->open.size() == kValuesABlock) BENCHHUD_TRY(write_block(series));
    }
    if (open_values_ < kMostOpenValues) return {};
    for (auto& [key, series] : series_) BENCHHUD_TRY(write_block(&series));
    return {};
  }

  // Null where there are too many.
  schema::Expected<Series*> series_of(const TracePoint& point, std::string key) {
    Key place{point.thread, point.label, point.id, std::move(key)};
    const auto found = series_.find(place);
    if (found != series_.end()) return &found->second;
    if (series_.size() >= kMostCounters) {
      leave_out(place);
      return static_cast<Series*>(nullptr);
    }
    Series series;
    series.counter.number = static_cast<std::uint32_t>(series_.size());
    series.counter.thread = point.thread;
    series.counter.key = std::get<std::string>(place);
    BENCHHUD_ASSIGN(const LabelText label, lookup_.label(point.label));
    series.counter.name = label.name;
    if (point.id != 0) {
      BENCHHUD_ASSIGN(const std::string id, lookup_.text(point.id));
      series.counter.name += fmt::format(" [{}]", id);
    }
    return &series_.emplace(std::move(place), std::move(series)).first->second;
  }

  void leave_out(const Key& key) {
    if (std::int64_t(left_out_.size()) == kMostCountersCounted) return;
    const auto& [thread, label, id, name] = key;
    left_out_.insert(schema::ContentHashHasher()(
        schema::content_hash(fmt::format("{} {} {} {}", thread, label, id, name))));
  }

  schema::Expected<void> write_block(Series* series) {
    const std::vector<CounterValue>& values = series->open;
    if (values.empty()) return {};
    const auto [least, most] = std::minmax_element(
        values.begin(), values.end(),
        [](const CounterValue& a, const CounterValue& b) { return a.value < b.value; });
    const std::string bytes = encode_values(values);
    schema::Statement insert = connection_.cached(sql::kInsertTraceCounterBlock);
    insert.bind(1, trace_)
        .bind(2, std::int64_t{series->counter.number})
        .bind(3, std::int64_t{series->blocks++})
        .bind(4, values.front().time)
        .bind(5, values.back().time)
        .bind(6, least->value)
        .bind(7, most->value)
        .bind(8, values.back().value)
        .bind_blob_view(9, bytes);
    BENCHHUD_TRY(insert.run());
    open_values_ -= values.size();
    series->open.clear();
    return {};
  }

  schema::Expected<void> finish() {
    for (auto& [key, series] : series_) {
      BENCHHUD_TRY(write_block(&series));
      const TraceCounter& counter = series.counter;
      schema::Statement insert = connection_.cached(sql::kInsertTraceCounter);
      insert.bind(1, trace_)
          .bind(2, std::int64_t{counter.number})
          .bind(3, std::int64_t{counter.thread})
          .bind_text_view(4, counter.name)
          .bind_text_view(5, counter.key)
          .bind(6, counter.count)
          .bind(7, counter.min)
          .bind(8, counter.max);
      BENCHHUD_TRY(insert.run());
    }
    return {};
  }

  schema::Connection& connection_;
  schema::TraceId trace_;
  TraceQueries lookup_;
  std::map<Key, Series> series_;
  // Hashes of those that are not kept.
  std::unordered_set<std::size_t> left_out_;
  std::size_t open_values_ = 0;
};

// Puts values by time into the parts of a window.
class PartBuilder {
 public:
  PartBuilder(const CounterQuery& query, CounterWindow* window) : query_(query), window_(*window) {
    const std::uint64_t width = schema::distance(query.begin, query.end);
    part_ = width / query.buckets + (width % query.buckets != 0);
  }

  // Which part a time of the window is in.
  std::uint64_t part_of(std::int64_t time) const {
    return schema::distance(query_.begin, time) / part_;
  }

  void add(std::int64_t time, double min, double max, double last) {
    const std::uint64_t part = part_of(time);
    if (window_.parts.empty() || last_part_ != part) {
      window_.parts.push_back(
          {schema::wrapping_sum(query_.begin, static_cast<std::int64_t>(part * part_)), min, max,
           last});
      last_part_ = part;
      return;
    }
    CounterPart& open = window_.parts.back();
    open.min = std::min(open.min, min);
    open.max = std::max(open.max, max);
    open.last = last;
  }

 private:
  const CounterQuery& query_;
  CounterWindow& window_;
  std::uint64_t part_ = 1;
  std::uint64_t last_part_ = 0;
};

// The last value before the window.
schema::Expected<std::optional<double>> value_before(schema::Connection& connection,
                                                     schema::TraceId trace,
                                                     const CounterQuery& query) {
  schema::Statement blocks = connection.cached(sql::kCounterBlockBefore);
  blocks.bind(1, trace).bind(2, std::int64_t{query.number}).bind(3, query.begin);
  std::optional<double> value;
  if (blocks.step()) {
    if (blocks.integer(0) < query.begin) {
      value = blocks.real(1);
    } else {
      BENCHHUD_ASSIGN(const auto values, decode_values(blocks.blob(2)));
      for (const CounterValue& each : values) {
        if (each.time < query.begin) value = each.value;
      }
    }
  }
  BENCHHUD_TRY(blocks.status());
  return value;
}

}  // namespace

schema::Expected<std::int64_t> index_counters(schema::Connection& connection,
                                              schema::TraceId trace) {
  BENCHHUD_TRY(delete_counters(connection, trace));
  return CounterIndexer(connection, trace).run();
}

schema::Expected<void> delete_counters(schema::Connection& connection, schema::TraceId trace) {
  for (const std::string_view sql : {sql::kDeleteTraceCounters, sql::kDeleteTraceCounterBlocks}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, trace).run());
  }
  return {};
}

schema::Expected<std::vector<TraceCounter>> trace_counters(schema::Connection& connection,
                                                           schema::TraceId trace) {
  schema::Statement query = connection.cached(sql::kCountersOfTrace);
  query.bind(1, trace);
  return collect(query, [](const schema::Statement& row) {
    TraceCounter counter;
    counter.number = static_cast<std::uint32_t>(row.integer(0));
    counter.thread = static_cast<std::uint32_t>(row.integer(1));
    counter.name = row.text(2);
    counter.key = row.text(3);
    counter.count = row.integer(4);
    counter.min = row.real(5);
    counter.max = row.real(6);
    return counter;
  });
}

schema::Expected<std::vector<CounterValue>> counter_values(schema::Connection& connection,
                                                           schema::TraceId trace,
                                                           std::uint32_t counter,
                                                           std::uint32_t block) {
  schema::Statement query = connection.cached(sql::kCounterBlock);
  query.bind(1, trace).bind(2, std::int64_t{counter}).bind(3, std::int64_t{block});
  if (!query.step()) {
    BENCHHUD_TRY(query.status());
    return std::vector<CounterValue>();
  }
  return decode_values(query.blob(0));
}

schema::Expected<CounterWindow> counter_window(schema::Connection& connection,
                                               schema::TraceId trace, const CounterQuery& query) {
  if (query.begin >= query.end || query.buckets == 0 || query.buckets > kMostBuckets) {
    return schema::Error{schema::ErrorCode::kInvalidArgument,
                         "a window is at least a nanosecond, and has 1 to 65536 parts"};
  }
  CounterWindow window;
  BENCHHUD_ASSIGN(window.before, value_before(connection, trace, query));
  PartBuilder parts(query, &window);
  schema::Statement blocks = connection.cached(sql::kCounterBlocksInWindow);
  blocks.bind(1, trace).bind(2, std::int64_t{query.number}).bind(3, query.begin);
  blocks.bind(4, query.end);
  while (blocks.step()) {
    const std::int64_t begin = blocks.integer(0), end = blocks.integer(1);
    const bool is_inside = begin >= query.begin && end < query.end;
    if (is_inside && parts.part_of(begin) == parts.part_of(end)) {
      parts.add(begin, blocks.real(2), blocks.real(3), blocks.real(4));
      continue;
    }
    BENCHHUD_ASSIGN(const auto values, decode_values(blocks.blob(5)));
    for (const CounterValue& each : values) {
      if (each.time < query.begin || each.time >= query.end) continue;
      parts.add(each.time, each.value, each.value, each.value);
    }
  }
  BENCHHUD_TRY(blocks.status());
  return window;
}

}  // namespace benchhud::trace
