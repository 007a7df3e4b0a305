// Iterations of profiles of XLA, with step marks and without.
#include "analysis/trace/xla_iterations.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "tests/unit/analysis/trace_builder.h"
#include "trace/trace_nesting.h"
#include "trace/xla_profile.h"

namespace benchhud::analysis {
namespace {

using FoundBy = XlaIterations::FoundBy;

constexpr std::int64_t kPeriod = 10'000;

XlaIterations iterations_of(const trace::Trace& trace) {
  const trace::TraceNesting nesting = trace::nest(trace);
  return xla_iterations(TraceContext(trace, nesting), 3);
}

trace::Trace with_profile(TraceBuilder& builder, trace::XlaProfile profile) {
  trace::Trace trace = std::move(builder.trace());
  trace.xla = std::make_shared<const trace::XlaProfile>(std::move(profile));
  return trace;
}

// A session as PyTorch/XLA leaves it: each iteration traces, marks its step, and runs on a device.
void add_session(TraceBuilder* builder, int iterations) {
  for (int i = 0; i < iterations; ++i) {
    const std::int64_t at = i * kPeriod;
    builder->add("host", "PjRtComputationClient::ExecuteComputation", 0, at + 500, at + 800);
    builder->add("host", "StepMarker", 0, at + 900, at + 1000);
    builder->add("xla_op", "fusion", 1, at + 1200, at + 1200 + 4000);
  }
}

trace::XlaProfile module_runs(int runs) {
  trace::XlaProfile profile;
  profile.devices.resize(1);
  profile.devices[0].name = "/device:TPU:0";
  profile.modules.resize(2);
  profile.modules[0].runs = profile.modules[0].total_ps = 1;
  profile.modules[1].runs = runs;
  profile.modules[1].total_ps = runs * 4'000'000;
  for (int i = 0; i < runs; ++i) {
    profile.runs.push_back({1, i * kPeriod + 1200, i * kPeriod + 5200});
  }
  return profile;
}

TEST(XlaIterations, LieBetweenTheStepMarksOfPyTorchXla) {
  TraceBuilder builder;
  add_session(&builder, 101);
  const XlaIterations found = iterations_of(with_profile(builder, module_runs(101)));
  EXPECT_EQ(found.found_by, FoundBy::kStepMarks);
  EXPECT_EQ(found.name, "StepMarker");
  EXPECT_EQ(found.marks, 101);
  EXPECT_EQ(found.length.count, 100);
  EXPECT_EQ(found.length.least, kPeriod);
  EXPECT_EQ(found.length.most, kPeriod);
  EXPECT_EQ(found.busy, 100 * 4000);
  EXPECT_EQ(found.iterations.size(), 3);
  EXPECT_EQ(found.left_out, 97);
}

TEST(XlaIterations, AreRunsOfTheDominantModuleWhereNothingIsMarked) {
  TraceBuilder builder;
  builder.add("xla_op", "fusion", 1, 1200, 5200);
  const XlaIterations found = iterations_of(with_profile(builder, module_runs(5)));
  EXPECT_EQ(found.found_by, FoundBy::kModuleRuns);
  EXPECT_EQ(found.where, "/device:TPU:0");
  EXPECT_EQ(found.marks, 5);
  EXPECT_EQ(found.length.count, 4) << "where the last one's iteration ends is not known";
  EXPECT_EQ(found.length.most, kPeriod);
  EXPECT_EQ(found.length.least, kPeriod);
}

TEST(XlaIterations, AreTheRunItselfWhereTheDominantModuleRanOnce) {
  TraceBuilder builder;
  builder.add("xla_op", "fusion", 1, 1200, 5200);
  const XlaIterations found = iterations_of(with_profile(builder, module_runs(1)));
  EXPECT_EQ(found.length.count, 1);
  EXPECT_EQ(found.length.total, 4000);
}

TEST(XlaIterations, DoNotSayThatADeviceWasIdleWhichTheProfileDoesNotHave) {
  TraceBuilder builder;
  for (int i = 0; i < 3; ++i) builder.add("host", "StepMarker", 0, i * 100, i * 100 + 10);
  const XlaIterations found = iterations_of(with_profile(builder, {}));
  ASSERT_EQ(found.iterations.size(), 2);
  EXPECT_EQ(found.busy, std::nullopt);
  EXPECT_EQ(found.iterations[0].busy, std::nullopt);
}

TEST(XlaIterations, AreNotMergedWhereASecondEpochHasTheSameNumbers) {
  TraceBuilder builder;
  add_session(&builder, 2);
  trace::XlaProfile profile;
  // Of a step that two threads are in, one.
  profile.steps.push_back({0, 0, 0, 0, 100});
  profile.steps.push_back({0, 1, 0, 50, 120});
  profile.steps.push_back({0, 0, 1, 120, 200});
  profile.steps.push_back({0, 0, 0, 1000, 1100});
  profile.steps.push_back({0, 0, 1, 1100, 1200});
  const XlaIterations found = iterations_of(with_profile(builder, std::move(profile)));
  EXPECT_EQ(found.found_by, FoundBy::kAnnotations);
  EXPECT_EQ(found.length.count, 4);
  EXPECT_EQ(found.length.total, 120 + 80 + 100 + 100);
}

TEST(XlaIterations, AreOnesOfOneThreadWhereAnnotationsHaveNoNumbers) {
  TraceBuilder builder;
  add_session(&builder, 2);
  trace::XlaProfile profile;
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
      profile.steps.push_back({0, thread, {}, i * 100 + thread, i * 100 + 50 + thread});
    }
  }
  const XlaIterations found = iterations_of(with_profile(builder, std::move(profile)));
  EXPECT_EQ(found.length.count, 3);
  EXPECT_EQ(found.length.total, 150);
  EXPECT_NE(found.where, "");
}

TEST(XlaIterations, AreTheProgramsAnnotationsWhereItHasSome) {
  TraceBuilder builder;
  add_session(&builder, 5);
  trace::XlaProfile profile = module_runs(5);
  profile.steps.push_back({0, 0, {}, 0, 90'000});
  profile.steps.push_back({0, 0, 1, 100, 200});
  profile.steps.push_back({0, 0, 2, 200, 350});
  const XlaIterations found = iterations_of(with_profile(builder, std::move(profile)));
  EXPECT_EQ(found.found_by, FoundBy::kAnnotations);
  EXPECT_EQ(found.length.count, 2);
  EXPECT_EQ(found.length.total, 250);
  EXPECT_EQ(found.marks, 2) << "a root without a number is no step beside those that have one";
}

TEST(XlaIterations, AreTheStepsOfATpuWhereItSaysThem) {
  TraceBuilder builder;
  add_session(&builder, 5);
  builder.add("step", "0", 2, 0, 100);
  builder.add("step", "1", 2, 100, 300);
  const XlaIterations found = iterations_of(with_profile(builder, module_runs(5)));
  EXPECT_EQ(found.found_by, FoundBy::kDeviceSteps);
  EXPECT_EQ(found.length.total, 300);
}

TEST(XlaIterations, AreNoneBetweenOneMark) {
  TraceBuilder builder;
  add_session(&builder, 1);
  const XlaIterations found = iterations_of(with_profile(builder, module_runs(1)));
  EXPECT_EQ(found.found_by, FoundBy::kStepMarks);
  EXPECT_EQ(found.marks, 1);
  EXPECT_EQ(found.length.count, 0);
}

TEST(XlaIterations, AreRunsOfAModuleWhereThereIsOneMarkAlone) {
  TraceBuilder builder;
  add_session(&builder, 1);
  const XlaIterations found = iterations_of(with_profile(builder, module_runs(5)));
  EXPECT_EQ(found.found_by, FoundBy::kModuleRuns);
  EXPECT_EQ(found.length.count, 4);
}

TEST(XlaIterations, AreNotLookedForInOtherTraces) {
  TraceBuilder builder;
  add_session(&builder, 5);
  EXPECT_EQ(iterations_of(builder.trace()).found_by, FoundBy::kNothing);
}

TEST(XlaCompilingTest, CountsOutermostCompilations) {
  TraceBuilder builder;
  builder.add("host", "backend_compile", 0, 0, 100);
  builder.add("host", "TfrtTpuCompiler::Compile", 0, 10, 90);
  builder.add("host", "PjRtComputationClient::Compile", 1, 50, 150);
  const trace::Trace trace = with_profile(builder, {});
  const trace::TraceNesting nesting = trace::nest(trace);
  const XlaCompiling compiling = xla_compiling(TraceContext(trace, nesting));
  EXPECT_EQ(compiling.count, 2);
  EXPECT_EQ(compiling.total, 150);
}

}  // namespace
}  // namespace benchhud::analysis
