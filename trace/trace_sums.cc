// All numbers are varints, as ColumnWriter writes them (schema/base/column_codec.h), unless a line
// says zigzag. "N x" is a column: one number of each of the N items, in their order. All but the
// ascending numbers are one zstd frame around what is listed. No byte follows the last number.
//
// Columns of sums, all but the first at most 2^63 - 1, the durations in ns:
//   N x number of slices
//   N x total duration
//   N x total duration minus self time
//   N x shortest duration
//   N x longest duration minus the shortest
//
// Label sums, by label (at most 64 MiB before compression):
//   N
//   N x label minus the label before (at least 1; of the first: the label), 32 bits
//   columns of sums
//
// Label totals, of labels that follow one another (at most 16 MiB):
//   N: at most 1024
//   columns of sums
//   N x number of bins in which slices of the label begin, at most 256
//   of each label, of each of its bins:
//     bin, below 256, minus the bin before of the label (at least 1; of the first: the bin)
//     number of slices that begin in it
//
// Extents of chunks (at most 64 MiB):
//   N
//   of each:
//     begin minus the end of the chunk before, ns (of the first: the begin): zigzag, modulo 2^64
//     end minus begin, ns; the end is at most 2^63 - 1
//
// Lengths (at most 16 MiB):
//   N: at most 8192
//   N x length, ns, at most 2^63 - 1
//
// Ascending numbers, without compression, each at most 2^63 - 1:
//   N
//   N x number minus the number before (at least 1; of the first: the number)
#include "trace/trace_sums.h"

#include <algorithm>
#include <limits>

#include "schema/base/column_codec.h"
#include "trace/trace_chunk.h"

namespace benchhud::trace {
namespace {

// More than kMostIndexedLabels take.
constexpr std::size_t kMostSumsBytes = std::size_t{64} << 20;
// Numbers of a label's sums, each of which takes a byte at least.
constexpr std::size_t kNumbersOfSums = 6;
constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::int64_t capped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(
      std::min(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b), kMost));
}

std::int64_t get_length(schema::ColumnReader* column) {
  const std::uint64_t number = column->get();
  if (number > kMost) column->fail();
  return static_cast<std::int64_t>(number & kMost);
}

void put_length(std::int64_t length, schema::ColumnWriter* column) {
  column->put(static_cast<std::uint64_t>(length));
}

// The columns of the sums that `sums_of` gives of each of `rows`.
template <class Rows, class SumsOf>
void put_sums(const Rows& rows, SumsOf sums_of, schema::ColumnWriter* column) {
  for (const auto& row : rows) column->put(sums_of(row).count);
  for (const auto& row : rows) put_length(sums_of(row).total, column);
  for (const auto& row : rows) put_length(sums_of(row).total - sums_of(row).self, column);
  for (const auto& row : rows) put_length(sums_of(row).min, column);
  for (const auto& row : rows) put_length(sums_of(row).max - sums_of(row).min, column);
}

template <class Rows, class SumsOf>
void get_sums(Rows* rows, SumsOf sums_of, schema::ColumnReader* column) {
  for (auto& row : *rows) sums_of(row).count = column->get();
  for (auto& row : *rows) sums_of(row).total = get_length(column);
  for (auto& row : *rows) {
    SliceSums& sums = sums_of(row);
    const std::int64_t within = get_length(column);
    if (within > sums.total) column->fail();
    sums.self = column->is_ok() ? sums.total - within : 0;
  }
  for (auto& row : *rows) sums_of(row).min = get_length(column);
  for (auto& row : *rows) {
    SliceSums& sums = sums_of(row);
    sums.max = capped_sum(sums.min, get_length(column));
  }
}

constexpr auto kOf = [](auto& row) -> auto& { return row.sums; };

}  // namespace

void SliceSums::add(const SliceSums& other) {
  if (other.count == 0) return;
  min = count == 0 ? other.min : std::min(min, other.min);
  max = count == 0 ? other.max : std::max(max, other.max);
  count += other.count;
  total = capped_sum(total, other.total);
  self = std::min(capped_sum(self, other.self), total);
}

std::string encode_label_sums(std::span<const LabelSums> sums) {
  schema::ColumnWriter column;
  column.put(sums.size());
  std::uint32_t last = 0;
  for (const LabelSums& each : sums) {
    column.put(each.label - last);
    last = each.label;
  }
  put_sums(sums, kOf, &column);
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<LabelSums>> decode_label_sums(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, kMostSumsBytes));
  schema::ColumnReader column(bytes);
  const std::size_t count = column.get_count();
  if (count > bytes.size() / kNumbersOfSums) column.fail();
  std::vector<LabelSums> sums(column.is_ok() ? count : 0);
  std::uint64_t label = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::uint32_t step = column.get_small();
    label += step;
    if ((i > 0 && step == 0) || label > std::numeric_limits<std::uint32_t>::max()) column.fail();
    sums[i].label = static_cast<std::uint32_t>(label);
  }
  get_sums(&sums, kOf, &column);
  if (!column.is_done()) return schema::corrupt_trace("block of sums");
  return sums;
}

std::string encode_label_totals(std::span<const LabelTotals> labels) {
  schema::ColumnWriter column;
  column.put(labels.size());
  put_sums(labels, kOf, &column);
  for (const LabelTotals& label : labels) column.put(label.bins.size());
  for (const LabelTotals& label : labels) {
    std::uint32_t last = 0;
    for (const BinCount& bin : label.bins) {
      column.put(bin.bin - last);
      column.put(bin.count);
      last = bin.bin;
    }
  }
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<LabelTotals>> decode_label_totals(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  const std::size_t count = column.get_count();
  if (count > kLabelsASumsBlock) column.fail();
  std::vector<LabelTotals> labels(column.is_ok() ? count : 0);
  get_sums(&labels, kOf, &column);
  for (LabelTotals& label : labels) {
    const std::uint64_t bins = column.get();
    if (bins > kTraceBins) column.fail();
    label.bins.resize(column.is_ok() ? bins : 0);
  }
  for (LabelTotals& label : labels) {
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < label.bins.size(); ++i) {
      const std::uint32_t step = column.get_small();
      last += step;
      if ((i > 0 && step == 0) || last >= kTraceBins) column.fail();
      label.bins[i] = {static_cast<std::uint32_t>(last), column.get()};
    }
  }
  if (!column.is_done()) return schema::corrupt_trace("block of sums");
  return labels;
}

std::string encode_extents(std::span<const ChunkExtent> extents) {
  schema::ColumnWriter column;
  column.put(extents.size());
  std::int64_t last = 0;
  for (const ChunkExtent& extent : extents) {
    column.put_signed(schema::wrapping_difference(extent.begin, last));
    column.put(schema::distance(extent.begin, extent.end));
    last = extent.end;
  }
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<ChunkExtent>> decode_extents(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, kMostSumsBytes));
  schema::ColumnReader column(bytes);
  std::vector<ChunkExtent> extents(column.get_count());
  std::int64_t last = 0;
  for (ChunkExtent& extent : extents) {
    extent.begin = schema::wrapping_sum(last, column.get_signed());
    const std::uint64_t length = column.get();
    if (length > schema::distance(extent.begin, static_cast<std::int64_t>(kMost))) column.fail();
    extent.end = schema::wrapping_sum(extent.begin, static_cast<std::int64_t>(length));
    last = extent.end;
  }
  if (!column.is_done()) return schema::corrupt_trace("list of chunks");
  return extents;
}

std::string encode_lengths(std::span<const std::int64_t> lengths) {
  schema::ColumnWriter column;
  column.put(lengths.size());
  for (const std::int64_t length : lengths) put_length(length, &column);
  return schema::compress(column.bytes());
}

schema::Expected<std::vector<std::int64_t>> decode_lengths(std::string_view block) {
  BENCHHUD_ASSIGN(const std::string bytes, schema::decompress(block, schema::kMostColumnBytes));
  schema::ColumnReader column(bytes);
  const std::size_t count = column.get_count();
  if (count > kMostSlicesAChunk) column.fail();
  std::vector<std::int64_t> lengths(column.is_ok() ? count : 0);
  for (std::int64_t& length : lengths) length = get_length(&column);
  if (!column.is_done()) return schema::corrupt_trace("list of lengths");
  return lengths;
}

std::string encode_ascending(std::span<const std::uint64_t> numbers) {
  schema::ColumnWriter column;
  column.put(numbers.size());
  std::uint64_t last = 0;
  for (const std::uint64_t number : numbers) {
    column.put(number - last);
    last = number;
  }
  return column.bytes();
}

schema::Expected<std::vector<std::uint64_t>> decode_ascending(std::string_view block) {
  schema::ColumnReader column(block);
  std::vector<std::uint64_t> numbers(column.get_count());
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t step = column.get();
    if ((i > 0 && step == 0) || step > kMost - last) column.fail();
    last += column.is_ok() ? step : 0;
    numbers[i] = last;
  }
  if (!column.is_done()) return schema::corrupt_trace("list of numbers");
  return numbers;
}

}  // namespace benchhud::trace
