// Everything that is encoded here is one zstd frame around at most 16 MiB (rows: 1 GiB). Within it
// numbers are as ColumnWriter writes them (schema/base/column_codec.h): varints, unless a line says
// zigzag or double. "N x" is a column: one number of each of the N items, in their order. A
// difference is the number minus that of the item before; that of the first item is the number
// itself. Zigzag differences are modulo 2^64. Rows, threads, labels, ids, categories, the numbers
// of texts and the origin have 32 bits. No byte follows the last number.
//
// Slices, of one thread by row and time:
//   N: at most 8192
//   of each row, until they have N slices:
//     difference of the row
//     how many slices of it follow one another here: at least 1
//     begin of the first of them, ns: zigzag difference to that of the row before
//   N x begin minus the end of the slice before, ns; 0 of the first slice of a row
//   N x duration, ns; begin + duration is at most 2^63 - 1
//   N x label
//
// Extras, of the slices of a chunk in their order:
//   N: at most 8192
//   N x flags, the sum of what the slice has: 1 correlation, 2 external id, 4 sequence,
//     8 number of its packed arguments, 16 origin, 32 bandwidth
//   of each flag from 1 to 16: a column of that number, only of slices with the flag, as zigzag
//     differences to the slice with the flag before
//   of each slice with flag 32: bytes, double; gigabytes per second, double
//
// Points, by thread and time:
//   N: at most 4096
//   N x difference of the thread
//   N x zigzag difference of the time, ns
//   N x label
//   N x zigzag difference of the id
//   N x phase: a character's code, 0 to 255
//   N x flags, as of extras, without 32
//   columns of the flags 1 to 16, as of extras
//
// Flows, by time:
//   N: at most 4096
//   N x zigzag difference of the time, ns
//   N x category, the number of a text
//   N x zigzag difference of the thread
//   N x step: 0 start, 1 step, 2 end
//   N x how many ends, by time, the flow's end before is away; 0: there is none
//   N x likewise, the flow's end after
//
// Labels:
//   N
//   N x name, the number of a text
//   N x category, the number of a text
//   N x role, a ThreadRole: left out where no label has one
//
// Rows, ascending:
//   N
//   N x difference
#include "trace/trace_chunk.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "schema/base/check.h"
#include "schema/base/column_codec.h"

namespace benchhud::trace {
namespace {

// A thread may have as many rows as slices.
constexpr std::size_t kMostRowsBytes = std::size_t{1} << 30;

// Which of an event's numbers follow. The others of its kind do not stand in their columns.
constexpr std::uint64_t kCorrelation = 1, kExternalId = 2, kSequence = 4, kPacked = 8, kOrigin = 16,
                        kBandwidth = 32;

std::uint64_t present(const TraceArgs& args) {
  return (args.correlation != TraceArgs::kAbsent ? kCorrelation : 0U) |
         (args.external_id != TraceArgs::kAbsent ? kExternalId : 0U) |
         (args.sequence != TraceArgs::kAbsent ? kSequence : 0U) |
         (args.packed != TraceArgs::kNotKept ? kPacked : 0U) | (args.origin != 0 ? kOrigin : 0U);
}

// A column of 64-bit numbers in which each says how it differs from the one before.
class Differences {
 public:
  void put(std::uint64_t number, schema::ColumnWriter* column) {
    column->put_signed(static_cast<std::int64_t>(number - last_));
    last_ = number;
  }
  std::uint64_t get(schema::ColumnReader* column) {
    last_ += static_cast<std::uint64_t>(column->get_signed());
    return last_;
  }

 private:
  std::uint64_t last_ = 0;
};

// The columns of the arguments of `events`, of which `args_of` gives each one's.
template <class Events, class ArgsOf>
void put_args(const Events& events, ArgsOf args_of, schema::ColumnWriter* column) {
  const auto put_all = [&](std::uint64_t bit, auto member) {
    Differences differences;
    for (const auto& event : events) {
      const TraceArgs& args = args_of(event);
      if (present(args) & bit) differences.put(static_cast<std::uint64_t>(args.*member), column);
    }
  };
  put_all(kCorrelation, &TraceArgs::correlation);
  put_all(kExternalId, &TraceArgs::external_id);
  put_all(kSequence, &TraceArgs::sequence);
  put_all(kPacked, &TraceArgs::packed);
  put_all(kOrigin, &TraceArgs::origin);
}

// `flags`: what is present in each of the events.
template <class Events, class ArgsOf>
void get_args(const std::vector<std::uint64_t>& flags, Events* events, ArgsOf args_of,
              schema::ColumnReader* column) {
  const auto get_all = [&](std::uint64_t bit, auto member) {
    Differences differences;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (!(flags[i] & bit)) continue;
      auto& value = args_of((*events)[i]).*member;
      const std::uint64_t number = differences.get(column);
      value = static_cast<std::remove_reference_t<decltype(value)>>(number);
      if (static_cast<std::uint64_t>(value) != number) column->fail();
    }
  };
  get_all(kCorrelation, &TraceArgs::correlation);
  get_all(kExternalId, &TraceArgs::external_id);
  get_all(kSequence, &TraceArgs::sequence);
  get_all(kPacked, &TraceArgs::packed);
  get_all(kOrigin, &TraceArgs::origin);
}

// Goes `ns` on from `time`. Fails where no time is that late.
std::int64_t later(std::int64_t time, std::uint64_t ns, schema::ColumnReader* column) {
  if (ns > schema::distance(time, schema::kLatest)) column->fail();
  return schema::wrapping_sum(time, static_cast<std::int64_t>(ns));
}

constexpr auto kOfExtra = [](auto& extra) -> auto& { return extra.args; };
constexpr auto kOfPoint = [](auto& point) -> auto& { return point.args; };

}  // namespace

bool is_empty(const TraceArgs& args) { return present(args) == 0; }

std::string encode_slices(std::span<const ChunkSlice> slices) {
  BENCHHUD_CHECK(slices.size() <= kMostSlicesAChunk);
  schema::ColumnWriter column;
  column.put(slices.size());
  // Rows: how many slices each has, and where it begins.
  std::uint32_t row = 0;
  std::int64_t begin = 0;
  for (std::size_t i = 0, next; i < slices.size(); i = next) {
    for (next = i; next < slices.size() && slices[next].row == slices[i].row;) ++next;
    column.put(slices[i].row - row);
    column.put(next - i);
    column.put_signed(schema::wrapping_difference(slices[i].begin, begin));
    row = slices[i].row;
    begin = slices[i].begin;
  }
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const bool is_first = i == 0 || slices[i - 1].row != slices[i].row;
    column.put(is_first ? 0 : schema::distance(slices[i - 1].end(), slices[i].begin));
  }
  for (const ChunkSlice& slice : slices) column.put(static_cast<std::uint64_t>(slice.duration));
  for (const ChunkSlice& slice : slices) column.put(slice.label);
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<ChunkSlice>> decode_slices(std::string_view chunk) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(chunk, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  const std::size_t size = column.get_count();
  if (size > kMostSlicesAChunk) column.fail();
  if (!column.is_ok()) return schema::corrupt_trace("chunk of slices");
  std::vector<ChunkSlice> slices(size);
  std::uint64_t row = 0;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < slices.size() && column.is_ok();) {
    row += column.get_small();
    const std::uint64_t count = column.get();
    begin = schema::wrapping_sum(begin, column.get_signed());
    if (count == 0 || count > slices.size() - i ||
        row > std::numeric_limits<std::uint32_t>::max()) {
      column.fail();
      break;
    }
    for (std::size_t end = i + count; i < end; ++i) {
      slices[i].row = static_cast<std::uint32_t>(row);
      slices[i].begin = begin;
    }
  }
  for (ChunkSlice& slice : slices) slice.duration = static_cast<std::int64_t>(column.get());
  std::int64_t end = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    ChunkSlice& slice = slices[i];
    const auto gap = static_cast<std::uint64_t>(slice.duration);
    const bool is_first = i == 0 || slices[i - 1].row != slice.row;
    slice.begin = later(is_first ? slice.begin : end, gap, &column);
    const std::uint64_t duration = column.get();
    end = later(slice.begin, duration, &column);
    if (duration > static_cast<std::uint64_t>(schema::kLatest)) column.fail();
    slice.duration = static_cast<std::int64_t>(duration);
  }
  for (ChunkSlice& slice : slices) slice.label = column.get_small();
  if (!column.is_done()) return schema::corrupt_trace("chunk of slices");
  return slices;
}

std::string encode_extras(std::span<const SliceExtra> extras) {
  schema::ColumnWriter column;
  column.put(extras.size());
  for (const SliceExtra& extra : extras) {
    column.put(present(extra.args) | (extra.has_bandwidth ? kBandwidth : 0U));
  }
  put_args(extras, kOfExtra, &column);
  for (const SliceExtra& extra : extras) {
    if (!extra.has_bandwidth) continue;
    column.put_double(extra.bytes);
    column.put_double(extra.gigabytes_per_second);
  }
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<SliceExtra>> decode_extras(std::string_view chunk) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(chunk, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  const std::size_t count = column.get_count();
  if (count > kMostSlicesAChunk) column.fail();
  if (!column.is_ok()) return schema::corrupt_trace("chunk of arguments");
  std::vector<std::uint64_t> flags(count);
  std::vector<SliceExtra> extras(count);
  for (std::uint64_t& flag : flags) flag = column.get();
  get_args(flags, &extras, kOfExtra, &column);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (!(flags[i] & kBandwidth)) continue;
    extras[i].has_bandwidth = true;
    extras[i].bytes = column.get_double();
    extras[i].gigabytes_per_second = column.get_double();
  }
  if (!column.is_done()) return schema::corrupt_trace("chunk of arguments");
  return extras;
}

std::string encode_points(std::span<const ChunkPoint> points) {
  schema::ColumnWriter column;
  column.put(points.size());
  std::uint32_t thread = 0;
  for (const ChunkPoint& each : points) {
    column.put(each.point.thread - thread);
    thread = each.point.thread;
  }
  Differences times, ids;
  for (const ChunkPoint& each : points) {
    times.put(static_cast<std::uint64_t>(each.point.time), &column);
  }
  for (const ChunkPoint& each : points) column.put(each.point.label);
  for (const ChunkPoint& each : points) ids.put(each.point.id, &column);
  for (const ChunkPoint& each : points) {
    column.put(static_cast<unsigned char>(each.point.phase));
  }
  for (const ChunkPoint& each : points) column.put(present(each.args));
  put_args(points, kOfPoint, &column);
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<ChunkPoint>> decode_points(std::string_view chunk) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(chunk, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  const std::size_t count = column.get_count();
  if (count > kEventsAChunk) column.fail();
  if (!column.is_ok()) return schema::corrupt_trace("chunk of points");
  std::vector<ChunkPoint> points(count);
  std::uint64_t thread = 0;
  for (ChunkPoint& each : points) {
    thread += column.get_small();
    if (thread > std::numeric_limits<std::uint32_t>::max()) column.fail();
    each.point.thread = static_cast<std::uint32_t>(thread);
  }
  Differences times, ids;
  for (ChunkPoint& each : points) each.point.time = static_cast<std::int64_t>(times.get(&column));
  for (ChunkPoint& each : points) each.point.label = column.get_small();
  for (ChunkPoint& each : points) {
    const std::uint64_t id = ids.get(&column);
    if (id > std::numeric_limits<std::uint32_t>::max()) column.fail();
    each.point.id = static_cast<std::uint32_t>(id);
  }
  for (ChunkPoint& each : points) {
    const std::uint64_t phase = column.get();
    if (phase > 0xff) column.fail();
    each.point.phase = static_cast<char>(phase);
  }
  std::vector<std::uint64_t> flags(count);
  for (std::uint64_t& flag : flags) flag = column.get();
  get_args(flags, &points, kOfPoint, &column);
  if (!column.is_done()) return schema::corrupt_trace("chunk of points");
  return points;
}

std::string encode_labels(std::span<const TraceLabel> labels) {
  schema::ColumnWriter column;
  column.put(labels.size());
  for (const TraceLabel& label : labels) column.put(label.name);
  for (const TraceLabel& label : labels) column.put(label.category);
  const bool has_roles = std::any_of(labels.begin(), labels.end(), [](const TraceLabel& label) {
    return label.role != ThreadRole::kUnknown;
  });
  if (has_roles) {
    for (const TraceLabel& label : labels) column.put(static_cast<std::uint64_t>(label.role));
  }
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<TraceLabel>> decode_labels(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  std::vector<TraceLabel> labels(column.get_count());
  for (TraceLabel& label : labels) label.name = column.get_small();
  for (TraceLabel& label : labels) label.category = column.get_small();
  if (column.is_ok() && !column.is_done()) {
    for (TraceLabel& label : labels) {
      const std::uint32_t role = column.get_small();
      if (role > static_cast<std::uint32_t>(kLastThreadRole)) column.fail();
      label.role = static_cast<ThreadRole>(role);
    }
  }
  if (!column.is_done()) return schema::corrupt_trace("block of labels");
  return labels;
}

std::string encode_rows(std::span<const std::uint32_t> rows) {
  schema::ColumnWriter column;
  column.put(rows.size());
  std::uint32_t last = 0;
  for (const std::uint32_t row : rows) column.put(row - std::exchange(last, row));
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<std::uint32_t>> decode_rows(std::string_view block, std::size_t most) {
  // A number has at most ten bytes, and so has that of rows.
  constexpr std::size_t kNumber = 10;
  const std::size_t most_bytes =
      most < kMostRowsBytes / kNumber ? kNumber * (most + 1) : kMostRowsBytes;
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, most_bytes));
  schema::ColumnReader column(bytes);
  const std::size_t count = column.get_count();
  if (count > most) return schema::corrupt_trace("list of rows");
  std::vector<std::uint32_t> rows(count);
  std::uint64_t last = 0;
  for (std::uint32_t& row : rows) {
    last += column.get_small();
    if (last > std::numeric_limits<std::uint32_t>::max()) column.fail();
    row = static_cast<std::uint32_t>(last);
  }
  if (!column.is_done()) return schema::corrupt_trace("list of rows");
  return rows;
}

std::string encode_flows(std::span<const ChunkFlow> flows) {
  schema::ColumnWriter column;
  column.put(flows.size());
  Differences times, threads;
  for (const ChunkFlow& flow : flows) times.put(static_cast<std::uint64_t>(flow.time), &column);
  for (const ChunkFlow& flow : flows) column.put(flow.category);
  for (const ChunkFlow& flow : flows) threads.put(flow.thread, &column);
  for (const ChunkFlow& flow : flows) column.put(static_cast<std::uint64_t>(flow.step));
  for (const ChunkFlow& flow : flows) column.put(flow.before);
  for (const ChunkFlow& flow : flows) column.put(flow.after);
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<ChunkFlow>> decode_flows(std::string_view chunk) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(chunk, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  const std::size_t count = column.get_count();
  if (count > kEventsAChunk) column.fail();
  if (!column.is_ok()) return schema::corrupt_trace("chunk of flows");
  std::vector<ChunkFlow> flows(count);
  Differences times, threads;
  for (ChunkFlow& flow : flows) flow.time = static_cast<std::int64_t>(times.get(&column));
  for (ChunkFlow& flow : flows) flow.category = column.get_small();
  for (ChunkFlow& flow : flows) {
    const std::uint64_t thread = threads.get(&column);
    if (thread > std::numeric_limits<std::uint32_t>::max()) column.fail();
    flow.thread = static_cast<std::uint32_t>(thread);
  }
  for (ChunkFlow& flow : flows) {
    const std::uint64_t step = column.get();
    if (step > static_cast<std::uint64_t>(TraceFlow::Step::kEnd)) column.fail();
    flow.step = static_cast<TraceFlow::Step>(step);
  }
  for (ChunkFlow& flow : flows) flow.before = column.get();
  for (ChunkFlow& flow : flows) flow.after = column.get();
  if (!column.is_done()) return schema::corrupt_trace("chunk of flows");
  return flows;
}

}  // namespace benchhud::trace
