// A block of busy spans (trace_device_block.bytes): one zstd frame around at most 16 MiB. All
// numbers are varints, as ColumnWriter writes them (schema/base/column_codec.h).
//   N: 1 to 512
//   N x begin minus the end of the span before (of the first: minus the block's begin, which is 0)
//   N x end minus begin
#include "trace/trace_device.h"

#include <algorithm>
#include <utility>

#include "schema/base/column_codec.h"
#include "schema/db/rows.h"
#include "trace/queries.h"
#include "trace/trace_tiles.h"

namespace benchhud::trace {
namespace {

constexpr std::size_t kSpansABlock = 512;

// ns from one moment to a later one, as far as 63 bits tell.
std::int64_t length_between(std::int64_t begin, std::int64_t end) {
  const std::uint64_t length = schema::distance(begin, end);
  return static_cast<std::int64_t>(std::min(length, static_cast<std::uint64_t>(schema::kLatest)));
}
std::int64_t bounded_sum(std::int64_t a, std::int64_t b) {
  return a > schema::kLatest - b ? schema::kLatest : a + b;
}

BusyBlock pack_block(std::span<const BusySpan> spans) {
  BusyBlock block{.begin = spans.front().begin,
                  .end = spans.back().end,
                  .busy = 0,
                  .count = static_cast<std::int64_t>(spans.size()),
                  .bytes = {}};
  schema::ColumnWriter column;
  column.put(spans.size());
  std::int64_t last = block.begin;
  for (const BusySpan& span : spans) {
    column.put(schema::distance(last, span.begin));
    last = span.end;
  }
  for (const BusySpan& span : spans) {
    column.put(schema::distance(span.begin, span.end));
    block.busy = bounded_sum(block.busy, length_between(span.begin, span.end));
  }
  block.bytes = schema::compress(column.bytes());
  return block;
}

schema::Expected<std::vector<BusySpan>> unpack_block(std::int64_t begin, std::string_view bytes) {
  BENCHHUD_ASSIGN(const std::string text, schema::decompress(bytes, schema::kMostColumnBytes));
  schema::ColumnReader column(text);
  const std::size_t count = column.get_count(2);
  if (count > kSpansABlock) column.fail();
  std::vector<std::uint64_t> gaps(column.is_ok() ? count : 0);
  for (std::uint64_t& gap : gaps) gap = column.get();
  std::vector<BusySpan> spans(gaps.size());
  std::int64_t last = begin;
  const auto add = [&](std::uint64_t length) {
    if (length > schema::distance(last, schema::kLatest)) {
      column.fail();
      return last;
    }
    return schema::wrapping_sum(last, static_cast<std::int64_t>(length));
  };
  for (std::size_t i = 0; i < spans.size(); ++i) {
    last = spans[i].begin = add(gaps[i]);
    last = spans[i].end = add(column.get());
  }
  if (!column.is_done()) return schema::corrupt_trace("block of a device's busy time");
  return spans;
}

// Puts spans and blocks, by time, into items.
class ItemBuilder {
 public:
  explicit ItemBuilder(const BusyQuery& query) : query_(query) {
    const std::uint64_t width = schema::distance(query.begin, query.end);
    part_ = width / query.buckets + (width % query.buckets != 0);
  }

  bool is_in_one_part(std::int64_t begin, std::int64_t end) const {
    return begin >= query_.begin && end <= query_.end && part_of(begin) == part_of(end - 1);
  }
  void add(const BusyItem& item) {
    const bool is_long = item.count == 1 && schema::distance(item.begin, item.end) >= part_;
    const std::uint64_t part = part_of(std::max(item.begin, query_.begin));
    if (items_.empty() || is_long || was_long_ || part != last_part_) {
      items_.push_back(item);
    } else {
      BusyItem& open = items_.back();
      open.end = item.end;
      open.busy = bounded_sum(open.busy, item.busy);
      open.count += item.count;
    }
    was_long_ = is_long;
    last_part_ = part;
  }
  std::vector<BusyItem> take() { return std::move(items_); }

 private:
  std::uint64_t part_of(std::int64_t time) const {
    return schema::distance(query_.begin, time) / part_;
  }

  const BusyQuery& query_;
  std::vector<BusyItem> items_;
  std::uint64_t part_ = 1, last_part_ = 0;
  bool was_long_ = false;
};

}  // namespace

std::string_view idle_cause_name(IdleCause cause) {
  switch (cause) {
    case IdleCause::kHostWait:
      return "host_wait";
    case IdleCause::kKernelWait:
      return "kernel_wait";
    case IdleCause::kOther:
      return "other";
    case IdleCause::kUnknown:
      break;
  }
  return "unknown";
}

std::vector<BusyBlock> pack_busy(std::span<const BusySpan> spans) {
  std::vector<BusyBlock> blocks;
  while (!spans.empty()) {
    const std::size_t count = std::min(spans.size(), kSpansABlock);
    blocks.push_back(pack_block(spans.first(count)));
    spans = spans.subspan(count);
  }
  return blocks;
}

schema::Expected<void> put_trace_devices(schema::Connection& connection, schema::TraceId trace,
                                         const std::optional<std::vector<PackedDevice>>& devices) {
  BENCHHUD_TRY(delete_trace_devices(connection, trace));
  if (!devices) return {};
  std::int64_t number = 0;
  for (const auto& [device, blocks] : *devices) {
    schema::Statement insert = connection.cached(sql::kInsertTraceDevice);
    insert.bind(1, trace)
        .bind(2, number)
        .bind(3, std::int64_t{device.thread})
        .bind(4, device.begin)
        .bind(5, device.end)
        .bind(6, device.busy)
        .bind(7, device.gaps);
    int column = 8;
    for (const std::int64_t idle : device.idle) insert.bind(column++, idle);
    BENCHHUD_TRY(insert.run());
    for (const BusyBlock& block : blocks) {
      BENCHHUD_TRY(connection.cached(sql::kInsertTraceDeviceBlock)
                       .bind(1, trace)
                       .bind(2, number)
                       .bind(3, block.begin)
                       .bind(4, block.end)
                       .bind(5, block.busy)
                       .bind(6, block.count)
                       .bind_blob_view(7, block.bytes)
                       .run());
    }
    ++number;
  }
  return connection.cached(sql::kSetTraceDeviceCount).bind(1, trace).bind(2, number).run();
}

schema::Expected<void> delete_trace_devices(schema::Connection& connection, schema::TraceId trace) {
  for (const std::string_view sql : {sql::kDeleteTraceDevices, sql::kDeleteTraceDeviceBlocks}) {
    BENCHHUD_TRY(connection.cached(sql).bind(1, trace).run());
  }
  return connection.cached(sql::kSetTraceDeviceCount).bind(1, trace).bind_null(2).run();
}

schema::Expected<std::optional<std::vector<TraceDevice>>> trace_devices(
    schema::Connection& connection, schema::TraceId trace) {
  using Devices = std::vector<TraceDevice>;
  schema::Statement count = connection.cached(sql::kDeviceCountOfTrace);
  count.bind(1, trace);
  const bool is_known = count.step() && !count.is_null(0);
  BENCHHUD_TRY(count.status());
  if (!is_known) return std::optional<Devices>();
  schema::Statement query = connection.cached(sql::kDevicesOfTrace);
  query.bind(1, trace);
  BENCHHUD_ASSIGN(Devices devices, collect(query, [](const schema::Statement& row) {
                    TraceDevice device;
                    device.number = static_cast<std::uint32_t>(row.integer(0));
                    device.thread = static_cast<std::uint32_t>(row.integer(1));
                    device.begin = row.integer(2);
                    device.end = row.integer(3);
                    device.busy = row.integer(4);
                    device.gaps = row.integer(5);
                    int column = 6;
                    for (std::int64_t& idle : device.idle) idle = row.integer(column++);
                    return device;
                  }));
  return std::optional(std::move(devices));
}

schema::Expected<std::vector<BusyItem>> busy_in_window(schema::Connection& connection,
                                                       schema::TraceId trace,
                                                       const BusyQuery& query) {
  if (query.begin >= query.end || query.buckets == 0 || query.buckets > kMostBuckets) {
    return schema::Error{schema::ErrorCode::kInvalidArgument,
                         "a window is at least a nanosecond, and has 1 to 65536 parts"};
  }
  ItemBuilder items(query);
  schema::Statement blocks = connection.cached(sql::kBusyBlocksFrom);
  blocks.bind(1, trace).bind(2, std::int64_t{query.device}).bind(3, query.begin);
  while (blocks.step()) {
    const std::int64_t begin = blocks.integer(0), end = blocks.integer(1);
    if (begin >= query.end) break;
    if (items.is_in_one_part(begin, end)) {
      items.add({begin, end, blocks.integer(2), blocks.integer(3)});
      continue;
    }
    BENCHHUD_ASSIGN(const auto spans, unpack_block(begin, blocks.blob(4)));
    for (const BusySpan& span : spans) {
      if (span.end <= query.begin || span.begin >= query.end) continue;
      items.add({span.begin, span.end, length_between(span.begin, span.end), 1});
    }
  }
  BENCHHUD_TRY(blocks.status());
  return items.take();
}

}  // namespace benchhud::trace
