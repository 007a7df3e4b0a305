#include "analysis/timing/timing_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace benchhud::analysis {
namespace {

using schema::Experiment;
using schema::SampleShape;
using schema::StoredMeasurement;
using testing::ElementsAre;
using testing::IsEmpty;

StoredMeasurement metric(std::string name, std::vector<double> samples,
                         SampleShape shape = SampleShape::kArray) {
  StoredMeasurement stored;
  stored.measurement.metric = std::move(name);
  stored.measurement.samples = std::move(samples);
  stored.measurement.shape = shape;
  return stored;
}

Experiment on(std::string accelerator) {
  Experiment experiment;
  experiment.accelerator = std::move(accelerator);
  return experiment;
}

TEST(TimingFacts, TakesWhatIsThere) {
  Experiment experiment = on("cuda");
  experiment.xla = "PJRT";
  experiment.dynamo = "openxla";
  const std::vector<StoredMeasurement> metrics = {metric("total_time", {9, 2}),
                                                  metric("trace_total_time", {8, 1}),
                                                  metric("xla_CompileTime_time_s", {5, 0}),
                                                  metric("xla_CompileTime_number", {1, 0}),
                                                  metric("xla_ExecuteTime_time_s", {1, 1}),
                                                  metric("xla_ExecuteTime_number", {1, 1})};
  const auto facts = timing_facts(experiment, metrics, 2, 1);
  EXPECT_TRUE(facts.has_xla && facts.has_dynamo && !facts.has_torch_xla2 && !facts.on_cpu);
  EXPECT_TRUE(facts.compiles());
  EXPECT_THAT(facts.total_time, ElementsAre(9, 2));
  EXPECT_THAT(facts.trace_time, ElementsAre(8, 1));
  EXPECT_THAT(facts.compile_time, ElementsAre(5, 0));
  EXPECT_THAT(facts.execute_number, ElementsAre(1, 1));
  EXPECT_THAT(facts.profiler_metrics, IsEmpty());
  EXPECT_FALSE(facts.pure_wall_time);
}

TEST(TimingFacts, TimesOfOneIterationStandInForThoseOfAll) {
  const std::vector<StoredMeasurement> metrics = {metric("per_iter_time", {2, 1}),
                                                  metric("trace_per_iter_time", {0.5, 0.25}),
                                                  metric("per_iter_cuda_time_s", {0.25, 0.5})};
  const auto facts = timing_facts(on("cuda"), metrics, {}, 4);
  EXPECT_THAT(facts.total_time, ElementsAre(8, 4));
  EXPECT_THAT(facts.trace_time, ElementsAre(2, 1));
  EXPECT_THAT(facts.cuda_time, ElementsAre(1, 2));
  EXPECT_THAT(facts.profiler_metrics, ElementsAre("per_iter_cuda_time_s"));
  EXPECT_THAT(timing_facts(on("cuda"), metrics, {}, {}).total_time, IsEmpty());
  EXPECT_THAT(timing_facts(on("cuda"), metrics, {}, 0).total_time, IsEmpty());
}

TEST(TimingFacts, TraceTimesOfZeroArePureWallTime) {
  Experiment experiment = on("cuda");
  experiment.xla = "PJRT";
  const std::vector<StoredMeasurement> metrics = {metric("total_time", {2, 1}),
                                                  metric("trace_total_time", {0, 0})};
  const auto facts = timing_facts(experiment, metrics, {}, {});
  EXPECT_TRUE(facts.pure_wall_time);
  EXPECT_THAT(facts.trace_time, IsEmpty());
}

TEST(TimingFacts, WhatNobodyCountsIsAbsentNotZero) {
  Experiment experiment = on("cuda");
  experiment.xla = "PJRT";
  experiment.torch_xla2 = "extract_jax";
  const std::vector<StoredMeasurement> metrics = {
      metric("total_time", {2, 1}), metric("xla_CompileTime_time_s", {0, 0}),
      metric("xla_ExecuteTime_time_s", {0, 0}), metric("total_cuda_time_s", {0, 0})};
  auto facts = timing_facts(experiment, metrics, {}, {});
  EXPECT_THAT(facts.compile_time, IsEmpty()) << "torch_xla does not see what JAX compiles";
  EXPECT_THAT(facts.execute_time, IsEmpty());
  EXPECT_THAT(facts.cuda_time, IsEmpty());
  experiment.torch_xla2.reset();
  facts = timing_facts(experiment, metrics, {}, {});
  EXPECT_THAT(facts.compile_time, ElementsAre(0, 0));
  EXPECT_THAT(facts.execute_time, IsEmpty());
}

TEST(TimingFacts, TheCpuIsNoDevice) {
  const std::vector<StoredMeasurement> metrics = {metric("total_cuda_time_s", {1, 1})};
  EXPECT_THAT(timing_facts(on("cpu"), metrics, {}, {}).cuda_time, IsEmpty());
  EXPECT_THAT(timing_facts(on("cuda"), metrics, {}, {}).cuda_time, ElementsAre(1, 1));
}

TEST(TimingFacts, UsableSamples) {
  const std::vector<double> samples = {
      1, 0, -1, std::nan(""), schema::null_sample(), std::numeric_limits<double>::infinity()};
  EXPECT_EQ(usable_sample(samples, 0), 1);
  EXPECT_EQ(usable_sample(samples, 1), 0);
  for (std::size_t i = 2; i < 8; ++i) EXPECT_FALSE(usable_sample(samples, i)) << i;
}

TEST(TimingFacts, SlowStart) {
  TimingFacts facts;
  EXPECT_FALSE(has_slow_start(facts));
  facts.total_time = {3};
  EXPECT_FALSE(has_slow_start(facts));
  facts.total_time = {3, 1.5, 9, std::nan("")};
  EXPECT_FALSE(has_slow_start(facts)) << "the median of the others is 5.25";
  facts.total_time = {3.5, 1.5, 1.75, 1.25};
  EXPECT_TRUE(has_slow_start(facts));
  facts.total_time = {3, 1.5, 1.5, 1.5};
  EXPECT_FALSE(has_slow_start(facts)) << "not more than twice";
}

}  // namespace
}  // namespace benchhud::analysis
