#include "made_up_trace.h"

#include <fmt/format.h>

#include <string>

#include "random.h"
#include "schema/base/content_hash.h"
#include "trace/trace_args.h"

namespace benchhud::bench {

namespace {

using schema::Expected;
using trace::ChunkSlice;
using trace::SliceExtra;
using trace::Trace;
using trace::TraceSliceWriter;

constexpr std::uint32_t kThreads = kMadeUpThreads - 1;
constexpr std::uint32_t kDepth = 6;
// How many slices lie right within one, by depth, and how many slices a step has so.
constexpr std::uint32_t kChildren[kDepth] = {8, 4, 3, 2, 1, 0};
constexpr std::uint64_t kSlicesAStep = 1 + 8 + 32 + 96 + 192 + 192;
constexpr std::uint64_t kKernelsAStep = 1500;
constexpr std::int64_t kPause = 2'000'000;  // ns, between steps
constexpr std::uint32_t kNames = 1000;
constexpr std::uint64_t kKernelsAnArrow = 10;
constexpr std::uint64_t kKernelsACount = 50;

// One row of a thread: the tree of every step is grown anew for each, from the same seeds.
class Row {
 public:
  // `first_args`: as write_kernels() wants it.
  Row(TraceSliceWriter* writer, std::uint32_t thread, std::uint32_t row, std::uint64_t first_args)
      : writer_(*writer), thread_(thread), row_(row), next_(first_args) {}

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
  std::uint64_t next_;
};

struct Kernel {
  std::uint64_t number;
  std::uint32_t name;
  std::int64_t begin, duration;
  std::uint64_t bits;
};

// The same ones every time: arrows lead to them before they are written.
template <class Visit>
Expected<void> for_each_kernel(std::uint64_t steps, Visit visit) {
  Random random(7, 1);
  std::int64_t time = 1'000'000;
  std::uint64_t number = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::uint64_t i = 0; i < kKernelsAStep; ++i) {
      const std::uint64_t bits = random.bits();
      // Kernels of one name take about as long.
      const auto name = static_cast<std::uint32_t>(i * 7919 % 400);
      const auto duration = static_cast<std::int64_t>(1'000 + name * 30 + bits % 500);
      BENCHHUD_TRY(visit(Kernel{number, name, time, duration, bits}));
      time += duration + static_cast<std::int64_t>(500 + bits / 1500 % 2500);
      ++number;
    }
    time += kPause;
  }
  return {};
}

// `first_args`: slices' arguments are numbered behind those that are kept, which leads nowhere.
Expected<void> write_kernels(TraceSliceWriter* writer, std::uint64_t steps,
                             std::uint64_t first_args) {
  return for_each_kernel(steps, [&](const Kernel& kernel) {
    SliceExtra extra;
    extra.args.packed = first_args + kernel.number * 3 + kernel.bits / 500 % 3;
    extra.args.correlation = static_cast<std::int64_t>(kernel.number);
    extra.args.external_id = static_cast<std::int64_t>(kernel.number / 2);
    return writer->add(kThreads, {kernel.begin, kernel.duration, 1 + kernel.name, 0}, extra);
  });
}

// An arrow to every tenth kernel from what a thread of the host did before, and of every fiftieth
// what memory there was then, as two counters.
Expected<void> put_arrows_and_counters(Trace* trace, trace::PackedArgs* args, std::uint64_t steps) {
  const std::uint32_t category = trace->texts.put("ac2g");
  const std::uint32_t memory =
      trace->put_label({trace->texts.put("memory"), trace->texts.put("counter")});
  return for_each_kernel(steps, [&](const Kernel& kernel) -> Expected<void> {
    if (kernel.number % kKernelsAnArrow == 0) {
      constexpr std::int64_t kDelay = 20'000;  // ns, from the launch to the kernel
      const auto host = static_cast<std::uint32_t>(kernel.number / kKernelsAnArrow % kThreads);
      trace->flows.push_back({.time = kernel.begin - kDelay,
                              .key = kernel.number,
                              .category = category,
                              .thread = host,
                              .step = trace::TraceFlow::Step::kStart});
      trace->flows.push_back({.time = kernel.begin,
                              .key = kernel.number,
                              .category = category,
                              .thread = kThreads,
                              .step = trace::TraceFlow::Step::kEnd});
    }
    if (kernel.number % kKernelsACount == 0) {
      trace::TraceArgs counted;
      counted.packed = args->put(fmt::format("{{\"allocated\": {}, \"reserved\": {}}}",
                                             kernel.bits % 1'000'000'000,
                                             kernel.bits / 1'000'000'000 % 7 << 30));
      trace::TracePoint point;
      point.time = kernel.begin;
      point.label = memory;
      point.thread = 0;
      point.args = trace->args.put(counted);
      point.phase = 'C';
      trace->points.push_back(point);
    }
    return {};
  });
}

}  // namespace

Expected<schema::TraceId> write_made_up_trace(schema::Connection& connection, std::uint64_t events,
                                              MadeUpEvents which) {
  const bool has_all = which == MadeUpEvents::kAll;
  // Two ends of an arrow for every tenth kernel and a count for every fiftieth are events, too.
  const std::uint64_t slices = has_all ? events * 100 / 111 : events;
  const std::uint64_t steps = slices / 2 / kThreads / kSlicesAStep + 1;
  const std::uint64_t kernel_steps = slices / 2 / kKernelsAStep + 1;
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
  trace::PackedArgs args;
  if (has_all) BENCHHUD_TRY(put_arrows_and_counters(&trace, &args, kernel_steps));
  trace.flow_events = static_cast<std::int64_t>(trace.flows.size());
  trace.events =
      static_cast<std::int64_t>(trace.flows.size() + trace.points.size() +
                                kThreads * kSlicesAStep * steps + kKernelsAStep * kernel_steps);
  const std::uint64_t first_args = trace.points.size();
  const auto feed = [&](TraceSliceWriter& writer) -> Expected<void> {
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      for (std::uint32_t row = 0; row < kDepth; ++row) {
        BENCHHUD_TRY(Row(&writer, thread, row, first_args).write(steps));
      }
    }
    return write_kernels(&writer, kernel_steps, first_args);
  };
  const auto content =
      schema::content_hash(fmt::format("made up, {}{}", events, has_all ? ", all" : ""));
  const auto nesting = trace::nest(trace, trace::NestingRows::kYes);
  return trace::put_trace(connection, trace, nesting, has_all ? &args : nullptr, content, 0, feed);
}

}  // namespace benchhud::bench
