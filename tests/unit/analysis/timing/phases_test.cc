#include "analysis/timing/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kTracing = Phase::kTracing;
constexpr auto kCompiling = Phase::kCompiling;
constexpr auto kExecuting = Phase::kExecuting;
constexpr auto kRest = Phase::kRest;

/// torch_xla with everything counted: the first repetition compiles for 4 s within the call.
TimingFacts openxla() {
  TimingFacts facts;
  facts.has_xla = facts.has_dynamo = true;
  facts.total_time = {10, 2, 1.5, 1, 1, 1.25};
  facts.trace_time = {7, 1, 0.5, 0.25, 0.25, 0.25};
  facts.compile_time = {4, 0.5, 0, 0, 0, 0};
  facts.compile_number = {2, 1, 0, 0, 0, 0};
  facts.execute_time = {1, 0.75, 0.75, 0.5, 0.5, 0.5};
  facts.execute_number = {1, 1, 1, 1, 1, 1};
  return facts;
}

DynamoReport captured(std::vector<std::int64_t> graphs) {
  DynamoReport report;
  report.repetitions = graphs.size();
  report.captured = std::move(graphs);
  return report;
}

void expect_phase(const PhaseTime& time, Basis basis, std::optional<double> seconds) {
  EXPECT_EQ(basis_name(time.basis), basis_name(basis));
  EXPECT_EQ(time.seconds, seconds);
}

TEST(Phases, EverythingMeasured) {
  const auto report = phases(openxla(), {});
  ASSERT_EQ(report.repetitions.size(), 6U);
  const auto& first = report.repetitions[0];
  EXPECT_TRUE(first.is_warmup);
  expect_phase(first.of(kTracing), Basis::kDerived, 3);  // the call took 7, of which 4 compiling
  expect_phase(first.of(kCompiling), Basis::kMeasured, 4);
  expect_phase(first.of(kExecuting), Basis::kMeasured, 1);
  expect_phase(first.of(kRest), Basis::kDerived, 2);
  EXPECT_THAT(first.rest_holds, IsEmpty());
  EXPECT_TRUE(first.compiled());
  const auto& last = report.repetitions[5];
  EXPECT_FALSE(last.is_warmup);
  expect_phase(last.of(kTracing), Basis::kMeasured, 0.25);
  expect_phase(last.of(kCompiling), Basis::kMeasured, 0);
  expect_phase(last.of(kRest), Basis::kDerived, 0.5);
  EXPECT_FALSE(last.compiled());
  EXPECT_EQ(report.metric_of(kTracing), "trace_total_time");
  EXPECT_EQ(report.metric_of(kExecuting), "xla_ExecuteTime_time_s");

  EXPECT_EQ(report.warmup.repetitions, 3U);
  EXPECT_EQ(report.warmup.of(kCompiling).sum, 4.5);
  EXPECT_EQ(report.warmup.of(kCompiling).median, 0.5);
  EXPECT_EQ(report.steady.repetitions, 3U);
  EXPECT_EQ(report.steady.total.median, 1);
  EXPECT_EQ(report.steady.total.interval->high, 1.25);
  EXPECT_EQ(report.steady.total.interval->confidence, 0.75);
  EXPECT_EQ(report.steady.of(kExecuting).n, 3U);
  EXPECT_EQ(report.steady.of(kExecuting).sum, 1.5);
}

TEST(Phases, ListsAThousandRepetitionsAndSumsUpAll) {
  TimingFacts facts;
  facts.total_time.assign(2500, 0.5);
  const auto report = phases(facts, {});
  EXPECT_EQ(report.repetitions.size(), kMostRepetitions);
  EXPECT_EQ(report.repetition_count, 2500U);
  EXPECT_EQ(report.warmup.repetitions + report.steady.repetitions, 2500U);
  EXPECT_EQ(report.steady.total.sum, 0.5 * static_cast<double>(report.steady.repetitions));
}

TEST(Phases, LazyTensorsCompileBehindTheCall) {
  auto facts = openxla();
  facts.has_dynamo = false;
  facts.trace_time[0] = 3;
  const auto first = phases(facts, {}).repetitions[0];
  expect_phase(first.of(kTracing), Basis::kMeasured, 3);
  expect_phase(first.of(kRest), Basis::kDerived, 2);
}

TEST(Phases, CompilingThatDoesNotFitIntoTheCallLeavesTracingUntold) {
  auto facts = openxla();
  facts.trace_time[0] = 3;
  const auto first = phases(facts, {}).repetitions[0];
  expect_phase(first.of(kTracing), Basis::kInseparable, {});
  expect_phase(first.of(kRest), Basis::kDerived, 5);
  EXPECT_THAT(first.rest_holds, ElementsAre(kTracing));
}

TEST(Phases, PartsLongerThanTheWholeOverlap) {
  auto facts = openxla();
  facts.execute_time[4] = 0.875;  // beside 0.25 of tracing, in 1 s
  const auto repetition = phases(facts, {}).repetitions[4];
  expect_phase(repetition.of(kRest), Basis::kOverlapping, {});
  EXPECT_EQ(repetition.overlap, 0.125);
  EXPECT_THAT(repetition.rest_holds, IsEmpty());
}

TEST(Phases, CompilingIsInferredFromTheExcess) {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = {9, 2, 1, 1, 1.5, 1.25, 1.125, 1.25};
  const auto report = phases(facts, {});
  const auto& compiling = report.repetitions[0].of(kCompiling);
  expect_phase(compiling, Basis::kInferred, 7.75);  // less the median of 1 1.5 1.25 1.125 1.25
  ASSERT_TRUE(compiling.interval);
  EXPECT_EQ(compiling.interval->low, 7.5);
  EXPECT_EQ(compiling.interval->high, 8);
  EXPECT_DOUBLE_EQ(compiling.interval->confidence, 4.0 / 6);
  expect_phase(report.repetitions[0].of(kRest), Basis::kDerived, 1.25);
  EXPECT_THAT(report.repetitions[0].rest_holds, ElementsAre(kTracing, kExecuting));
  // Nothing tells whether the second repetition compiled too.
  expect_phase(report.repetitions[1].of(kCompiling), Basis::kNotRecorded, {});
  EXPECT_THAT(report.repetitions[1].rest_holds, ElementsAre(kTracing, kCompiling, kExecuting));
  EXPECT_EQ(report.first_excess->seconds, 7.75);
  EXPECT_EQ(report.first_excess->n, 5U);
  EXPECT_EQ(report.metric_of(kCompiling), "");
}

TEST(Phases, CountersSayWhichRepetitionsCompiled) {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = {9, 3, 1, 1, 4, 1.25, 1.125, 1.25};
  const auto report = phases(facts, captured({2, 1, 0, 0, 1, 0, 0, 0}));
  expect_phase(report.repetitions[0].of(kCompiling), Basis::kInferred, 9 - 1.1875);
  expect_phase(report.repetitions[1].of(kCompiling), Basis::kInferred, 3 - 1.1875);
  expect_phase(report.repetitions[2].of(kCompiling), Basis::kCounted, 0);
  // A steady repetition that compiled is not among those it is compared with.
  expect_phase(report.repetitions[4].of(kCompiling), Basis::kInferred, 4 - 1.1875);
  EXPECT_DOUBLE_EQ(report.repetitions[4].of(kCompiling).interval->confidence, 3.0 / 5);
  EXPECT_EQ(report.steady.of(kCompiling).n, 5U);
  EXPECT_EQ(report.steady.of(kCompiling).median, 0);
}

TEST(Phases, NoiseIsNotClampedToZero) {
  TimingFacts facts;
  facts.has_dynamo = true;
  for (const double first : {0.5, 1.125, 1.5}) {
    facts.total_time = {first, 2, 1, 1, 1.5, 1.25, 1.125, 1.25};
    const auto compiling = phases(facts, {}).repetitions[0].of(kCompiling);
    expect_phase(compiling, Basis::kNoise, {});
    EXPECT_EQ(compiling.interval->low, first - 1.5);
    EXPECT_LE(compiling.interval->low, 0);
  }
  facts.total_time[0] = 1.5625;
  expect_phase(phases(facts, {}).repetitions[0].of(kCompiling), Basis::kInferred, 0.3125);
}

TEST(Phases, FewRepetitionsAreComparedWithAllOthers) {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = {15, 0.5, 0.25, 0.75};  // one is steady
  const auto compiling = phases(facts, {}).repetitions[0].of(kCompiling);
  expect_phase(compiling, Basis::kInferred, 14.5);
  EXPECT_DOUBLE_EQ(compiling.interval->confidence, 0.5);
  facts.total_time = {15, 0.5};
  expect_phase(phases(facts, {}).repetitions[0].of(kCompiling), Basis::kInseparable, {});
  EXPECT_FALSE(phases(facts, {}).first_excess);
}

TEST(Phases, TracingThatIsAPhaseOfItsOwnIsNoCompiling) {
  TimingFacts facts;
  facts.has_xla = true;  // lazy tensors, of a runner that did not record XLA's metrics
  facts.total_time = {9, 2, 1, 1, 1.5, 1.25, 1.25, 1};
  facts.trace_time = {3, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  const auto report = phases(facts, {});
  expect_phase(report.repetitions[0].of(kTracing), Basis::kMeasured, 3);
  expect_phase(report.repetitions[0].of(kCompiling), Basis::kInferred, 6 - 0.75);
  facts.has_dynamo = true;  // now the call compiles
  expect_phase(phases(facts, {}).repetitions[0].of(kTracing), Basis::kInseparable, {});
  expect_phase(phases(facts, {}).repetitions[0].of(kCompiling), Basis::kInferred, 9 - 1.25);
  expect_phase(phases(facts, {}).repetitions[3].of(kTracing), Basis::kMeasured, 0.5);
}

TEST(Phases, EagerDoesNotCompile) {
  TimingFacts facts;
  facts.total_time = {9, 2, 1, 1, 1.5, 1.25};
  const auto report = phases(facts, {});
  expect_phase(report.repetitions[0].of(kCompiling), Basis::kNoCompiler, {});
  expect_phase(report.repetitions[0].of(kRest), Basis::kDerived, 9);
  EXPECT_THAT(report.repetitions[0].rest_holds, ElementsAre(kTracing, kExecuting));
  EXPECT_EQ(report.first_excess->seconds, 7.75) << "what the first one cost is still said";
}

TEST(Phases, TheProfilersDeviceTimeStandsInForXlas) {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = {9, 2, 1, 1, 1.5, 1.25};
  facts.cuda_time = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  const auto report = phases(facts, {});
  expect_phase(report.repetitions[3].of(kExecuting), Basis::kMeasured, 0.5);
  EXPECT_EQ(report.metric_of(kExecuting), "total_cuda_time_s");
}

TEST(Phases, OfAPureWallTimeNothingIsAPart) {
  auto facts = openxla();
  facts.trace_time.clear();
  facts.pure_wall_time = true;
  const auto first = phases(facts, {}).repetitions[0];
  expect_phase(first.of(kCompiling), Basis::kMeasured, 4);
  expect_phase(first.of(kExecuting), Basis::kNotRecorded, {});
  expect_phase(first.of(kRest), Basis::kInseparable, {});
}

TEST(Phases, HolesAndArraysOfAllLengths) {
  auto facts = openxla();
  facts.total_time = {10, std::nan(""), schema::null_sample(), 0, -1, INFINITY, 1};
  facts.compile_time = {std::nan("")};
  facts.trace_time = {7, 1};
  const auto report = phases(facts, captured({1}));
  ASSERT_EQ(report.repetitions.size(), 7U);
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_FALSE(report.repetitions[i].total) << i;
    expect_phase(report.repetitions[i].of(kRest), Basis::kNotRecorded, {});
  }
  expect_phase(report.repetitions[0].of(kCompiling), Basis::kInseparable, {});
  EXPECT_EQ(report.steady.repetitions, 4U);
  EXPECT_EQ(report.steady.total.n, 1U);
  EXPECT_FALSE(report.steady.total.interval);
  EXPECT_FALSE(report.first_excess);
  EXPECT_THAT(phases({}, {}).repetitions, IsEmpty());
  EXPECT_EQ(phases({}, {}).steady.total.n, 0U);
}

TEST(Phases, EveryWordIsSaid) {
  std::set<std::string_view> words;
  for (const Phase phase : kPhases) {
    words.insert(phase_name(phase));
    EXPECT_GT(phase_definition(phase).size(), 20U);
  }
  for (const Basis basis : kBases) {
    words.insert(basis_name(basis));
    EXPECT_GT(basis_meaning(basis).size(), 10U);
  }
  EXPECT_EQ(words.size(), kPhases.size() + kBases.size());
}

TEST(CompileTime, ARecompilingModelDoesNotLookFaster) {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = {0.41, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08};
  EXPECT_FALSE(may_recompile(facts));
  const auto once = compile_time(facts, captured({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_NEAR(*once, 0.33, 1e-9);
  EXPECT_NEAR(*compile_time(facts, {}), 0.33, 1e-9) << "without counters the same";
  for (std::size_t i = 1; i < 7; ++i) facts.total_time[i] = 0.40;
  EXPECT_TRUE(may_recompile(facts));
  EXPECT_NEAR(*compile_time(facts, captured({1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0})), 0.33 + 6 * 0.32,
              1e-9);
  EXPECT_NEAR(*compile_time(facts, {}), 0.33, 1e-9) << "without counters the first alone, no less";
}

TEST(CompileTime, IsNeverBelowNoise) {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = {0.9, 1.0, 1.1, 1.0, 1.05, 1.1, 0.95};
  EXPECT_FALSE(compile_time(facts, {})) << "it would be below zero";
  facts.total_time[0] = 1.08;
  EXPECT_FALSE(compile_time(facts, {})) << "and here no more than one of the others";
  facts.total_time = {3, 1};
  EXPECT_EQ(compile_time(facts, {}), 2) << "of two repetitions there is no noise to know";
  facts.total_time = {1, 3};
  EXPECT_FALSE(compile_time(facts, {}));
  facts.total_time = {3};
  EXPECT_FALSE(compile_time(facts, {}));
  facts.total_time = {3, 1, 1, 1, 1, 1};
  facts.has_dynamo = false;
  EXPECT_FALSE(compile_time(facts, {})) << "nothing compiles";
}

TEST(CompileTime, OfXlaIsMeasuredInAllRepetitions) {
  EXPECT_EQ(compile_time(openxla(), {}), 4.5);
  EXPECT_FALSE(may_recompile(openxla())) << "no counters are needed";
}

}  // namespace
}  // namespace benchhud::analysis
