#include "analysis/timing/timing_hygiene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/statistics/unimodality.h"
#include "tests/unit/places.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kFound = CheckOutcome::kFound;
constexpr auto kNotFound = CheckOutcome::kNotFound;
constexpr auto kCannotTell = CheckOutcome::kCannotTell;

struct Inspected {
  HygieneReport report;

  CheckOutcome outcome(Concern concern) const {
    return report.outcomes[static_cast<std::size_t>(concern)];
  }
  const HygieneFlag* find(Concern concern) const {
    for (const auto& flag : report.flags) {
      if (flag.concern == concern) return &flag;
    }
    return nullptr;
  }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> names;
    for (const auto& flag : report.flags) names.push_back(concern_name(flag.concern));
    return names;
  }
};

Inspected inspect(const TimingFacts& facts, const DynamoReport& dynamo = {},
                  const HygieneContext& context = {}) {
  return {timing_hygiene(facts, dynamo, phases(facts, dynamo), context)};
}

double value(const HygieneFlag& flag, std::string_view name) {
  for (const auto& [key, value] : flag.values) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no value " << name;
  return 0;
}

/// A calm result of torch_xla: 10 ms each, of which the host traces 2 and the device executes 7.
TimingFacts calm() {
  TimingFacts facts;
  facts.has_xla = true;
  facts.total_time = {3,      0.020,  0.011,  0.0100, 0.0101, 0.0099,
                      0.0102, 0.0098, 0.0100, 0.0101, 0.0099, 0.0100};
  const std::size_t n = facts.total_time.size();
  facts.trace_time.assign(n, 0.002);
  facts.compile_time.assign(n, 0);
  facts.compile_number.assign(n, 0);
  facts.compile_time[0] = 2.5;
  facts.compile_number[0] = 1;
  facts.execute_time.assign(n, 0.007);
  facts.execute_number.assign(n, 1);
  return facts;
}

TEST(TimingHygiene, ACalmResultHasNoFlags) {
  const auto found = inspect(calm());
  EXPECT_THAT(found.names(), IsEmpty());
  for (const Concern concern : kConcerns) {
    const bool unasked = concern == Concern::kBatchSizeDiffers;
    EXPECT_EQ(found.outcome(concern), unasked ? kCannotTell : kNotFound) << concern_name(concern);
  }
}

TEST(TimingHygiene, WhatIsNotRecordedCannotBeTold) {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = calm().total_time;
  const auto found = inspect(facts);
  EXPECT_THAT(found.names(), IsEmpty());
  for (const Concern concern :
       {Concern::kOnlyTracing, Concern::kNotWaitedFor, Concern::kWaitUnclear,
        Concern::kSteadyCompiles, Concern::kFirstNotSlower, Concern::kHostBound,
        Concern::kPureWallTime, Concern::kBatchSizeDiffers}) {
    EXPECT_EQ(found.outcome(concern), kCannotTell) << concern_name(concern);
  }
  EXPECT_EQ(found.outcome(Concern::kDrifting), kNotFound);
  for (const CheckOutcome outcome : inspect({}).report.outcomes) {
    EXPECT_EQ(outcome, kCannotTell) << "nothing was timed";
  }
  for (const CheckOutcome outcome : HygieneReport().outcomes) EXPECT_EQ(outcome, kCannotTell);
}

TEST(TimingHygiene, OnlyTracingWasMeasured) {
  auto facts = calm();
  facts.trace_time.assign(12, 0.0099);  // the time ends when the calls return
  facts.execute_time.assign(12, 0.040);
  const auto found = inspect(facts);
  EXPECT_THAT(found.names(), ElementsAre("only_tracing"));
  const auto* flag = found.find(Concern::kOnlyTracing);
  EXPECT_EQ(flag->severity, Severity::kWrong);
  EXPECT_THAT(flag->sentence,
              HasSubstr("the time ends after 10 ms, when the calls return (9.9 ms), "
                        "while a single execution on the device took 40 ms"));
  EXPECT_EQ(value(*flag, "device_s"), 0.040);
  EXPECT_EQ(flag->repetitions.size(), 9U);
}

TEST(TimingHygiene, ExecutionsInAQueueCountTheSameTimeSeveralTimes) {
  // Ten programs given out at once, each 0.9 ms long and waiting for those before it: 49.5 ms.
  auto facts = calm();
  facts.execute_time.assign(12, 0.0495);
  facts.execute_number.assign(12, 10);
  EXPECT_THAT(inspect(facts).names(), IsEmpty());
  // If besides the time ends with the calls, nobody can tell.
  facts.trace_time.assign(12, 0.0099);
  const auto found = inspect(facts);
  EXPECT_EQ(found.outcome(Concern::kWaitUnclear), kFound);
  EXPECT_EQ(found.find(Concern::kWaitUnclear)->severity, Severity::kNote);
}

TEST(TimingHygiene, NotWaitedFor) {
  auto facts = calm();
  facts.execute_time.assign(12, 0.025);
  auto found = inspect(facts);
  ASSERT_TRUE(found.find(Concern::kNotWaitedFor));
  EXPECT_EQ(found.find(Concern::kNotWaitedFor)->severity, Severity::kWrong);
  EXPECT_EQ(found.outcome(Concern::kOnlyTracing), kNotFound);

  TimingFacts inductor;
  inductor.has_dynamo = true;
  inductor.total_time = calm().total_time;
  inductor.cuda_time.assign(12, 0.025);
  found = inspect(inductor);
  ASSERT_TRUE(found.find(Concern::kNotWaitedFor));
  EXPECT_EQ(found.find(Concern::kNotWaitedFor)->severity, Severity::kWarning);
  EXPECT_THAT(found.find(Concern::kNotWaitedFor)->sentence, HasSubstr("several streams"));
}

TEST(TimingHygiene, TracingAsLongAsTheTimeWithoutExecutionTimesIsUnclear) {
  auto facts = calm();
  facts.trace_time.assign(12, 0.0099);
  facts.execute_time.clear();
  facts.execute_number.clear();
  const auto found = inspect(facts);
  EXPECT_THAT(found.names(), ElementsAre("wait_unclear"));
  EXPECT_EQ(found.outcome(Concern::kOnlyTracing), kCannotTell);
}

TEST(TimingHygiene, HostBound) {
  auto facts = calm();
  facts.trace_time.assign(12, 0.008);
  const auto found = inspect(facts);
  EXPECT_THAT(found.names(), ElementsAre("host_bound"));
  EXPECT_THAT(found.find(Concern::kHostBound)->sentence, HasSubstr("needs 8 ms"));
  EXPECT_THAT(found.find(Concern::kHostBound)->sentence, HasSubstr("the device 7 ms"));
}

TEST(TimingHygiene, StillCompiling) {
  auto facts = calm();
  facts.compile_number[5] = 2;
  facts.compile_time[5] = 0.003;
  auto found = inspect(facts);
  ASSERT_TRUE(found.find(Concern::kSteadyCompiles));
  EXPECT_EQ(found.find(Concern::kSteadyCompiles)->severity, Severity::kWarning);
  EXPECT_THAT(found.find(Concern::kSteadyCompiles)->repetitions, ElementsAre(5));
  EXPECT_THAT(
      found.find(Concern::kSteadyCompiles)->sentence,
      HasSubstr("1 of 9 steady repetitions still compiled (XLA compiled 2 times, for 3 ms)"));
  facts.compile_number.assign(12, 1);
  EXPECT_EQ(inspect(facts).find(Concern::kSteadyCompiles)->severity, Severity::kWrong);
}

TEST(TimingHygiene, DynamosCountersTellOfCompilingToo) {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = calm().total_time;
  DynamoReport dynamo;
  dynamo.captured = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(inspect(facts, dynamo).outcome(Concern::kSteadyCompiles), kNotFound)
      << "the second repetition is warm-up";
  dynamo.captured[11] = 1;
  EXPECT_THAT(inspect(facts, dynamo).find(Concern::kSteadyCompiles)->repetitions, ElementsAre(11));
}

TEST(TimingHygiene, WarmUpMissingAndFewRepetitions) {
  auto facts = calm();
  facts.repeat = 12;
  facts.total_time.resize(3);
  const auto found = inspect(facts);
  EXPECT_THAT(found.names(), ElementsAre("warmup_missing", "too_few_repetitions"));
  EXPECT_THAT(found.report.flags[0].sentence, HasSubstr("3 repetitions of 12 that were asked for"));
  EXPECT_EQ(found.outcome(Concern::kBimodal), kCannotTell);
  EXPECT_EQ(found.outcome(Concern::kDrifting), kCannotTell);
  EXPECT_EQ(found.outcome(Concern::kHighSpread), kCannotTell);
  facts.repeat = {};
  facts.total_time.resize(1);
  EXPECT_THAT(inspect(facts).find(Concern::kWarmupMissing)->sentence,
              HasSubstr("There is 1 repetition: "));
}

TEST(TimingHygiene, AFirstRepetitionThatCompiledButIsNoSlower) {
  auto facts = calm();
  facts.total_time[0] = 0.0101;
  const auto found = inspect(facts);
  EXPECT_THAT(found.names(), ElementsAre("first_not_slower"));
  EXPECT_THAT(found.report.flags[0].repetitions, ElementsAre(0));
}

TEST(TimingHygiene, TheFirstIsComparedWithWhatDidNotCompile) {
  // Every call compiles as long as the first: the time holds it.
  auto facts = calm();
  facts.total_time.assign(12, 2.0);
  facts.compile_number.assign(12, 1);
  facts.compile_time.assign(12, 1.9);
  auto found = inspect(facts);
  EXPECT_THAT(found.names(), ElementsAre("compiling_in_steady_state"));
  EXPECT_EQ(found.outcome(Concern::kFirstNotSlower), kCannotTell);
  // One that did not is too few to know how long such take.
  facts.compile_number[5] = 0;
  facts.compile_time[5] = 0;
  facts.total_time[5] = 2.1;
  EXPECT_EQ(inspect(facts).outcome(Concern::kFirstNotSlower), kCannotTell);
  facts.compile_number[6] = 0;
  facts.compile_time[6] = 0;
  facts.total_time[6] = 0.1;
  found = inspect(facts);
  ASSERT_TRUE(found.find(Concern::kFirstNotSlower));
  EXPECT_THAT(found.find(Concern::kFirstNotSlower)->sentence, HasSubstr("(up to 2.1 s)"));
  facts.total_time[5] = 0.1;
  EXPECT_EQ(inspect(facts).outcome(Concern::kFirstNotSlower), kNotFound);
}

TEST(TimingHygiene, UnderAProfiler) {
  auto facts = calm();
  facts.profiler_metrics = {"total_cpu_time_s", "total_cuda_time_s"};
  EXPECT_THAT(inspect(facts).find(Concern::kProfilerOn)->sentence,
              HasSubstr("(total_cpu_time_s, total_cuda_time_s)"));
  HygieneContext context;
  context.profiled_repetitions = {0, 1, 99};
  EXPECT_THAT(inspect(calm(), {}, context).names(), IsEmpty()) << "of the warm-up alone";
  context.profiled_repetitions = {0, 4, 5};
  const auto found = inspect(calm(), {}, context);
  EXPECT_THAT(found.names(), ElementsAre("profiler_on"));
  EXPECT_THAT(found.report.flags[0].repetitions, ElementsAre(4, 5));
}

TEST(TimingHygiene, PureWallTime) {
  auto facts = calm();
  facts.trace_time.clear();
  facts.pure_wall_time = true;
  facts.execute_time.assign(12, 5);  // of hundreds of calls
  EXPECT_THAT(inspect(facts).names(), ElementsAre("pure_wall_time"));
  // Its time never holds compilation: neither that of the first repetition nor that of others.
  facts.total_time[0] = 0.01;
  facts.compile_number[5] = 1;
  const auto found = inspect(facts);
  EXPECT_THAT(found.names(), ElementsAre("compiling_in_steady_state", "pure_wall_time"));
  EXPECT_EQ(found.outcome(Concern::kFirstNotSlower), kCannotTell);
  EXPECT_EQ(found.report.flags[0].severity, Severity::kNote);
  EXPECT_THAT(found.report.flags[0].sentence, HasSubstr("holds no compilation"));
}

TEST(TimingHygiene, Drift) {
  auto facts = calm();
  for (std::size_t i = 3; i < 12; ++i) {
    facts.total_time[i] = 0.010 + 0.0001 * static_cast<double>(i);
  }
  const auto found = inspect(facts);
  ASSERT_TRUE(found.find(Concern::kDrifting));
  EXPECT_NEAR(value(*found.find(Concern::kDrifting), "change_share"), 0.0008 / 0.0103, 0.001);
  EXPECT_THAT(found.find(Concern::kDrifting)->sentence, HasSubstr("drift up by 7.8 %"));
  // As sure a drift, but of less than 2 %.
  for (std::size_t i = 3; i < 12; ++i) {
    facts.total_time[i] = 0.010 + 0.00001 * static_cast<double>(i);
  }
  EXPECT_EQ(inspect(facts).outcome(Concern::kDrifting), kNotFound);
}

TEST(TimingHygiene, TwoHumps) {
  auto facts = calm();
  const std::vector<double> humps = {10, 20.1, 20, 10.1, 10.05, 19.9, 10.02, 20.05, 9.98};
  for (std::size_t i = 0; i < humps.size(); ++i) facts.total_time[i + 3] = humps[i] / 1000;
  const auto found = inspect(facts);
  ASSERT_TRUE(found.find(Concern::kBimodal));
  EXPECT_THAT(found.find(Concern::kBimodal)->sentence,
              HasSubstr("two groups: 5 around 10 ms, 4 around 20 ms"));
  EXPECT_EQ(value(*found.find(Concern::kBimodal), "low_count"), 5);
}

TEST(TimingHygiene, AFallIsLessThanAllOfIt) {
  auto facts = calm();
  for (std::size_t i = 3; i < 12; ++i)
    facts.total_time[i] = 4.6 / static_cast<double>(1 << (i - 3));
  const auto found = inspect(facts);
  ASSERT_TRUE(found.find(Concern::kDrifting));
  const double change = value(*found.find(Concern::kDrifting), "change_share");
  EXPECT_NEAR(change, 1.0 / 256 - 1, 1e-9);
  EXPECT_THAT(found.find(Concern::kDrifting)->sentence, HasSubstr("drift down by 99.6 %"));
}

TEST(TimingHygiene, RepetitionsThatCompileAreNoSpreadAndNoDrift) {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = {4.35, 4.63,   4.17,   4.21,   4.17,   4.59,
                      0.41, 0.0816, 0.0799, 0.0791, 0.0773, 0.0765};
  DynamoReport dynamo;
  dynamo.repetitions = 12;
  dynamo.captured = {1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0};
  const auto found = inspect(facts, dynamo);
  EXPECT_THAT(found.names(), ElementsAre("compiling_in_steady_state"));
  EXPECT_EQ(found.outcome(Concern::kDrifting), kCannotTell) << "five that do not compile";
}

TEST(TimingHygiene, HighSpread) {
  auto facts = calm();
  const std::vector<double> wide = {10, 11.4, 8.7, 10.6, 9.1, 12.1, 8.2, 10.3, 9.6};
  for (std::size_t i = 0; i < wide.size(); ++i) facts.total_time[i + 3] = wide[i] / 1000;
  EXPECT_THAT(inspect(facts).names(), ElementsAre("high_spread"));
  EXPECT_THAT(inspect(facts).find(Concern::kHighSpread)->sentence,
              HasSubstr("lie between 8.2 ms and 12.1 ms"));
}

TEST(TimingHygiene, BatchSizes) {
  HygieneContext context;
  context.batch_size = 16;
  context.baseline = "inductor";
  context.baseline_batch_sizes = {8, 32};
  const auto found = inspect(calm(), {}, context);
  EXPECT_THAT(found.names(), ElementsAre("batch_size_differs"));
  EXPECT_EQ(found.report.flags[0].sentence,
            "Batch size 16, while inductor ran 8 and 32: the two are not compared.");
  context.baseline_batch_sizes = {8, 16};
  EXPECT_EQ(inspect(calm(), {}, context).outcome(Concern::kBatchSizeDiffers), kNotFound);
}

TEST(TimingHygiene, TheGravestFirst) {
  auto facts = calm();
  facts.total_time.resize(3);
  facts.execute_time.assign(12, 0.5);
  const auto found = inspect(facts);
  ASSERT_GE(found.report.flags.size(), 2U);
  EXPECT_EQ(found.report.flags.front().severity, Severity::kWrong);
}

TEST(TimingHygiene, HostileSamples) {
  auto facts = calm();
  facts.total_time = {std::nan(""), 1e308,  1e-320, 1e308, INFINITY, 1e308, 1e308,
                      1e308,        1e-320, 1e308,  0,     -1,       1e308, 1e308};
  facts.execute_time = {std::nan(""), -1, 1e308, 1e308, 0, 1e308};
  facts.execute_number = {0, 0, 0, 0, 0, 1e-300};
  facts.compile_number = {INFINITY, 1e300};
  for (const auto& flag : inspect(facts).report.flags) EXPECT_FALSE(flag.sentence.empty());
}

/// Samples around 10 ms with a spread of 10 %, so that the smallest change worth a word is no help.
template <class Draw>
double alarm_rate(std::size_t steady, const Draw& draw) {
  constexpr int kSeries = 4000;
  TimingFacts facts;
  facts.total_time.assign(steady + 3, 0.010);
  std::mt19937_64 random(20251101 + steady);
  int alarms = 0;
  for (int i = 0; i < kSeries; ++i) {
    for (std::size_t k = 3; k < facts.total_time.size(); ++k) {
      facts.total_time[k] = 0.010 * std::exp(0.1 * draw(random));
    }
    const auto found = inspect(facts);
    alarms +=
        found.outcome(Concern::kDrifting) == kFound || found.outcome(Concern::kBimodal) == kFound;
  }
  return alarms / static_cast<double>(kSeries);
}

TEST(TimingHygiene, FalseAlarmsOfDriftAndHumpsTogether) {
  // Stated: 0.5 % for drift, 1 % for humps; 1 % for both together on noise with one hump in the
  // middle. Four standard deviations of a binomial of 4,000 are allowed above it.
  const double allowed = 0.01 + 4 * std::sqrt(0.01 * 0.99 / 4000);
  for (const std::size_t repetitions : {12, 30}) {
    SCOPED_TRACE(repetitions);
    const std::size_t steady = repetitions - 3;
    std::normal_distribution<double> normal;
    std::student_t_distribution<double> heavy(2);
    std::exponential_distribution<double> skew;
    std::uniform_real_distribution<double> flat(-1, 1);
    EXPECT_LE(alarm_rate(steady, [&](auto& random) { return normal(random); }), allowed);
    EXPECT_LE(alarm_rate(steady, [&](auto& random) { return heavy(random); }), allowed);
    EXPECT_LE(alarm_rate(steady, [&](auto& random) { return skew(random); }), allowed);
    // The hardest case: all of the stated rates.
    EXPECT_LE(alarm_rate(steady, [&](auto& random) { return flat(random); }),
              kDriftAlarmRate + kDipAlarmRate + 4 * std::sqrt(0.015 * 0.985 / 4000));
  }
}

TEST(TimingHygiene, DriftsAndHumpsAreFound) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int drifts = 0, humps = 0;
  constexpr int kSeries = 500;
  for (int i = 0; i < kSeries; ++i) {
    TimingFacts drifting, two;
    drifting.total_time.assign(12, 0.010);
    two.total_time.assign(30, 0.010);
    for (std::size_t k = 0; k < 12; ++k) {
      drifting.total_time[k] *= 1 + 0.01 * static_cast<double>(k) + 0.01 * normal(random);
    }
    for (std::size_t k = 0; k < 30; ++k) {
      two.total_time[k] *= 1 + (k * 7 % 5 < 2 ? 0.1 : 0) + 0.01 * normal(random);
    }
    drifts += inspect(drifting).outcome(Concern::kDrifting) == kFound;
    humps += inspect(two).outcome(Concern::kBimodal) == kFound;
  }
  EXPECT_GT(drifts, kSeries * 8 / 10);
  EXPECT_GT(humps, kSeries * 8 / 10);
}

// A result for each concern, and more where what a flag says depends on what is known.
std::vector<Inspected> results_with_flags() {
  std::vector<Inspected> found;
  const auto add = [&](auto change) {
    TimingFacts facts = calm();
    HygieneContext context;
    change(facts, context);
    found.push_back(inspect(facts, {}, context));
  };
  add([](TimingFacts& facts, auto&) {
    facts.trace_time.assign(12, 0.0099);
    facts.execute_time.assign(12, 0.040);
  });
  add([](TimingFacts& facts, auto&) { facts.execute_time.assign(12, 0.025); });
  add([](TimingFacts& facts, auto&) {
    facts.trace_time.assign(12, 0.0099);
    facts.execute_number.assign(12, 10);
    facts.execute_time.assign(12, 0.0495);
  });
  add([](TimingFacts& facts, auto&) { facts.compile_number[5] = 2; });
  add([](TimingFacts& facts, auto&) { facts.total_time.resize(3); });
  add([](TimingFacts& facts, auto&) { facts.total_time[0] = 0.0101; });
  add([](TimingFacts& facts, auto&) { facts.profiler_metrics = {"total_cpu_time_s"}; });
  add([](TimingFacts& facts, auto&) { facts.pure_wall_time = true; });
  add([](TimingFacts& facts, auto&) {
    for (std::size_t i = 3; i < 12; ++i) facts.total_time[i] += 0.0001 * static_cast<double>(i);
  });
  add([](TimingFacts& facts, auto&) {
    const std::vector<double> humps = {10, 20.1, 20, 10.1, 10.05, 19.9, 10.02, 20.05, 9.98};
    for (std::size_t i = 0; i < humps.size(); ++i) facts.total_time[i + 3] = humps[i] / 1000;
  });
  add([](TimingFacts& facts, auto&) {
    const std::vector<double> wide = {10, 11.4, 8.7, 10.6, 9.1, 12.1, 8.2, 10.3, 9.6};
    for (std::size_t i = 0; i < wide.size(); ++i) facts.total_time[i + 3] = wide[i] / 1000;
  });
  add([](TimingFacts& facts, auto&) { facts.trace_time.assign(12, 0.008); });
  add([](auto&, HygieneContext& context) {
    context.batch_size = 16;
    context.baseline_batch_sizes = {8};
  });
  return found;
}

TEST(TimingHygiene, ValuesEndWithTheirUnit) {
  // The pages' tests read the same file: what is said here is shown there with its unit.
  std::ifstream file(source_root() / "tests/unit/analysis/hygiene_values.json");
  const auto known = nlohmann::json::parse(file).get<std::map<std::string, std::string>>();
  const auto kind_of = [](std::string_view name) -> std::string {
    if (name.ends_with("_s")) return "seconds";
    if (name.ends_with("_share")) return "share";
    return name == "p_value" || name == "dip" || name == "critical_dip" ? "number" : "count";
  };
  std::set<std::string> said;
  std::set<Concern> concerns;
  for (const Inspected& result : results_with_flags()) {
    for (const HygieneFlag& flag : result.report.flags) {
      concerns.insert(flag.concern);
      for (const auto& [name, value] : flag.values) {
        const std::string key(name);
        said.insert(key);
        ASSERT_TRUE(known.contains(key)) << key << " of " << concern_name(flag.concern);
        EXPECT_EQ(known.at(key), kind_of(key)) << key;
        EXPECT_TRUE(kind_of(key) != "count" || value == std::round(value)) << key;
      }
    }
  }
  EXPECT_EQ(concerns.size(), kConcerns.size());
  EXPECT_EQ(said.size(), known.size()) << "the file names what nothing says";
}

TEST(TimingHygiene, EveryWordIsSaid) {
  std::set<std::string_view> words;
  for (const Concern concern : kConcerns) {
    words.insert(concern_name(concern));
    EXPECT_GT(concern_definition(concern).size(), 20U) << concern_name(concern);
  }
  EXPECT_EQ(words.size(), kConcerns.size());
  EXPECT_EQ(concern_name(Concern::kOnlyTracing), "only_tracing");
  EXPECT_EQ(concern_name(Concern::kBatchSizeDiffers), "batch_size_differs");
  EXPECT_EQ(severity_name(Severity::kNote), "note");
  EXPECT_EQ(outcome_name(kCannotTell), "cannot_tell");
}

}  // namespace
}  // namespace benchhud::analysis
