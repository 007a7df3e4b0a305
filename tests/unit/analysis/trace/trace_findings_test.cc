#include "analysis/trace/trace_findings.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/analysis/trace_builder.h"

namespace benchhud::analysis {
namespace {

// A finding as it is shown.
struct Shown {
  std::int64_t begin = 0, end = 0;
  std::uint32_t thread = 0;
  std::string words;
};

std::vector<Shown> shown(const trace::Trace& trace, const trace::PackedFindings& kind) {
  std::vector<Shown> all;
  const auto name = [&](std::uint32_t label) { return trace.texts[trace.labels[label].name]; };
  for (const std::string& block : kind.blocks) {
    const auto findings = trace::decode_findings(block);
    EXPECT_TRUE(findings) << findings.error().message;
    for (const trace::TraceFinding& each : *findings) {
      all.push_back({each.begin, each.end, each.thread,
                     finding_words(kind.kind, each, name(each.label), name(each.other))});
    }
  }
  EXPECT_EQ(kind.count, static_cast<std::int64_t>(all.size()));
  return all;
}

std::map<std::string, std::vector<Shown>> by_kind(const TraceBuilder& builder) {
  std::map<std::string, std::vector<Shown>> kinds;
  for (const trace::PackedFindings& kind : trace_findings(NestedTrace(builder).context)) {
    kinds[kind.kind] = shown(builder.trace(), kind);
  }
  return kinds;
}

TEST(TraceFindings, GraphBreaksAndRecompilations) {
  TraceBuilder trace;
  trace.op("Torch-Compiled Region: 0/0", 0, 100);
  trace.op("Torch-Compiled Region: 1/0", 20, 60);
  trace.op("Torch-Compiled Region: 0/1", 200, 300);
  trace.op("Torch-Compiled Region: 0/1", 400, 500);
  const auto kinds = by_kind(trace);
  ASSERT_EQ(kinds.at("graph_break").size(), 1u);
  const Shown& graph_break = kinds.at("graph_break")[0];
  EXPECT_EQ(graph_break.begin, 20);
  EXPECT_EQ(graph_break.end, 60);
  EXPECT_EQ(graph_break.words, "Torch-Compiled Region: 1/0 within Torch-Compiled Region: 0/0");
  ASSERT_EQ(kinds.at("recompile").size(), 1u) << "only where it runs first";
  EXPECT_EQ(kinds.at("recompile")[0].begin, 200);
  EXPECT_EQ(kinds.at("recompile")[0].words,
            "frame 0 runs as 0/1, its version number 2 in this trace");
}

TEST(TraceFindings, GapsDelaysAndWaits) {
  TraceBuilder trace;
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 0, 10, 1);
  trace.add("kernel", "first", 1, 20, 1'000, 1);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 60'000, 60'010, 2);
  trace.add("kernel", "second", 1, 60'020, 61'000, 2);
  trace.add("cuda_runtime", "cudaLaunchKernel", 0, 60'020, 60'030, 3);
  trace.add("kernel", "third", 1, 300'000, 301'000, 3);
  trace.add("kernel", "soon", 1, 301'500, 302'000, 4);
  trace.add("cuda_runtime", "cudaDeviceSynchronize", 0, 310'000, 320'000, 5);
  trace.add("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 1, 302'500, 303'000, 6);
  const auto kinds = by_kind(trace);
  ASSERT_EQ(kinds.at("idle_host_wait").size(), 1u);
  EXPECT_EQ(kinds.at("idle_host_wait")[0].begin, 1'000);
  EXPECT_EQ(kinds.at("idle_host_wait")[0].end, 60'020);
  EXPECT_EQ(kinds.at("idle_host_wait")[0].thread, 1u);
  EXPECT_EQ(kinds.at("idle_host_wait")[0].words, "idle: the host launched second only then");
  ASSERT_EQ(kinds.at("idle_other").size(), 1u);
  EXPECT_EQ(kinds.at("idle_other")[0].begin, 61'000);
  EXPECT_EQ(kinds.at("idle_other")[0].end, 300'000);
  EXPECT_EQ(kinds.at("idle_other")[0].words, "idle before third");
  ASSERT_EQ(kinds.at("long_launch_delay").size(), 1u);
  EXPECT_EQ(kinds.at("long_launch_delay")[0].begin, 60'030);
  EXPECT_EQ(kinds.at("long_launch_delay")[0].end, 300'000);
  EXPECT_EQ(kinds.at("long_launch_delay")[0].words,
            "third begins this long after cudaLaunchKernel");
  EXPECT_EQ(kinds.at("synchronization").size(), 1u);
  ASSERT_EQ(kinds.at("pageable_copy").size(), 1u);
  EXPECT_EQ(kinds.at("pageable_copy")[0].words, "Memcpy HtoD (Pageable -> Device)");
}

TEST(TraceFindings, GapBeforeSliceWithoutLaunch) {
  TraceBuilder trace;
  trace.add("kernel", "first", 1, 0, 1'000);
  trace.add("kernel", "second", 1, 50'000, 51'000);
  const auto kinds = by_kind(trace);
  ASSERT_EQ(kinds.at("idle_other").size(), 1u);
  EXPECT_EQ(kinds.at("idle_other")[0].words, "idle before second, whose launch is not known");
}

TEST(TraceFindings, StepsAndCompilation) {
  TraceBuilder trace;
  trace.add("user_annotation", "ProfilerStep#3", 0, 0, 1'000);
  trace.add("user_annotation", "_compile.compile_inner (dynamo_timed)", 0, 10, 500);
  trace.add("user_annotation", "backend_compile (dynamo_timed)", 0, 20, 400);
  const auto kinds = by_kind(trace);
  EXPECT_EQ(kinds.at("step").size(), 1u);
  ASSERT_EQ(kinds.at("compiling").size(), 1u) << "the outermost phase";
  EXPECT_EQ(kinds.at("compiling")[0].words, "_compile.compile_inner");
}

TEST(TraceFindings, FullQueues) {
  TraceBuilder trace;
  for (std::int64_t i = 0; i < 3'000; ++i) {
    trace.add("cuda_runtime", "cudaLaunchKernel", 0, 10 * i, 10 * i + 5, i);
    trace.add("kernel", "slow", 1, 100'000 + 100 * i, 100'000 + 100 * i + 100, i);
  }
  const auto kinds = by_kind(trace);
  ASSERT_EQ(kinds.at("queue_full").size(), 1u);
  const Shown& full = kinds.at("queue_full")[0];
  EXPECT_NEAR(static_cast<double>(full.begin), 10'240, 2'100) << "one of 200 parts of 400 us";
  EXPECT_NEAR(static_cast<double>(full.end), 100'000 + 100 * (3'000 - 1'024), 2'100);
}

TEST(TraceFindings, FullQueuesOfAllStreams) {
  TraceBuilder trace;
  constexpr std::int64_t kStreams = 20, kLaunches = 1'100;
  trace.trace().threads.resize(1 + kStreams);
  for (std::int64_t i = 0; i < kStreams * kLaunches; ++i) {
    const auto stream = static_cast<std::uint32_t>(1 + i % kStreams);
    trace.add("cuda_runtime", "cudaLaunchKernel", 0, 10 * i, 10 * i + 5, i);
    trace.add("kernel", "slow", stream, 1'000'000 + 100 * i, 1'000'000 + 100 * i + 100, i);
  }
  std::set<std::uint32_t> streams;
  const auto kinds = by_kind(trace);
  for (const Shown& full : kinds.at("queue_full")) streams.insert(full.thread);
  EXPECT_EQ(streams.size(), static_cast<std::size_t>(kStreams));
}

TEST(TraceFindings, AllOfAKindAreKeptTheLongestFirst) {
  TraceBuilder trace;
  constexpr std::int64_t kCount = 2 * static_cast<std::int64_t>(trace::kFindingsABlock) + 7;
  for (std::int64_t i = 0; i < kCount; ++i) {
    // Every length twice.
    trace.add("cuda_runtime", "cudaStreamSynchronize", 0, 10'000 * i, 10'000 * i + 1 + i / 2);
  }
  const auto found = trace_findings(NestedTrace(trace).context);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "synchronization");
  EXPECT_EQ(found[0].count, kCount);
  EXPECT_EQ(found[0].blocks.size(), 3u);
  const std::vector<Shown> all = shown(trace.trace(), found[0]);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(all.front().begin, 10'000 * (kCount - 1));
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::int64_t before = all[i - 1].end - all[i - 1].begin, now = all[i].end - all[i].begin;
    ASSERT_TRUE(before > now || (before == now && all[i - 1].begin < all[i].begin)) << i;
  }
  EXPECT_EQ(all[static_cast<std::size_t>(found[0].earliest)].begin, 0);
}

}  // namespace
}  // namespace benchhud::analysis
