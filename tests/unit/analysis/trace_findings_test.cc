#include "analysis/trace_findings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "trace_builder.h"

namespace benchhud::analysis {
namespace {

using schema::TraceFinding;

std::map<std::string, std::vector<TraceFinding>> by_kind(const schema::TraceFindings& found) {
  std::map<std::string, std::vector<TraceFinding>> kinds;
  for (const TraceFinding& each : found.findings) kinds[each.kind].push_back(each);
  return kinds;
}

TEST(TraceFindings, GraphBreaksAndRecompilations) {
  TraceBuilder trace;
  trace.op("Torch-Compiled Region: 0/0", 0, 100);
  trace.op("Torch-Compiled Region: 1/0", 20, 60);
  trace.op("Torch-Compiled Region: 0/1", 200, 300);
  trace.op("Torch-Compiled Region: 0/1", 400, 500);
  const auto kinds = by_kind(trace_findings(NestedTrace(trace).context));
  ASSERT_EQ(kinds.at("graph_break").size(), 1u);
  const TraceFinding& graph_break = kinds.at("graph_break")[0];
  EXPECT_EQ(graph_break.begin, 20);
  EXPECT_EQ(graph_break.end, 60);
  EXPECT_EQ(graph_break.words, "Torch-Compiled Region: 1/0 within Torch-Compiled Region: 0/0");
  ASSERT_EQ(kinds.at("recompile").size(), 1u) << "only where it runs first";
  EXPECT_EQ(kinds.at("recompile")[0].begin, 200);
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
  const auto kinds = by_kind(trace_findings(NestedTrace(trace).context));
  ASSERT_EQ(kinds.at("idle_host_wait").size(), 1u);
  EXPECT_EQ(kinds.at("idle_host_wait")[0].begin, 1'000);
  EXPECT_EQ(kinds.at("idle_host_wait")[0].end, 60'020);
  EXPECT_EQ(kinds.at("idle_host_wait")[0].thread, 1u);
  ASSERT_EQ(kinds.at("idle_other").size(), 1u);
  EXPECT_EQ(kinds.at("idle_other")[0].end, 300'000);
  ASSERT_EQ(kinds.at("long_launch_delay").size(), 1u);
  EXPECT_EQ(kinds.at("long_launch_delay")[0].begin, 60'030);
  EXPECT_EQ(kinds.at("synchronization").size(), 1u);
  EXPECT_EQ(kinds.at("pageable_copy").size(), 1u);
}

TEST(TraceFindings, StepsAndCompilation) {
  TraceBuilder trace;
  trace.add("user_annotation", "ProfilerStep#3", 0, 0, 1'000);
  trace.add("user_annotation", "_compile.compile_inner (dynamo_timed)", 0, 10, 500);
  trace.add("user_annotation", "backend_compile (dynamo_timed)", 0, 20, 400);
  const auto kinds = by_kind(trace_findings(NestedTrace(trace).context));
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
  const auto kinds = by_kind(trace_findings(NestedTrace(trace).context));
  ASSERT_EQ(kinds.at("queue_full").size(), 1u);
  const TraceFinding& full = kinds.at("queue_full")[0];
  EXPECT_NEAR(static_cast<double>(full.begin), 10'240, 2'100) << "one of 200 parts of 400 us";
  EXPECT_NEAR(static_cast<double>(full.end), 100'000 + 100 * (3'000 - 1'024), 2'100);
}

TEST(TraceFindings, OfAKindTheLongestAreKeptAndAllAreCounted) {
  TraceBuilder trace;
  for (std::int64_t i = 0; i < 1'500; ++i) {
    trace.add("cuda_runtime", "cudaStreamSynchronize", 0, 10'000 * i, 10'000 * i + 1 + i);
  }
  const schema::TraceFindings found = trace_findings(NestedTrace(trace).context);
  ASSERT_EQ(found.findings.size(), kMostFindingsOfAKind);
  EXPECT_EQ(found.findings.front().begin, 10'000 * 500) << "by beginning";
  ASSERT_EQ(found.kinds.size(), 1u);
  EXPECT_EQ(found.kinds[0].count, 1'500);
}

}  // namespace
}  // namespace benchhud::analysis
