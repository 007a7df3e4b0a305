#include "made_up_trace.h"

#include <fmt/format.h>

#include <string>

#include "random.h"
#include "schema/content_hash.h"

namespace benchhud::bench {

namespace {

using schema::ChunkSlice;
using schema::Expected;
using schema::SliceExtra;
using schema::Trace;
using schema::TraceSliceWriter;

constexpr std::uint32_t kThreads = kMadeUpThreads - 1;
constexpr std::uint32_t kDepth = 6;
// How many slices lie right within one, by depth, and how many slices a step has so.
constexpr std::uint32_t kChildren[kDepth] = {8, 4, 3, 2, 1, 0};
constexpr std::uint64_t kSlicesAStep = 1 + 8 + 32 + 96 + 192 + 192;
constexpr std::uint64_t kKernelsAStep = 1500;
constexpr std::int64_t kPause = 2'000'000;  // ns, between steps
constexpr std::uint32_t kNames = 1000;

// One row of a thread: the tree of every step is grown anew for each, from the same seeds.
class Row {
 public:
  Row(TraceSliceWriter* writer, std::uint32_t thread, std::uint32_t row)
      : writer_(*writer), thread_(thread), row_(row) {}

  Expected<void> write(std::uint64_t steps) {
    std::int64_t time = 0;
    for (std::uint64_t step = 0; step < steps; ++step) {
      std::uint64_t seed = step * kThreads + thread_;
      const auto duration = static_cast<std::int64_t>(4'000'000 + split_mix(&seed) % 1'000'000);
      BENCHHUD_TRY(grow(time, duration, 0, 0, seed));
      time += duration + kPause;
    }
    return {};
  }

 private:
  // `place`: where in the tree it is, which makes its name.
  Expected<void> grow(std::int64_t begin, std::int64_t duration, std::uint32_t depth,
                      std::uint64_t place, std::uint64_t seed) {
    if (depth == row_) {
      SliceExtra extra;
      extra.args.packed = next_ += 1 + seed % 7;
      extra.args.external_id = static_cast<std::int64_t>(next_ / 2);
      if (depth + 1 == kDepth) extra.args.correlation = static_cast<std::int64_t>(next_ / 3);
      return writer_.add(
          thread_,
          {begin, duration, 1 + static_cast<std::uint32_t>((place * 31 + depth) % kNames), row_},
          extra);
    }
    const std::uint32_t children = kChildren[depth];
    const std::int64_t share = duration / children;
    for (std::uint32_t i = 0; i < children; ++i) {
      std::uint64_t state = seed ^ (i + 1) * 0x9e3779b97f4a7c15;
      const std::uint64_t bits = split_mix(&state);
      // What lies within takes 60 to 90 percent of its share.
      const std::int64_t inner = share * static_cast<std::int64_t>(600 + bits % 300) / 1000;
      const std::int64_t at = begin + share * i + (share - inner) / 2;
      BENCHHUD_TRY(grow(at, inner, depth + 1, place * 8 + i + 1, state));
    }
    return {};
  }

  TraceSliceWriter& writer_;
  std::uint32_t thread_, row_;
  std::uint64_t next_ = 0;
};

Expected<void> write_kernels(TraceSliceWriter* writer, std::uint64_t steps) {
  Random random(7, 1);
  std::int64_t time = 1'000'000;
  std::uint64_t number = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::uint64_t i = 0; i < kKernelsAStep; ++i) {
      const std::uint64_t bits = random.bits();
      // Kernels of one name take about as long.
      const std::uint64_t name = i * 7919 % 400;
      const auto duration = static_cast<std::int64_t>(1'000 + name * 30 + bits % 500);
      SliceExtra extra;
      extra.args.packed = number * 3 + bits / 500 % 3;
      extra.args.correlation = static_cast<std::int64_t>(number);
      extra.args.external_id = static_cast<std::int64_t>(number / 2);
      BENCHHUD_TRY(
          writer->add(kThreads, {time, duration, 1 + static_cast<std::uint32_t>(name), 0}, extra));
      time += duration + static_cast<std::int64_t>(500 + bits / 1500 % 2500);
      ++number;
    }
    time += kPause;
  }
  return {};
}

}  // namespace

Expected<schema::TraceId> write_made_up_trace(schema::Connection& connection,
                                              std::uint64_t events) {
  Trace trace;
  for (std::uint32_t i = 0; i < kNames; ++i) {
    trace.put_label({trace.texts.put(fmt::format("aten::operation_{}", i)),
                     trace.texts.put(i % 2 ? "cpu_op" : "kernel")});
  }
  for (std::uint32_t i = 0; i < kMadeUpThreads; ++i) {
    auto& thread = trace.threads.emplace_back();
    thread.pid = i < kThreads ? "1" : "0";
    thread.tid = std::to_string(i);
  }
  const auto feed = [&](TraceSliceWriter& writer) -> Expected<void> {
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      for (std::uint32_t row = 0; row < kDepth; ++row) {
        BENCHHUD_TRY(Row(&writer, thread, row).write(events / 2 / kThreads / kSlicesAStep + 1));
      }
    }
    return write_kernels(&writer, events / 2 / kKernelsAStep + 1);
  };
  const auto content = schema::content_hash(fmt::format("made up, {}", events));
  const auto nesting = schema::nest(trace, schema::NestingRows::kYes);
  return schema::put_trace(connection, trace, nesting, nullptr, content, 0, feed);
}

}  // namespace benchhud::bench
