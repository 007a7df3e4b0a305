// The arguments of an event in memory are words of 32 bits; their number is the head's place:
//   head: bits 0-1 correlation, 2-3 external id, 4-5 sequence, 6-7 number of the packed arguments,
//     each the number of words that it takes: 0 (absent), 1, or 2; bits 8-31 the origin,
//     or 0xffffff where that has a word of its own
//   the words of these four numbers, in this order; of two the lower half first
//   the origin, where it has a word of its own
#include "trace/trace_args_table.h"

#include "schema/base/check.h"
#include "trace/trace_limits.h"

namespace benchhud::trace {
namespace {

// A number has two bits in the first word, and none, one or two words behind it.
enum Width : std::uint32_t { kNone, kNarrow, kWide };

constexpr std::uint32_t kNarrowMost = 0xffffffff;
constexpr int kOriginShift = 8;
// What the upper three bytes of the first word hold where the origin has a word of its own.
constexpr std::uint32_t kOriginApart = 0xffffff;

Width width_of(std::uint64_t number, std::uint64_t absent) {
  if (number == absent) return kNone;
  return number <= kNarrowMost ? kNarrow : kWide;
}

}  // namespace

std::uint32_t TraceArgsTable::put(const TraceArgs& args) {
  BENCHHUD_CHECK(words_.size() < kMostTraceArgsWords);
  const std::size_t at = words_.size();
  words_.push_back(0);
  std::uint32_t head = 0;
  int shift = 0;
  const auto put = [&](std::uint64_t number, std::uint64_t absent) {
    const Width width = width_of(number, absent);
    head |= width << shift;
    shift += 2;
    if (width == kNone) return;
    words_.push_back(static_cast<std::uint32_t>(number));
    if (width == kWide) words_.push_back(static_cast<std::uint32_t>(number >> 32));
  };
  constexpr auto kAbsent = static_cast<std::uint64_t>(TraceArgs::kAbsent);
  put(static_cast<std::uint64_t>(args.correlation), kAbsent);
  put(static_cast<std::uint64_t>(args.external_id), kAbsent);
  put(static_cast<std::uint64_t>(args.sequence), kAbsent);
  put(args.packed, TraceArgs::kNotKept);
  if (args.origin < kOriginApart) {
    head |= args.origin << kOriginShift;
  } else {
    head |= kOriginApart << kOriginShift;
    words_.push_back(args.origin);
  }
  words_[at] = head;
  return static_cast<std::uint32_t>(at);
}

TraceArgs TraceArgsTable::operator[](std::uint32_t number) const {
  BENCHHUD_CHECK(number < words_.size());
  std::size_t at = number;
  std::uint32_t head = words_[at++];
  const auto take = [&](std::uint64_t absent) {
    const std::uint32_t width = head & 3;
    head >>= 2;
    if (width == kNone) return absent;
    std::uint64_t value = words_[at++];
    if (width == kWide) value |= std::uint64_t{words_[at++]} << 32;
    return value;
  };
  constexpr auto kAbsent = static_cast<std::uint64_t>(TraceArgs::kAbsent);
  TraceArgs args;
  args.correlation = static_cast<std::int64_t>(take(kAbsent));
  args.external_id = static_cast<std::int64_t>(take(kAbsent));
  args.sequence = static_cast<std::int64_t>(take(kAbsent));
  args.packed = take(TraceArgs::kNotKept);
  args.origin = head == kOriginApart ? words_[at] : head;
  return args;
}

}  // namespace benchhud::trace
