// The report of a whole trace: its advice, and that no trace makes it large, slow or wrong.

#include "analysis/trace/trace_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "tests/unit/analysis/trace_builder.h"

namespace benchhud::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> codes(const TraceReport& report) {
  std::vector<std::string> codes;
  for (const Advice& advice : report.advice) codes.emplace_back(advice.code);
  return codes;
}

Advice find(const TraceReport& report, std::string_view code) {
  const auto found = std::find_if(report.advice.begin(), report.advice.end(),
                                  [&](const Advice& advice) { return advice.code == code; });
  EXPECT_NE(found, report.advice.end()) << code;
  return found == report.advice.end() ? Advice() : *found;
}

double number(const Advice& advice, std::string_view name) {
  for (const auto& [key, value] : advice.numbers) {
    if (key == name) return value;
  }
  ADD_FAILURE() << name;
  return 0;
}

// Kernels of `busy` ns, launched every `period` ns by calls of `call` ns.
TraceBuilder launched_kernels(int count, std::int64_t period, std::int64_t call,
                              std::int64_t busy) {
  TraceBuilder builder;
  for (int i = 0; i < count; ++i) {
    const std::int64_t at = i * period;
    builder.add("cuda_runtime", "cudaLaunchKernel", 0, at, at + call, i);
    builder.add("kernel", "void a()", 1, at + call, at + call + busy, i);
  }
  return builder;
}

TEST(TraceAdvice, AHostThatLaunchesTooSlowly) {
  const TraceReport report = trace_report(launched_kernels(200, 100'000, 6000, 5000).trace());
  EXPECT_THAT(codes(report), Contains("cpu_bound"));
  const Advice bound = find(report, "cpu_bound");
  EXPECT_EQ(bound.severity, Advice::Severity::kWarning);
  // 200 of 5 µs in 199 periods and the last one's 5 µs.
  EXPECT_DOUBLE_EQ(number(bound, "busy_share"), 1'000'000.0 / 19'905'000);
  EXPECT_DOUBLE_EQ(number(bound, "host_wait_share"), 1);
  EXPECT_THAT(bound.sentence, HasSubstr("CUDA graphs"));
  EXPECT_EQ(number(find(report, "short_kernels"), "short_kernels"), 200);
  EXPECT_EQ(number(find(report, "launch_overhead"), "longer_than_launched"), 200);
  EXPECT_EQ(report.advice.front().severity, Advice::Severity::kWarning);
}

TEST(TraceAdvice, ABusyDeviceIsLeftAlone) {
  const TraceReport report = trace_report(launched_kernels(200, 100'000, 6000, 95'000).trace());
  EXPECT_THAT(report.advice, IsEmpty());
}

TEST(TraceAdvice, WhatCompilationSpoils) {
  TraceBuilder builder;
  builder.add("user_annotation", "_compile.compile_inner (dynamo_timed)", 0, 0, 500);
  builder.op("Torch-Compiled Region: 0/0", 510, 600);
  builder.op("Torch-Compiled Region: 0/1", 700, 900);
  builder.op("Torch-Compiled Region: 1/0", 750, 850);
  builder.op("aten::numpy_T", 860, 870);
  builder.add("python_function", "<built-in function len>", 0, 990, 1000);
  const TraceReport report = trace_report(builder.trace());
  EXPECT_EQ(report.span, 1000);
  const Advice compiling = find(report, "compiling_in_window");
  EXPECT_EQ(compiling.severity, Advice::Severity::kWarning);
  EXPECT_DOUBLE_EQ(number(compiling, "share"), 0.5);
  EXPECT_EQ(number(compiling, "compilations"), 1);
  EXPECT_THAT(compiling.sentence, HasSubstr("are compilation (of 1 frame): warm up"));
  EXPECT_EQ(number(find(report, "recompiled_frames"), "recompiles"), 1);
  const Advice breaks = find(report, "graph_breaks");
  EXPECT_THAT(breaks.sentence, HasSubstr("1 of 2 calls of compiled functions ran other compiled "
                                         "regions within, chains of 2 at most (1 frame within): "
                                         "graph breaks, or functions compiled for themselves"));
  EXPECT_EQ(number(breaks, "broken_calls"), 1);
  EXPECT_EQ(number(breaks, "calls"), 2);
  EXPECT_EQ(number(breaks, "eager_ns"), 10);
  EXPECT_EQ(number(find(report, "python_stacks"), "frames"), 1);
}

TEST(TraceAdvice, BackwardGraphsAreCompiledWithoutFrames) {
  TraceBuilder builder;
  builder.add("user_annotation", "compile_fx.<locals>.bw_compiler (dynamo_timed)", 0, 0, 500);
  builder.op("aten::mm", 500, 1000);
  const Advice compiling = find(trace_report(builder.trace()), "compiling_in_window");
  EXPECT_THAT(compiling.sentence, HasSubstr("are compilation: warm up"));
}

TEST(TraceAdvice, MatrixProductsAreAlwaysHandedBack) {
  TraceBuilder builder;
  builder.op("Torch-Compiled Region: 0/0", 0, 1000);
  builder.op("aten::convolution", 0, 400);
  builder.op("aten::addmm", 400, 800);
  EXPECT_THAT(codes(trace_report(builder.trace())), Not(Contains("operators_handed_back")));
  builder.op("aten::cumsum", 800, 900);
  const Advice advice = find(trace_report(builder.trace()), "operators_handed_back");
  EXPECT_EQ(number(advice, "operators"), 1);
  EXPECT_EQ(number(advice, "handed_back_ns"), 100);
  EXPECT_DOUBLE_EQ(number(advice, "share"), 0.1);
  EXPECT_THAT(advice.sentence, HasSubstr("The longest: aten::cumsum (1×)"));
}

TEST(TraceAdvice, CommunicationThatNothingHides) {
  TraceBuilder builder;
  builder.add("kernel", "void a()", 1, 0, 100);
  builder.add("kernel", "ncclDevKernel_AllReduce", 2, 90, 190);
  const Advice advice = find(trace_report(builder.trace()), "exposed_communication");
  EXPECT_DOUBLE_EQ(number(advice, "overlap_share"), 0.1);
  EXPECT_EQ(number(advice, "communication_ns"), 100);
}

TEST(TraceAdvice, LoadingAndPageableCopies) {
  TraceBuilder builder;
  builder.add("user_annotation", "ProfilerStep#0", 0, 0, 100);
  builder.add("user_annotation", "enumerate(DataLoader)#next", 0, 0, 30);
  builder.add("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 1, 40, 60);
  const TraceReport report = trace_report(builder.trace());
  EXPECT_DOUBLE_EQ(number(find(report, "data_loading"), "share"), 0.3);
  EXPECT_DOUBLE_EQ(number(find(report, "pageable_copies"), "share"), 1);
}

TEST(TraceReport, OfNothing) {
  const TraceReport report = trace_report(trace::Trace());
  EXPECT_EQ(report.span, 0);
  EXPECT_EQ(report.verdict.applied, CompileVerdict::Applied::kCannotTell);
  ASSERT_THAT(report.advice, testing::SizeIs(1));
  EXPECT_EQ(report.advice[0].code, "unknown_device");
  EXPECT_THAT(report.activity.unknowns.device, HasSubstr("no slices"));
}

TEST(TraceReport, ATraceThatIsNotWholeSaysSo) {
  TraceBuilder builder;
  builder.op("aten::mm", 0, 10);
  builder.trace().problem_count = 2;
  EXPECT_THAT(codes(trace_report(builder.trace())), Contains("incomplete_trace"));
}

TEST(TraceReport, IsBoundedWhateverTheTraceHolds) {
  TraceBuilder builder;
  constexpr int kMany = 20'000;
  for (int i = 0; i < kMany; ++i) {
    const std::string name = std::to_string(i);
    const std::int64_t at = i * 10;
    builder.add("cpu_op", "Torch-Compiled Region: " + name + "/0", 0, at, at + 9);
    builder.add("cpu_op", "aten::" + name, 0, at + 1, at + 8);
    builder.add("cuda_runtime", "launch" + name, 0, at + 2, at + 3, i);
    builder.add("kernel", "k" + name, 1, at, at + 5, i);
    builder.add("gpu_memcpy", "m" + name, 2, at, at + 5);
    builder.add("user_annotation", name + " (dynamo_timed)", 3, at, at + 5);
    builder.add("user_annotation", "note" + name, 3, at, at + 6);
    builder.add("user_annotation", "ProfilerStep#" + name, 4, at, at + 9);
    builder.add("cpu_op", "CompiledFunction", 5, at, at + 9, i);
  }
  const TraceReport report = trace_report(builder.trace());
  EXPECT_EQ(report.kernels.rows.size(), kMostReportRows);
  EXPECT_EQ(report.kernels.rows_left_out, 2 * kMany - static_cast<int>(kMostReportRows));
  EXPECT_EQ(report.operators.rows.size(), kMostReportRows);
  EXPECT_EQ(report.launches.rows.size(), kMostReportRows);
  EXPECT_EQ(report.copies.size(), kMostReportRows);
  EXPECT_EQ(report.copies_left_out, kMany - static_cast<int>(kMostReportRows));
  EXPECT_EQ(report.steps.steps.size(), kMostReportRows);
  EXPECT_EQ(report.graph_breaks.nodes.size(), GraphBreakTree::kMostNodes);
  EXPECT_EQ(report.graph_breaks.left_out + static_cast<int>(GraphBreakTree::kMostNodes), kMany);
  EXPECT_EQ(report.frames.frames.size(), CompiledFrames::kMostFrames);
  EXPECT_EQ(report.pairs.pairs.size(), CompiledPairs::kMostPairs);
  EXPECT_EQ(report.compile_time.phases.size(), TraceCompileTime::kMostPhases);
  EXPECT_EQ(report.compile_time.annotations.size(), TraceCompileTime::kMostAnnotations);
  EXPECT_EQ(report.verdict.handed_back.size(), kMostReportRows);
  EXPECT_THAT(report.code.operators, IsEmpty());
}

TEST(TraceReport, ADeepTraceTakesLinearTime) {
  TraceBuilder builder;
  constexpr int kDepth = 200'000;
  for (int i = 0; i < kDepth; ++i) builder.op("aten::add", i, 4 * kDepth - i);
  for (int i = 0; i < kDepth; ++i) {
    builder.add("cuda_runtime", "cudaLaunchKernel", 0, kDepth + i, kDepth + i + 1, i);
    builder.add("kernel", "plain", 1, 5 * kDepth + i, 5 * kDepth + i + 1, i);
  }
  const TraceReport report = trace_report(builder.trace());
  EXPECT_EQ(report.max_depth, kDepth + 1);
  ASSERT_EQ(report.kernels.operators.size(), 1u);
  EXPECT_EQ(report.kernels.operators[0].time.count, kDepth);
  // All lie within the outermost, which counts once.
  EXPECT_EQ(report.operators.rows[0].device, kDepth);
}

TEST(TraceReport, TimesAtTheEndsOfTheWorld) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  TraceBuilder builder;
  builder.add("kernel", "void a()", 1, -kMost, -1, 1);
  builder.add("kernel", "void a()", 1, 0, kMost, 2);
  builder.add("kernel", "ncclKernel", 2, -kMost, 0, 2);
  builder.add("gpu_memcpy", "Memcpy HtoD", 3, kMost, kMost);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, kMost - 1, kMost, 1);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, -kMost, 0, 2);
  builder.add("user_annotation", "ProfilerStep#1", 0, -kMost, -1);
  builder.add("user_annotation", "a (dynamo_timed)", 4, -kMost, -1);
  builder.add("user_annotation", "a (dynamo_timed)", 4, 0, kMost);
  builder.add("cpu_op", "Torch-Compiled Region: 0/9223372036854775807", 5, -kMost, -1);
  builder.add("cpu_op", "Torch-Compiled Region: 0/99999999999999999999", 5, 0, kMost);
  builder.add("cpu_op", "CompiledFunction", 6, 0, kMost);
  const TraceReport report = trace_report(builder.trace());
  EXPECT_EQ(report.span, kMost);
  EXPECT_EQ(report.activity.set_aside, 4) << "no device works for so long";
  EXPECT_THAT(report.activity.unknowns.device, HasSubstr("impossible"));
}

TEST(TraceUnknowns, SlicesOfUnknownCategoriesMayBeADevices) {
  TraceBuilder builder;
  builder.op("aten::mm", 0, 100);
  builder.add("", "MatMul", 1, 10, 50);
  const TraceReport report = trace_report(builder.trace());
  EXPECT_THAT(report.activity.unknowns.device, HasSubstr("1 slice on 1 track"));
  EXPECT_EQ(report.activity.unknowns.launches, report.activity.unknowns.device);
  EXPECT_THAT(codes(report), ElementsAre("unknown_device"));
}

TEST(TraceUnknowns, SlicesOfAnyCategoryOnTheHostsThreadsAreTheHosts) {
  TraceBuilder builder;
  builder.op("aten::mm", 0, 100);
  builder.add("my annotation", "block", 0, 10, 50);
  builder.add("Trace", "window", 2, 0, 200);
  const TraceReport report = trace_report(builder.trace());
  EXPECT_EQ(report.activity.unknowns.device, "");
  EXPECT_EQ(report.activity.unknowns.launches, "");
  EXPECT_THAT(codes(report), IsEmpty());
}

TEST(TraceUnknowns, WhereADevicesMemoryWasTakenItMayHaveWorked) {
  TraceBuilder builder;
  builder.op("aten::mm", 0, 100);
  trace::MemoryByDevice& memory = builder.trace().memory;
  memory.devices = {{0, -1, 1, 0, {}, {}, {}}};
  EXPECT_EQ(trace_report(builder.trace()).activity.unknowns.device, "");
  memory.devices.push_back({1, 0, 1, 0, {}, {}, {}});
  const TraceReport report = trace_report(builder.trace());
  EXPECT_THAT(report.activity.unknowns.device, HasSubstr("memory of cuda:0, and nothing that ran"));
  EXPECT_EQ(report.activity.unknowns.launches, report.activity.unknowns.device);
  EXPECT_THAT(codes(report), ElementsAre("unknown_device"));
}

TEST(TraceUnknowns, WithoutAnyLaunchNothingIsSaidOfWaitsAndOrigins) {
  TraceBuilder builder;
  builder.add("cpu_op", "Torch-Compiled Region: 0/0", 0, 0, 10'000);
  builder.add("of no runtime", "urEnqueueKernelLaunch", 0, 10, 20, 1);
  builder.add("kernel", "gemm", 1, 100, 110, 1);
  builder.add("kernel", "gemm", 1, 9'000, 9'010, 2);
  const TraceReport report = trace_report(builder.trace());
  EXPECT_EQ(report.activity.unknowns.device, "");
  EXPECT_THAT(report.activity.unknowns.launches, HasSubstr("2 slices on devices"));
  EXPECT_EQ(report.activity.unknown_wait, 8'890);
  EXPECT_THAT(codes(report), ElementsAre("unknown_launches"));
  // Nothing says that the kernels are not of compiled code.
  EXPECT_EQ(report.verdict.applied, CompileVerdict::Applied::kYes);
}

TEST(TraceUnknowns, WhereHalfOfTheWaitsAreUnknownTheHostIsNotAcquitted) {
  TraceBuilder builder;
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 0, 5, 1);
  builder.add("kernel", "k", 1, 10, 20, 1);
  builder.add("kernel", "k", 1, 900'000, 900'010, 2);
  const TraceReport report = trace_report(builder.trace());
  EXPECT_EQ(report.activity.unknowns.launches, "");
  EXPECT_THAT(codes(report), IsEmpty());
}

}  // namespace
}  // namespace benchhud::analysis
