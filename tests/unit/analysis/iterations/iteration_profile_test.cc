// Where an iteration goes, by made traces of each form of a profile.
#include "analysis/iterations/iteration_profile.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "analysis/trace/kernel_table.h"
#include "tests/unit/analysis/trace_builder.h"
#include "trace/xla_profile.h"

namespace benchhud::analysis {
namespace {

using Part = IterationPart;

IterationProfile profile_of(const trace::Trace& trace) {
  const trace::TraceNesting nesting = trace::nest(trace);
  const TraceContext context(trace, nesting);
  return iteration_profile(context, launching_operators(context));
}

std::int64_t sum_of_parts(const IterationProfile& profile) {
  return std::accumulate(
      profile.parts.begin(), profile.parts.end(), std::int64_t{0},
      [](std::int64_t sum, const IterationPartTime& part) { return sum + part.time.value_or(0); });
}

// An iteration of 1000 ns as PyTorch leaves it on a GPU: traces, compiles, copies, computes, waits.
void add_cuda_iteration(TraceBuilder* builder, std::int64_t at, int number) {
  builder->add("user_annotation", "ProfilerStep#" + std::to_string(number), 0, at, at + 1000);
  builder->op("aten::mm", at + 10, at + 210);
  builder->add("cuda_runtime", "cudaLaunchKernel", 0, at + 20, at + 30, 10 * number);
  builder->op("_compile.compile_inner (dynamo_timed)", at + 100, at + 200);
  builder->add("gpu_memcpy", "Memcpy HtoD", 1, at + 210, at + 260);
  builder->add("kernel", "sgemm", 1, at + 300, at + 700, 10 * number);
  builder->add("cuda_runtime", "cudaDeviceSynchronize", 0, at + 280, at + 750);
}

TEST(IterationProfile, GivesEachMomentToTheFirstPartThatGoesOn) {
  TraceBuilder builder;
  add_cuda_iteration(&builder, 0, 1);
  add_cuda_iteration(&builder, 2000, 2);
  const IterationProfile profile = profile_of(builder.trace());
  EXPECT_EQ(profile.found_by, "profiler_steps");
  EXPECT_EQ(profile.count, 2);
  EXPECT_EQ(profile.length, 2000);
  EXPECT_EQ(profile.of(Part::kCompiling).time, 200);
  EXPECT_EQ(profile.of(Part::kExecuting).time, 800);
  EXPECT_EQ(profile.of(Part::kTransferring).time, 100);
  EXPECT_EQ(profile.of(Part::kWaiting).time, 2 * (20 + 50)) << "before and after the kernel";
  EXPECT_EQ(profile.of(Part::kWaiting).with_overlap, 2 * 470);
  EXPECT_EQ(profile.of(Part::kTracing).time, 2 * 100);
  EXPECT_EQ(profile.of(Part::kTracing).with_overlap, 2 * 200) << "the compilation is within it";
  EXPECT_EQ(sum_of_parts(profile), profile.length);
  EXPECT_EQ(profile.busy, 900);
  EXPECT_EQ(profile.compiling, 200);
  EXPECT_EQ(profile.top_class, "gemm");
  EXPECT_DOUBLE_EQ(profile.top_share, 400.0 / 450.0);
  EXPECT_EQ(profile.operators.in_iterations, 900);
  EXPECT_EQ(profile.peak_memory, std::nullopt) << "a Chrome trace does not say it";
  ASSERT_EQ(profile.iterations.size(), 2U);
  EXPECT_EQ(profile.iterations[1].begin, 2000);
  EXPECT_EQ(profile.iterations[1].duration, 1000);
  EXPECT_EQ(profile.iterations[1].busy, 450);
  // compiling, executing, transferring, waiting, tracing, unknown
  const decltype(IterationTimes::parts) parts = {100, 400, 50, 70, 100, 280};
  EXPECT_EQ(profile.iterations[1].parts, parts);
}

// A device's memory: its type, number and peaks.
trace::DeviceMemory memory_of(std::int64_t type, std::int64_t number,
                              std::optional<std::int64_t> allocated,
                              std::optional<std::int64_t> reserved) {
  return {type, number, 1, 1, allocated, allocated, reserved};
}

TEST(IterationProfile, TakesThePeakOfTheDeviceWithTheMostMemory) {
  TraceBuilder builder;
  builder.op("aten::mm", 0, 10);
  trace::Trace& trace = builder.trace();
  trace.memory.devices = {memory_of(0, -1, 900, {})};
  EXPECT_EQ(profile_of(trace).peak_memory, 900);
  EXPECT_EQ(profile_of(trace).peak_memory_of, PeakMemoryOf::kPytorchCpu);
  EXPECT_EQ(profile_of(trace).peak_reserved, std::nullopt);
  trace.memory.devices.push_back(memory_of(1, 0, 500, 800));
  trace.memory.devices.push_back(memory_of(1, 1, 600, 700));
  EXPECT_EQ(profile_of(trace).peak_memory, 600) << "what the host holds is not the device's";
  EXPECT_EQ(profile_of(trace).peak_memory_of, PeakMemoryOf::kPytorchDevice);
  EXPECT_EQ(profile_of(trace).peak_reserved, 800);
  EXPECT_EQ(profile_of(trace).memory, trace.memory);
  trace.memory.devices = {memory_of(0, -1, 900, {}), memory_of(1, 0, {}, {})};
  EXPECT_EQ(profile_of(trace).peak_memory, std::nullopt) << "the device's own is not known";
  EXPECT_EQ(profile_of(trace).peak_memory_of, std::nullopt);
}

TEST(IterationProfile, KeepsTheFirstOfManyIterationsAndCountsAll) {
  TraceBuilder builder;
  const int count = static_cast<int>(kMostIterations) + 1;
  for (int i = 0; i < count; ++i) add_cuda_iteration(&builder, 2000 * i, i);
  const IterationProfile profile = profile_of(builder.trace());
  EXPECT_EQ(profile.count, count);
  ASSERT_EQ(profile.iterations.size(), kMostIterations);
  EXPECT_EQ(profile.iterations.back().begin, 2000 * (count - 2));
}

TEST(IterationProfile, TakesWhatLiesInItsIterationsOnly) {
  TraceBuilder builder;
  add_cuda_iteration(&builder, 0, 1);
  builder.add("kernel", "sgemm", 1, 5000, 9000);
  const IterationProfile profile = profile_of(builder.trace());
  EXPECT_EQ(profile.length, 1000);
  EXPECT_EQ(profile.of(Part::kExecuting).time, 400);
  EXPECT_EQ(profile.operators.total, 4450);
  EXPECT_EQ(profile.operators.in_iterations, 450);
}

TEST(IterationProfile, IsOfAllOfAProfileThatMarksNothing) {
  TraceBuilder builder;
  builder.op("aten::mm", 100, 200);
  builder.add("kernel", "sgemm", 1, 250, 400);
  const IterationProfile profile = profile_of(builder.trace());
  EXPECT_EQ(profile.found_by, "whole_profile");
  EXPECT_EQ(profile.count, 0);
  EXPECT_EQ(profile.length, 300);
  EXPECT_EQ(profile.of(Part::kUnknown).time, 50);
  EXPECT_TRUE(profile.iterations.empty()) << "how long one is is unknown";
}

TEST(IterationProfile, SaysOfAnEmptyTraceThatNothingIsKnown) {
  for (const bool has_window : {false, true}) {
    TraceBuilder builder;
    if (has_window) builder.add("Trace", "PyTorch Profiler (0)", 0, 0, 1000);
    const IterationProfile profile = profile_of(builder.trace());
    EXPECT_EQ(profile.busy, std::nullopt);
    EXPECT_NE(profile.busy_unknown.find("is not known"), std::string::npos) << profile.busy_unknown;
    for (std::size_t i = 0; i + 1 < kIterationParts; ++i) {
      EXPECT_EQ(profile.parts[i].time, std::nullopt) << i;
      EXPECT_EQ(profile.parts[i].unknown.find("Nothing ran"), std::string::npos) << i;
    }
    EXPECT_EQ(profile.top_class, "");
    EXPECT_EQ(profile.peak_memory, std::nullopt);
  }
}

TEST(IterationProfile, LetsTheHostExecuteWhereNothingRanOnADevice) {
  TraceBuilder builder;
  builder.add("user_annotation", "ProfilerStep#1", 0, 0, 1000);
  builder.add("user_annotation", "TorchDynamo Cache Lookup", 0, 100, 150);
  builder.op("Torch-Compiled Region: 0/0", 200, 600);
  builder.op("aten::mm", 250, 450);
  const IterationProfile profile = profile_of(builder.trace());
  EXPECT_EQ(profile.of(Part::kExecuting).time, 400);
  EXPECT_EQ(profile.of(Part::kTracing).time, 50);
  EXPECT_EQ(profile.of(Part::kCompiling).time, 0);
  EXPECT_EQ(profile.of(Part::kTransferring).time, std::nullopt);
  EXPECT_FALSE(profile.of(Part::kTransferring).unknown.empty());
  EXPECT_EQ(profile.of(Part::kWaiting).time, std::nullopt);
  EXPECT_EQ(profile.of(Part::kUnknown).time, 550);
  EXPECT_EQ(profile.busy, std::nullopt);
  EXPECT_FALSE(profile.busy_unknown.empty());
  EXPECT_EQ(profile.top_class, "");
  EXPECT_EQ(profile.operators.in_iterations, 400);
}

TEST(IterationProfile, KnowsCompilingAloneWhereNobodyKnowsWhatRanOnDevices) {
  TraceBuilder builder;
  builder.add("user_annotation", "ProfilerStep#1", 0, 0, 1000);
  builder.op("aten::mm", 0, 200);
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 10, 20, 1);
  builder.op("_compile.compile_inner (dynamo_timed)", 300, 400);
  const IterationProfile profile = profile_of(builder.trace());
  EXPECT_EQ(profile.of(Part::kCompiling).time, 100);
  for (const Part part : {Part::kExecuting, Part::kTransferring, Part::kWaiting, Part::kTracing}) {
    EXPECT_EQ(profile.of(part).time, std::nullopt) << name_of(part);
    EXPECT_FALSE(profile.of(part).unknown.empty()) << name_of(part);
  }
  EXPECT_EQ(profile.of(Part::kTracing).with_overlap, 200);
  EXPECT_EQ(profile.of(Part::kUnknown).time, 900);
}

TEST(IterationProfile, DoesNotTakeCallsOfTheRuntimeForAllThatTheHostDid) {
  TraceBuilder builder;
  builder.add("cuda_runtime", "cudaLaunchKernel", 0, 0, 100, 1);
  builder.add("kernel", "sgemm", 1, 200, 400, 1);
  const IterationProfile profile = profile_of(builder.trace());
  for (const Part part : {Part::kCompiling, Part::kTracing}) {
    EXPECT_EQ(profile.of(part).time, std::nullopt) << name_of(part);
    EXPECT_FALSE(profile.of(part).unknown.empty()) << name_of(part);
  }
  EXPECT_EQ(profile.of(Part::kTracing).with_overlap, 100) << "the calls are there all the same";
  EXPECT_EQ(profile.of(Part::kUnknown).time, 200);
  EXPECT_EQ(profile.compiling, std::nullopt);
}

TEST(IterationProfile, KnowsThatNothingWasCompiledWhereAnnotationsAreRecorded) {
  TraceBuilder builder;
  builder.add("user_annotation", "my step", 0, 0, 100);
  builder.add("kernel", "sgemm", 1, 200, 400, 1);
  const IterationProfile profile = profile_of(builder.trace());
  EXPECT_EQ(profile.of(Part::kCompiling).time, 0);
  EXPECT_EQ(profile.compiling, 0);
}

TEST(IterationProfile, DoesNotKnowCompilingOfAnXplaneProfileWithoutMarks) {
  const auto session = [](std::string_view of_host) {
    TraceBuilder builder;
    builder.add("host", of_host, 0, 0, 100);
    builder.add("kernel", "sgemm", 1, 200, 400, 1);
    trace::Trace trace = std::move(builder.trace());
    trace.xla = std::make_shared<const trace::XlaProfile>();
    return profile_of(trace);
  };
  EXPECT_EQ(session("ThreadpoolListener::Record").compiling, std::nullopt);
  EXPECT_FALSE(session("ThreadpoolListener::Record").of(Part::kCompiling).unknown.empty());
  EXPECT_EQ(session("PjRtComputationClient::TransferToDevice").compiling, 0);
  EXPECT_EQ(session("backend_compile").compiling, 100);
}

// A session of PyTorch/XLA: each iteration collects its tensors, gives its graph out, waits.
trace::Trace xla_session(int iterations, bool with_host) {
  TraceBuilder builder;
  for (int i = 0; i < iterations; ++i) {
    const std::int64_t at = i * 1000;
    if (with_host) {
      builder.add("host", "PjRtComputationClient::TransferToDevice", 0, at + 50, at + 100);
      builder.add("host", "StepMarker", 0, at + 300, at + 900);
      builder.add("host", "CollectSyncTensors", 0, at + 310, at + 350);
      builder.add("host", "PjRtComputationClient::ExecuteComputation", 0, at + 400, at + 500);
      builder.add("host", "DeviceBarrier", 0, at + 700, at + 880);
    }
    builder.add("xla_op", "fusion.1", 1, at + 450, at + 850);
  }
  trace::Trace trace = std::move(builder.trace());
  trace::XlaProfile profile;
  profile.devices.resize(1);
  profile.devices[0].name = "/device:TPU:0";
  profile.operators.resize(1);
  profile.operators[0].name = trace.texts.put("fusion.1");
  profile.operators[0].framework_op = trace.texts.put("aten__mm");
  profile.operators[0].self_ps = 400'000L * iterations;
  profile.modules.resize(1);
  profile.modules[0].runs = iterations;
  profile.modules[0].total_ps = 400'000L * iterations;
  for (int i = 0; i < iterations; ++i) {
    profile.runs.push_back({0, i * 1000 + 450, i * 1000 + 850});
  }
  profile.allocators.resize(2);
  profile.allocators[0].peak_bytes = 1 << 20;
  trace.xla = std::make_shared<const trace::XlaProfile>(std::move(profile));
  return trace;
}

TEST(IterationProfile, ReadsTheMarksOfPyTorchXla) {
  const IterationProfile profile = profile_of(xla_session(5, true));
  EXPECT_EQ(profile.found_by, "step_marks");
  EXPECT_EQ(profile.count, 4);
  EXPECT_EQ(profile.length, 4000);
  EXPECT_EQ(profile.of(Part::kExecuting).time, 4 * 400);
  EXPECT_EQ(profile.of(Part::kTransferring).time, 4 * 50);
  EXPECT_EQ(profile.of(Part::kWaiting).time, 4 * 30) << "what the device's work does not hide";
  EXPECT_EQ(profile.of(Part::kTracing).time, 4 * (40 + 50));
  EXPECT_EQ(profile.of(Part::kCompiling).time, 0);
  EXPECT_EQ(sum_of_parts(profile), profile.length);
  EXPECT_EQ(profile.busy, 4 * 400);
  EXPECT_EQ(profile.operators.total, 5 * 400);
  EXPECT_EQ(profile.operators.in_iterations, 4 * 400);
  EXPECT_EQ(profile.peak_memory, 1 << 20);
  EXPECT_EQ(profile.peak_memory_of, PeakMemoryOf::kXlaAllocator);
}

TEST(IterationProfile, DoesNotSayWhatAHostDidThatTheProfileDoesNotShow) {
  const IterationProfile profile = profile_of(xla_session(5, false));
  EXPECT_EQ(profile.found_by, "module_runs");
  EXPECT_EQ(profile.count, 4);
  EXPECT_EQ(profile.of(Part::kExecuting).time, 4 * 400);
  for (const Part part : {Part::kCompiling, Part::kTransferring, Part::kWaiting, Part::kTracing}) {
    EXPECT_EQ(profile.of(part).time, std::nullopt) << name_of(part);
    EXPECT_FALSE(profile.of(part).unknown.empty()) << name_of(part);
  }
  EXPECT_EQ(profile.of(Part::kUnknown).time, 4 * 600);
  EXPECT_EQ(profile.compiling, std::nullopt);
}

TEST(IterationProfile, IsOfNothingWhereTheTraceIsEmpty) {
  const IterationProfile profile = profile_of(trace::Trace());
  EXPECT_EQ(profile.length, 0);
  EXPECT_EQ(profile.count, 0);
  EXPECT_EQ(profile.of(Part::kExecuting).time, std::nullopt);
  EXPECT_EQ(profile.of(Part::kUnknown).time, 0);
}

}  // namespace
}  // namespace benchhud::analysis
