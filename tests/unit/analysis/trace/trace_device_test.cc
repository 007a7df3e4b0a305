// What ran on devices and on the host, by name and over time, on traces made by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/trace/copy_bandwidth.h"
#include "analysis/trace/device_breakdown.h"
#include "analysis/trace/kernel_table.h"
#include "analysis/trace/launch_queue.h"
#include "analysis/trace/launch_stats.h"
#include "analysis/trace/operator_table.h"
#include "analysis/trace/step_breakdown.h"
#include "analysis/trace/time_spans.h"
#include "analysis/trace/time_totals.h"
#include "tests/unit/analysis/trace_builder.h"

namespace benchhud::analysis {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using trace::kNoSlice;
using Spans = std::vector<TimeSpan>;

TEST(TimeSpans, UnionsOverlapsAndDifferences) {
  EXPECT_EQ(merged({{5, 9}, {0, 2}, {8, 12}, {2, 3}}), (Spans{{0, 3}, {5, 12}}));
  const Spans a = {{0, 10}, {20, 30}, {40, 50}}, b = {{5, 25}, {28, 29}, {45, 60}};
  EXPECT_EQ(total(a), 30);
  EXPECT_EQ(common_spans(a, b), (Spans{{5, 10}, {20, 25}, {28, 29}, {45, 50}}));
  EXPECT_EQ(common(a, b), 16);
  EXPECT_EQ(without(a, b), (Spans{{0, 5}, {25, 28}, {29, 30}, {40, 45}}));
  EXPECT_EQ(without(a, {}), a);
  EXPECT_THAT(without(a, {{-1, 100}}), IsEmpty());
}

TEST(TimeSpans, AnIndexAnswersForWindows) {
  const SpanIndex index({{0, 10}, {20, 30}});
  EXPECT_EQ(index.covered(-5, 100), 20);
  EXPECT_EQ(index.covered(5, 25), 10);
  EXPECT_EQ(index.covered(12, 18), 0);
  EXPECT_EQ(index.covered(20, 20), 0);
  EXPECT_EQ(SpanIndex({}).covered(0, 10), 0);
}

TEST(TimeTotals, DoNotOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  TimeTotals totals;
  totals.add(kMost);
  totals.add(kMost);
  EXPECT_EQ(totals.total, kMost);
  EXPECT_EQ(totals.count, 2);
  EXPECT_EQ(difference_of(-kMost, kMost), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(difference_of(kMost, -kMost), kMost);
  EXPECT_EQ(sum_of(-kMost, -kMost), std::numeric_limits<std::int64_t>::min());
}

// x has an External id that a kernel bears; y is around its launch; two belong to nobody.
TraceBuilder four_on_a_device() {
  TraceBuilder builder;
  builder.set_external_id(builder.op("x", 0, 20), 7);
  builder.op("y", 30, 60);
  builder.op("inner", 34, 40);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 5, 8, 1);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 41, 44, 2);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 70, 72, 3);
  builder.set_external_id(builder.add("kernel", "void a()", 1, 100, 110, 1), 7);
  builder.add("kernel", "void a()", 1, 110, 140, 2);
  builder.add("kernel", "triton_poi", 1, 140, 180, 3);
  builder.add("gpu_memcpy", "Memcpy HtoD", 1, 180, 200);
  return builder;
}

TEST(KernelTable, ByNameAndByOperator) {
  const TraceBuilder builder = four_on_a_device();
  const NestedTrace nested(builder);
  const auto operators = launching_operators(nested.context);
  EXPECT_THAT(operators, ElementsAre(0, 1, kNoSlice, kNoSlice));
  const KernelTable table = kernel_table(nested.context, operators, 10);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].name, "void a()");
  EXPECT_EQ(table.rows[0].kind, DeviceSlice::Kind::kOther);
  EXPECT_EQ(table.rows[0].time.count, 2);
  EXPECT_EQ(table.rows[0].time.total, 40);
  EXPECT_EQ(table.rows[0].time.least, 10);
  EXPECT_EQ(table.rows[0].time.most, 30);
  EXPECT_DOUBLE_EQ(table.rows[0].time.mean(), 20);
  EXPECT_DOUBLE_EQ(table.rows[0].share, 0.4);
  EXPECT_EQ(table.rows[1].kind, DeviceSlice::Kind::kInductorTriton);
  EXPECT_EQ(table.rows[2].kind, DeviceSlice::Kind::kMemcpy);
  ASSERT_EQ(table.operators.size(), 3u);
  EXPECT_EQ(table.operators[0].name, "");
  EXPECT_DOUBLE_EQ(table.operators[0].share, 0.6);
  EXPECT_EQ(table.operators[1].name, "y");
  EXPECT_EQ(table.operators[2].time.total, 10);
  EXPECT_EQ(table.kernels, 3);
  EXPECT_EQ(table.short_kernels, 3);
}

TEST(KernelTable, IdsThatContradictLaunchesAreNotTrusted) {
  TraceBuilder builder;
  builder.set_external_id(builder.op("x", 0, 20), 8);
  builder.set_external_id(builder.op("y", 30, 60), 7);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 5, 8, 1);
  builder.set_external_id(builder.add("kernel", "void a()", 1, 100, 110, 1), 7);
  builder.set_external_id(builder.add("kernel", "void a()", 1, 110, 120), 8);
  const NestedTrace nested(builder);
  EXPECT_THAT(launching_operators(nested.context), ElementsAre(0, kNoSlice));
}

TEST(KernelTable, WhatIsLeftOutIsCounted) {
  const TraceBuilder builder = four_on_a_device();
  const NestedTrace nested(builder);
  const KernelTable table = kernel_table(nested.context, launching_operators(nested.context), 1);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows_left_out, 2);
  EXPECT_EQ(table.left_out.total, 60);
  EXPECT_EQ(table.left_out.count, 2);
  EXPECT_EQ(table.operators_left_out, 2);
  EXPECT_EQ(table.operators_left_out_time.total, 40);
  EXPECT_EQ(table.all.total, 100);
}

TEST(KernelTable, DeviceTimeOfWhatIsAround) {
  const TraceBuilder builder = four_on_a_device();
  const NestedTrace nested(builder);
  const auto times = device_time_of_slices(nested.context, launching_operators(nested.context));
  EXPECT_EQ(times[0], 10);  // x
  EXPECT_EQ(times[1], 30);  // y
  EXPECT_EQ(times[2], 0);   // inner is over when the launch begins
  EXPECT_EQ(times[5], 40);  // the launch that nobody made
}

TEST(OperatorTable, OnlyTheOuterOfOneNameCountsInTotal) {
  TraceBuilder builder;
  builder.op("f", 0, 100);
  builder.op("f", 10, 60);
  builder.op("g", 20, 30);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 22, 24, 1);
  builder.add("kernel", "void k()", 1, 50, 57, 1);
  builder.add("gpu_user_annotation", "f", 1, 0, 100);
  builder.add("Trace", "PyTorch Profiler (0)", 2, 0, 1000);
  const NestedTrace nested(builder);
  const auto times = device_time_of_slices(nested.context, launching_operators(nested.context));
  const OperatorTable table = operator_table(nested.context, times, 10);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].name, "f");
  EXPECT_EQ(table.rows[0].category, "cpu_op");
  EXPECT_EQ(table.rows[0].count, 2);
  EXPECT_EQ(table.rows[0].total, 100);
  EXPECT_EQ(table.rows[0].self, 90);
  EXPECT_EQ(table.rows[0].device, 7);
  EXPECT_DOUBLE_EQ(table.rows[0].share.value(), 0.9);
  EXPECT_EQ(table.rows[1].name, "g");
  EXPECT_EQ(table.rows[1].total, 10);
  EXPECT_EQ(table.rows[1].self, 8);
  EXPECT_EQ(table.rows[1].device, 7);
  EXPECT_EQ(table.self, 100);
  const OperatorTable shorter = operator_table(nested.context, times, 1);
  EXPECT_EQ(shorter.rows_left_out, 2);
  EXPECT_EQ(shorter.left_out_self, 10);
  EXPECT_EQ(shorter.left_out_count, 2);
}

TEST(OperatorTable, SharesLeaveOutWhatOnlyContainsOtherSlices) {
  TraceBuilder builder;
  builder.add("user_annotation", "ProfilerStep#1", 0, 0, 1000);
  builder.add("user_annotation", "forward", 0, 100, 600);
  builder.op("f", 100, 160);
  builder.op("g", 200, 240);
  const NestedTrace nested(builder);
  const auto times = device_time_of_slices(nested.context, launching_operators(nested.context));
  const OperatorTable table = operator_table(nested.context, times, 10);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[0].name, "ProfilerStep#1");
  EXPECT_EQ(table.rows[0].self, 500);
  EXPECT_EQ(table.rows[0].share, std::nullopt);
  EXPECT_EQ(table.rows[1].share, std::nullopt);
  EXPECT_DOUBLE_EQ(table.rows[2].share.value(), 0.6);
  EXPECT_DOUBLE_EQ(table.rows[3].share.value(), 0.4);
  EXPECT_EQ(table.self, 1000);
}

TEST(LaunchStats, CallsDelaysAndWhatIsShorterThanItsLaunch) {
  TraceBuilder builder;
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 0, 60'000, 1);
  builder.add("cuda_runtime", "cudaGraphLaunch", 0, 100'000, 105'000, 2);
  builder.add("cuda_runtime", "cudaStreamSynchronize", 0, 200'000, 205'000, 9);
  builder.add("kernel", "void a()", 1, 70'000, 71'000, 1);
  builder.add("kernel", "void b()", 1, 300'000, 304'000, 2);
  builder.add("kernel", "void b()", 1, 310'000, 313'000, 2);
  builder.add("gpu_memset", "Memset", 1, 400'000, 400'010);
  const NestedTrace nested(builder);
  const LaunchStats stats = launch_stats(nested.context, 1);
  EXPECT_EQ(stats.calls, 2);
  EXPECT_EQ(stats.launched, 3);
  EXPECT_EQ(stats.without_call, 1);
  EXPECT_EQ(stats.call_time.total, 65'000);
  EXPECT_EQ(stats.call->p50, 60'000);
  EXPECT_EQ(stats.device->p50, 3000);
  EXPECT_EQ(stats.device->most, 4000);
  EXPECT_EQ(stats.delay->p50, 195'000);
  EXPECT_EQ(stats.long_calls, 1);
  EXPECT_EQ(stats.long_delays, 2);
  EXPECT_EQ(stats.longer_than_launched, 1);  // the graph's two make 7 µs of its 5
  ASSERT_EQ(stats.rows.size(), 1u);
  EXPECT_EQ(stats.rows[0].name, "void b()");
  EXPECT_EQ(stats.rows[0].count, 2);
  EXPECT_EQ(stats.rows[0].delay.total, 400'000);
  EXPECT_EQ(stats.rows[0].long_delays, 2);
  EXPECT_EQ(stats.rows_left_out, 1);
}

TEST(LaunchQueue, LengthOverTime) {
  TraceBuilder builder;
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 0, 2, 1);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 4, 6, 2);
  builder.add("kernel", "void a()", 1, 10, 20, 1);
  builder.add("kernel", "void a()", 1, 20, 25, 2);
  builder.add("kernel", "void a()", 2, 0, 5);  // nobody knows when it was launched
  std::int64_t left_out = -1;
  const NestedTrace nested(builder);
  const auto queues = launch_queues(nested.context, 4, &left_out);
  ASSERT_EQ(queues.size(), 1u);
  EXPECT_EQ(left_out, 0);
  EXPECT_EQ(queues[0].stream, 1u);
  EXPECT_EQ(queues[0].launched, 2);
  EXPECT_EQ(queues[0].longest, 2);
  EXPECT_EQ(queues[0].span, 20);
  EXPECT_DOUBLE_EQ(queues[0].mean, (4 * 1 + 6 * 2 + 10 * 1) / 20.0);
  EXPECT_EQ(queues[0].time_full, 0);
  ASSERT_EQ(queues[0].buckets.size(), LaunchQueue::kBuckets);
  EXPECT_EQ(queues[0].buckets[39], 1);   // up to 3.9 ns
  EXPECT_EQ(queues[0].buckets[41], 2);   // from 4.1 ns
  EXPECT_EQ(queues[0].buckets[101], 1);  // from 10.1 ns
}

TEST(LaunchQueue, FullAt1024) {
  TraceBuilder builder;
  for (int i = 0; i < 1024; ++i) {
    builder.add("cuda_runtime", "cudaLaunchKernel", 0, i, i + 1, i);
    builder.add("kernel", "void a()", 1, 2000 + i, 2001 + i, i);
  }
  // A clock that is ahead: it begins before its call.
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 9000, 9001, 5000);
  builder.add("kernel", "void a()", 2, 8000, 8001, 5000);
  std::int64_t left_out = -1;
  const NestedTrace nested(builder);
  const auto queues = launch_queues(nested.context, 1, &left_out);
  ASSERT_EQ(queues.size(), 1u);
  EXPECT_EQ(left_out, 1);
  EXPECT_EQ(queues[0].longest, 1024);
  EXPECT_EQ(queues[0].time_full, 2000 - 1023);
}

TEST(DeviceBreakdown, PartsAddUpToTheSpan) {
  TraceBuilder builder;
  builder.add("kernel", "void a()", 1, 0, 10);
  builder.add("kernel", "ncclDevKernel_AllReduce", 2, 5, 20);
  builder.add("gpu_memcpy", "Memcpy HtoD", 3, 18, 30);
  builder.add("kernel", "void a()", 1, 40, 50);
  const NestedTrace nested(builder);
  const DeviceBreakdown found = device_breakdown(nested.context);
  EXPECT_EQ(found.span, 50);
  EXPECT_THAT(found.exclusive, ElementsAre(10, 15, 8, 5, 10, 0, 2, 0));
  EXPECT_EQ(found.idle(), 10);
  EXPECT_EQ(found.busy(DeviceBreakdown::kCompute), 20);
  EXPECT_EQ(found.busy(DeviceBreakdown::kCommunication), 15);
  EXPECT_EQ(found.busy(DeviceBreakdown::kMemory), 12);
  EXPECT_DOUBLE_EQ(*found.overlap_of_communication(), 5.0 / 15);
  EXPECT_EQ(DeviceBreakdown().overlap_of_communication(), std::nullopt);
}

TEST(CopyBandwidth, ByKind) {
  TraceBuilder builder;
  const auto first = builder.add("gpu_memcpy", "Memcpy HtoD", 1, 0, 1000);
  const auto second = builder.add("gpu_memcpy", "Memcpy HtoD", 1, 2000, 2000);
  const auto odd = builder.add("gpu_memcpy", "Memcpy HtoD", 1, 3000, 3500);
  builder.add("gpu_memset", "Memset", 1, 4000, 4100);
  const auto kernel = builder.add("kernel", "void a()", 1, 5000, 5100);
  builder.bandwidth(first, 5000, 5);
  builder.bandwidth(second, 0, 3);  // of no length: taken as 1 µs
  builder.bandwidth(odd, std::nan(""), -1);
  builder.bandwidth(kernel, 1e9, 1e9);
  std::int64_t left_out = -1;
  const NestedTrace nested(builder);
  const auto rows = copy_bandwidths(nested.context, 10, &left_out);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "Memcpy HtoD");
  EXPECT_EQ(rows[0].time.count, 3);
  EXPECT_EQ(rows[0].time.total, 1500);
  EXPECT_EQ(rows[0].stated, 2);
  EXPECT_DOUBLE_EQ(rows[0].bytes, 8000);
  EXPECT_DOUBLE_EQ(*rows[0].mean_bandwidth(), 4);
  EXPECT_DOUBLE_EQ(rows[0].fastest, 5);
  EXPECT_EQ(rows[1].mean_bandwidth(), std::nullopt);
  EXPECT_EQ(copy_bandwidths(nested.context, 1, &left_out).size(), 1u);
  EXPECT_EQ(left_out, 1);
}

TEST(StepBreakdown, AMomentBelongsToTheFirstPart) {
  TraceBuilder builder;
  builder.add("user_annotation", "ProfilerStep#1", 0, 0, 100);
  builder.add("user_annotation", "ProfilerStep#2", 0, 100, 150);
  builder.add("gpu_user_annotation", "ProfilerStep#1", 1, 0, 500);
  builder.add("kernel", "void a()", 1, 10, 30);
  builder.add("gpu_memcpy", "Memcpy HtoD", 2, 25, 40);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 35, 50);
  builder.add("cpu_op", "aten::add", 3, 0, 70);
  builder.add("user_annotation", "enumerate(DataLoader)#next", 0, 60, 80);
  builder.add("kernel", "ncclDevKernel_AllReduce", 1, 90, 120);
  const NestedTrace nested(builder);
  const StepBreakdown found = step_breakdown(nested.context, 1);
  // kernel, memcpy, memset, communication, runtime, data loader, cpu, other
  ASSERT_EQ(found.steps.size(), 1u);
  EXPECT_EQ(found.steps[0].name, "ProfilerStep#1");
  EXPECT_THAT(found.steps[0].parts, ElementsAre(20, 10, 0, 10, 10, 20, 20, 10));
  EXPECT_EQ(found.steps_left_out, 1);
  EXPECT_EQ(found.count, 2);
  EXPECT_EQ(found.duration, 150);
  EXPECT_THAT(found.parts, ElementsAre(20, 10, 0, 30, 10, 20, 20, 40));
  EXPECT_EQ(std::accumulate(found.parts.begin(), found.parts.end(), std::int64_t{0}), 150);
}

TEST(StepBreakdown, NoStepsNoNumbers) {
  TraceBuilder builder;
  builder.op("aten::add", 0, 10);
  const NestedTrace nested(builder);
  const StepBreakdown found = step_breakdown(nested.context, 10);
  EXPECT_EQ(found.count, 0);
  EXPECT_THAT(found.parts, Each(0));
}

}  // namespace
}  // namespace benchhud::analysis
