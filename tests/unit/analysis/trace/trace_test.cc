// Nesting, compiled regions, device activity and flows, on traces made by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/profiles/profile_diff.h"
#include "analysis/trace/compiled_regions.h"
#include "analysis/trace/device_activity.h"
#include "analysis/trace/trace_flows.h"
#include "tests/unit/analysis/trace_builder.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using trace::kNoSlice;
using trace::nest;
using trace::TraceFlow;
using trace::TraceNesting;

DeviceActivity activity_of(const TraceBuilder& builder) {
  return device_activity(NestedTrace(builder).context);
}

TEST(TraceNesting, ParentsAndDepths) {
  TraceBuilder builder;
  const auto inner = builder.add("", "inner", 0, 2, 3);  // the file's order does not matter
  const auto outer = builder.add("", "outer", 0, 1, 9);
  const auto second = builder.add("", "second", 0, 3, 9);
  const auto equal = builder.add("", "equal", 0, 3, 9);
  const auto after = builder.add("", "after", 0, 9, 12);
  const auto instant = builder.add("", "instant", 0, 12, 12);
  const auto other = builder.add("", "other", 1, 2, 20);
  const TraceNesting nesting = nest(builder.trace());
  EXPECT_EQ(nesting.parent[inner], outer);
  EXPECT_EQ(nesting.parent[second], outer);
  EXPECT_EQ(nesting.parent[equal], second);
  EXPECT_EQ(nesting.depth[equal], 3u);
  for (const auto alone : {outer, after, instant, other}) {
    EXPECT_EQ(nesting.parent[alone], kNoSlice);
    EXPECT_EQ(nesting.depth[alone], 1u);
  }
  EXPECT_EQ(nesting.max_depth, 3u);
  EXPECT_EQ(nesting.overlaps, 0);
}

TEST(TraceNesting, WhatOverlapsGetsRowsOfItsOwn) {
  TraceBuilder builder;
  const auto a = builder.add("", "a", 0, 0, 10);
  const auto b = builder.add("", "b", 0, 5, 15);   // overlaps a
  const auto c = builder.add("", "c", 0, 6, 8);    // within both: a is tried first
  const auto d = builder.add("", "d", 0, 7, 20);   // overlaps all
  const auto e = builder.add("", "e", 0, 11, 14);  // a is over
  const TraceNesting nesting = nest(builder.trace());
  EXPECT_EQ(nesting.overlaps, 2);
  EXPECT_EQ(nesting.parent[a], kNoSlice);
  EXPECT_EQ(nesting.parent[b], kNoSlice);
  EXPECT_EQ(nesting.parent[c], a);
  EXPECT_EQ(nesting.parent[d], kNoSlice);
  EXPECT_EQ(nesting.parent[e], kNoSlice);
}

TEST(TraceNesting, ManyOverlapsTakeLinearTime) {
  TraceBuilder builder;
  for (int i = 0; i < 200'000; ++i) builder.add("", "a", 0, i, 1'000'000 + i);
  EXPECT_EQ(nest(builder.trace()).overlaps, 199'999);
}

TEST(CompiledRegions, GraphBreaksAndRecompilations) {
  TraceBuilder builder;
  const auto region = [&](const char* id, std::int64_t start, std::int64_t end) {
    builder.add("cpu_op", std::string("Torch-Compiled Region: ") + id, 0, start, end);
  };
  region("0/0", 0, 100);
  region("1/0", 10, 50);
  builder.add("cpu_op", "between", 0, 12, 45);
  region("2/0", 20, 30);
  region("2/1", 60, 70);
  region("0/1", 100, 110);
  region("0/0", 200, 210);
  builder.add("gpu_user_annotation", "Torch-Compiled Region: 0/0", 1, 0, 100);
  builder.add("cpu_op", "Torch-Compiled Region: 9/0", 2, 20, 30);  // of another thread
  const CompiledRegions found = compiled_regions(builder.trace(), nest(builder.trace()));
  EXPECT_EQ(found.count, 7);
  EXPECT_THAT(found.by_depth, ElementsAre(Pair(0, 4), Pair(1, 2), Pair(2, 1)));
  EXPECT_EQ(found.by_frame.at("0/0"), 2);
  EXPECT_EQ(found.graph_breaks, 3);
  EXPECT_EQ(found.graph_breaks_distinct, 2);
  EXPECT_EQ(found.recompiles, 2);
}

TEST(CompiledRegions, WithoutIdsOnlyExecutionsAreKnown) {
  TraceBuilder builder;
  builder.add("cpu_op", "Torch-Compiled Region", 0, 0, 100);
  builder.add("cpu_op", "Torch-Compiled Region", 0, 10, 20);
  const CompiledRegions found = compiled_regions(builder.trace(), nest(builder.trace()));
  EXPECT_EQ(found.graph_breaks, 1);
  EXPECT_THAT(found.by_frame, IsEmpty());
  EXPECT_EQ(found.graph_breaks_distinct, std::nullopt);
  EXPECT_EQ(found.recompiles, std::nullopt);
}

TEST(CompiledFunctions, PairsHaveOneSequenceNumber) {
  TraceBuilder builder;
  builder.add("cpu_op", "CompiledFunction", 0, 0, 1, 5);
  builder.add("cpu_op", "CompiledFunction", 0, 2, 3, 6);
  builder.add("cpu_op", "CompiledFunction", 0, 4, 5);
  builder.add("cpu_op", "CompiledFunctionBackward", 1, 6, 7, 5);
  builder.add("cpu_op", "autograd::engine::evaluate_function: CompiledFunctionBackward", 1, 6, 7,
              6);
  const CompiledFunctions found = compiled_functions(builder.trace());
  EXPECT_EQ(found.forward, 3);
  EXPECT_EQ(found.backward, 1);
  EXPECT_EQ(found.paired, 1);
}

TEST(DeviceActivity, BusyIsTheUnionAndWaitsHaveCauses) {
  TraceBuilder builder;
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 0, 5, 1);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 6, 8, 2);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 200'000, 200'010, 3);
  builder.add("cuda_runtime", "cudaMemcpyAsync", 0, 7, 8, 4);
  builder.add("kernel", "void k<float>(x)", 1, 10, 100, 1);
  builder.add("kernel", "void k<float>(x)", 1, 150, 160, 2);  // 50 ns: from kernel to kernel
  builder.add("kernel", "void k<float>(x)", 1, 200'020, 200'120, 3);  // launched too late
  builder.add("gpu_memcpy", "Memcpy HtoD", 2, 50, 120, 4);            // another stream, overlapping
  builder.add("gpu_memcpy", "Memcpy HtoD", 2, 100'120, 100'220);      // nobody knows why
  builder.add("user_annotation", "ProfilerStep#1", 0, 0, 1000);
  builder.add("gpu_user_annotation", "ProfilerStep#1", 1, 0, 999'999);
  const DeviceActivity found = activity_of(builder);
  EXPECT_EQ(found.kernels, 3);
  EXPECT_EQ(found.busy, 110 + 10 + 100 + 100);
  EXPECT_EQ(found.span, 200'120 - 10);
  EXPECT_DOUBLE_EQ(*found.utilization, 320.0 / 200'110);
  EXPECT_DOUBLE_EQ(*found.utilization_of_steps, 120.0 / 1000);
  EXPECT_EQ(found.kernel_wait, 50);
  EXPECT_EQ(found.host_wait, 200'020 - 160);
  EXPECT_EQ(found.other_wait, 0);
  EXPECT_EQ(found.unknown_wait, 100'000) << "nobody knows when it was launched";
  EXPECT_THAT(found.launches, ElementsAre(Pair("cudaLaunchKernel", 3), Pair("cudaMemcpyAsync", 1)));
  ASSERT_TRUE(found.launch_delay);
  EXPECT_EQ(found.launch_delay->most, 142);
  EXPECT_EQ(found.launch_delay->p50, 42);  // of 5, 10, 42, 142: the one at 4 / 2
}

TEST(DeviceActivity, KindsOfKernels) {
  TraceBuilder builder;
  builder.add("cpu_op", "triton_poi_fused_add_0", 0, 90, 120);
  builder.add("cuda_driver", "cuLaunchKernel", 0, 100, 110, 1);
  builder.add("cuda_driver", "cuLaunchKernel", 0, 200, 210, 2);
  builder.add("cuda_driver", "cuLaunchKernelEx", 0, 300, 310, 3);
  builder.add("cuda_runtime", "cudaGraphLaunch", 0, 400, 410, 4);
  builder.add("kernel", "fused_add_kernel", 1, 500, 510, 1);     // within triton_…
  builder.add("kernel", "my_kernel", 1, 510, 520, 2);            // a driver call of its own
  builder.add("kernel", "cutlass_80_tensorop", 1, 520, 530, 3);  // a library, launched alike
  builder.add("kernel", "triton_red_fused_1", 1, 530, 540, 4);   // out of a graph
  builder.add("kernel", "plain_name", 1, 540, 550, 4);           // out of the same graph
  builder.add("kernel", "ncclDevKernel_AllReduce", 1, 550, 560, 4);
  builder.add("kernel", "void f<int>()", 1, 560, 570, 2);
  builder.add("gpu_memset", "Memset", 1, 570, 580, 9);
  const auto kinds = activity_of(builder).kinds;
  using Kind = DeviceSlice::Kind;
  EXPECT_THAT(kinds, ElementsAre(Pair(Kind::kInductorTriton, 2), Pair(Kind::kUserTriton, 1),
                                 Pair(Kind::kGemm, 1), Pair(Kind::kCommunication, 1),
                                 Pair(Kind::kOther, 2), Pair(Kind::kMemset, 1)));
}

TEST(DeviceActivity, SeveralDevicesAreBusyForDifferentTimes) {
  TraceBuilder builder;
  builder.trace().threads[1].pid = "1";
  builder.trace().threads[2].pid = builder.trace().threads[3].pid = "2";
  builder.add("kernel", "a", 1, 0, 100);
  builder.add("kernel", "b", 2, 50, 80);
  builder.add("kernel", "c", 3, 60, 90);
  const DeviceActivity found = activity_of(builder);
  EXPECT_EQ(found.busy, 100) << "at least one was";
  EXPECT_EQ(found.devices, 2);
  EXPECT_EQ(found.least_busy, 40);
  EXPECT_EQ(found.most_busy, 100);
}

TEST(DeviceActivity, NothingOnADevice) {
  TraceBuilder builder;
  builder.add("cpu_op", "aten::add", 0, 0, 1);
  const DeviceActivity found = activity_of(builder);
  EXPECT_EQ(found.utilization, std::nullopt);
  EXPECT_EQ(found.launch_delay, std::nullopt);
  EXPECT_EQ(found.busy, 0);
}

TEST(ProfileDiff, RanksByPartInTheChange) {
  const ProfileDifference found = diff_profiles(
      {{"a", 10, 1}, {"same", 5, 2}, {"gone", 3, 1}, {"calls only", 1, 1}, {"a", 10, 1}},
      {{"a", 50, 2}, {"same", 5, 2}, {"new", 7, 4}, {"calls only", 1, 9}}, 40, 80);
  ASSERT_EQ(found.changes.size(), 4u);
  EXPECT_EQ(found.changes[0].name, "a");
  EXPECT_EQ(found.changes[0].before, 20);
  EXPECT_EQ(found.changes[0].calls_before, 2);
  EXPECT_DOUBLE_EQ(*found.changes[0].share, 0.75);
  EXPECT_EQ(found.changes[1].name, "new");
  EXPECT_EQ(found.changes[1].kind, ProfileChange::Kind::kAppeared);
  EXPECT_EQ(found.changes[2].name, "gone");
  EXPECT_EQ(found.changes[2].kind, ProfileChange::Kind::kGone);
  EXPECT_EQ(found.changes[3].name, "calls only");
  // 40 in all, of which 30 + 7 − 3 are accounted for.
  EXPECT_EQ(found.unexplained, 6);
  double shares = found.unexplained / 40;
  for (const ProfileChange& change : found.changes) shares += *change.share;
  EXPECT_DOUBLE_EQ(shares, 1);
}

TEST(ProfileDiff, EqualProfiles) {
  const ProfileDifference found = diff_profiles({{"a", 1, 1}}, {{"a", 1, 1}});
  EXPECT_THAT(found.changes, IsEmpty());
  EXPECT_EQ(found.unexplained, 0);
  EXPECT_EQ(diff_profiles({{"a", 1, 1}}, {{"a", 1, 2}}).changes[0].share, std::nullopt);
}

TEST(SelfTimes, AreWithoutWhatLiesWithin) {
  TraceBuilder builder;
  builder.add("cpu_op", "outer", 0, 0, 100);
  builder.add("cpu_op", "inner", 0, 10, 40);
  builder.add("cpu_op", "inner", 0, 50, 60);
  builder.add("kernel", "k", 1, 0, 30);
  builder.add("gpu_user_annotation", "outer", 1, 0, 100);
  builder.add("Trace", "PyTorch Profiler (0)", 2, 0, 1000);
  const TraceNesting nesting = nest(builder.trace());
  std::map<std::string, std::pair<double, double>> host, device;
  const SelfTimes times = self_times(builder.trace(), nesting);
  for (const auto& item : times.host) {
    host[item.name] = {item.amount, item.calls};
  }
  for (const auto& item : times.device) {
    device[item.name] = {item.amount, item.calls};
  }
  EXPECT_THAT(host, ElementsAre(Pair("inner", Pair(40, 2)), Pair("outer", Pair(60, 1))));
  EXPECT_THAT(device, ElementsAre(Pair("k", Pair(30, 1))));
}

TEST(TraceFlows, EndsFindTheirStarts) {
  TraceBuilder builder;
  builder.flow(TraceFlow::Step::kEnd, 1);  // the start comes later in the file
  builder.flow(TraceFlow::Step::kStart, 1);
  builder.flow(TraceFlow::Step::kEnd, 1);
  builder.flow(TraceFlow::Step::kStep, 1);
  builder.flow(TraceFlow::Step::kEnd, 2);
  builder.flow(TraceFlow::Step::kStart, 3);
  const FlowCounts counts = count_flows(builder.trace());
  EXPECT_EQ(counts.bound, 3) << "two ends and the step between";
  EXPECT_EQ(counts.dangling, 1);
}

}  // namespace
}  // namespace benchhud::analysis
