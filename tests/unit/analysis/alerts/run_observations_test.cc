#include "analysis/alerts/run_observations.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

ExperimentObservation summed_up(
    const TimingFacts& facts, const std::optional<DynamoReport>& dynamo = {},
    const std::optional<std::vector<FallbackOperation>>& fallbacks = {}) {
  ExperimentObservation night;
  observe_timing(facts, dynamo, fallbacks, &night);
  return night;
}
// Of one's time in that night; NaN where there is none.
double time_of(const ExperimentObservation& night, WatchedMetric metric) {
  const auto& time = night.times[place_of(metric)];
  return time ? std::exp(time->level) : kNaN;
}
std::optional<std::int64_t> count_of(const ExperimentObservation& night, WatchedMetric metric) {
  return night.counts[place_of(metric) - kTimedMetrics];
}

TimingFacts compiled() {
  TimingFacts facts;
  facts.has_dynamo = true;
  facts.total_time = {9, 3, 3, 2, 2, 2, 2, 2};
  return facts;
}

TEST(SumUp, TimesOfSteadyRepetitions) {
  TimingFacts facts = compiled();
  facts.trace_time = {9, 3, 3, 0.5, 0.5, 0.5, 0.5, 0.5};
  facts.cuda_time = {9, 3, 3, 1.5, 1.5, 1.5, 1.5, 1.5};
  const ExperimentObservation night = summed_up(facts);
  EXPECT_DOUBLE_EQ(time_of(night, WatchedMetric::kSteady), 2);
  EXPECT_EQ(night.times[0]->count, 5u);
  EXPECT_DOUBLE_EQ(time_of(night, WatchedMetric::kTracing), 0.5);
  EXPECT_DOUBLE_EQ(time_of(night, WatchedMetric::kDevice), 1.5);
  EXPECT_FALSE(night.times[place_of(WatchedMetric::kSpeedup)]);
  facts.execute_time = {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(time_of(summed_up(facts), WatchedMetric::kDevice), 1) << "XLA's own";
}

TEST(SumUp, TimesAreOfOneIteration) {
  TimingFacts facts = compiled();
  facts.trace_time = facts.cuda_time = facts.total_time;
  facts.iterations_per_run = 10;
  const ExperimentObservation night = summed_up(facts);
  EXPECT_DOUBLE_EQ(time_of(night, WatchedMetric::kSteady), 0.2);
  EXPECT_DOUBLE_EQ(time_of(night, WatchedMetric::kTracing), 0.2);
  EXPECT_DOUBLE_EQ(time_of(night, WatchedMetric::kDevice), 0.2);
  EXPECT_DOUBLE_EQ(time_of(night, WatchedMetric::kCompile), 7) << "once, not so often";
  for (const std::int64_t hostile : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{1}}) {
    facts.iterations_per_run = hostile;
    EXPECT_DOUBLE_EQ(time_of(summed_up(facts), WatchedMetric::kSteady), 2) << hostile;
  }
}

TEST(SumUp, CompileTimeIsOfAllRepetitionsOrNone) {
  TimingFacts facts = compiled();
  EXPECT_DOUBLE_EQ(time_of(summed_up(facts), WatchedMetric::kCompile), 7)
      << "beyond the steady ones";
  facts.compile_time = {4, 0.5, 0, 0};
  EXPECT_DOUBLE_EQ(time_of(summed_up(facts), WatchedMetric::kCompile), 4.5);
  facts.compile_time.clear();
  facts.has_dynamo = false;
  EXPECT_TRUE(std::isnan(time_of(summed_up(facts), WatchedMetric::kCompile))) << "nobody compiles";
  facts.has_dynamo = true;
  facts.total_time = {1, 3, 3, 2, 2};
  EXPECT_TRUE(std::isnan(time_of(summed_up(facts), WatchedMetric::kCompile))) << "within noise";
}

TEST(SumUp, Counts) {
  TimingFacts facts = compiled();
  ExperimentObservation night = summed_up(facts);
  for (const auto& count : night.counts) EXPECT_FALSE(count);
  DynamoReport dynamo;
  dynamo.repetitions = 8;
  dynamo.graph_break_count = 2;
  dynamo.unique_graphs = 3;
  dynamo.recompiles = 0;
  FallbackOperation usual, unusual;
  usual.usual = true;
  usual.times.calls = 10;
  unusual.times.calls = 4;
  facts.compile_number = {5, 2, 1, 1, 0, 0, 2, 0};
  night = summed_up(facts, dynamo, std::vector{usual, unusual, unusual});
  EXPECT_EQ(count_of(night, WatchedMetric::kGraphBreaks), 2);
  EXPECT_EQ(count_of(night, WatchedMetric::kGraphs), 3);
  EXPECT_EQ(count_of(night, WatchedMetric::kRecompiles), 0);
  EXPECT_EQ(count_of(night, WatchedMetric::kXlaCompilations), 3) << "of steady repetitions";
  EXPECT_EQ(count_of(night, WatchedMetric::kFallbackOperations), 8) << "the usual ones are none";
  dynamo.repetitions = 0;
  night = summed_up(facts, dynamo, std::vector<FallbackOperation>());
  EXPECT_FALSE(count_of(night, WatchedMetric::kGraphBreaks)) << "nobody counted";
  EXPECT_EQ(count_of(night, WatchedMetric::kFallbackOperations), 0);
}

TEST(SumUp, HostileNumbers) {
  TimingFacts facts = compiled();
  facts.total_time = {kNaN, 0, -1, std::numeric_limits<double>::infinity(), kNaN, 0, -2};
  facts.compile_number = {1, 1, 1, 1, kNaN};
  FallbackOperation many;
  many.times.calls = 1e300;
  const ExperimentObservation night = summed_up(facts, {}, std::vector{many, many});
  for (const auto& time : night.times) EXPECT_FALSE(time);
  for (const auto& count : night.counts) EXPECT_FALSE(count);
  facts.compile_number = {1, 1, 1, 1e300, 1e300};
  EXPECT_FALSE(count_of(summed_up(facts), WatchedMetric::kXlaCompilations));
}

class Speedups : public testing::Test {
 protected:
  schema::ExperimentId add(const std::string& model, const std::string& backend,
                           std::optional<double> seconds, std::int64_t batch = 8,
                           const std::string& flags = "{}") {
    ExperimentObservation result;
    result.experiment = fleet_.add(model, backend, batch, flags);
    if (seconds) result.times[0] = Night{std::log(*seconds), 0.25, results_.size() + 1};
    results_.push_back(result);
    return result.experiment;
  }
  void run(std::string_view backend = "inductor") {
    night_.results = results_;
    baselines_ = add_speedups(fleet_.catalog(), backend, &night_);
    ASSERT_EQ(baselines_.size(), results_.size());
  }
  double speedup(std::size_t i) const {
    return time_of(night_.results[i], WatchedMetric::kSpeedup);
  }

  Fleet fleet_;
  std::vector<ExperimentObservation> results_;
  RunObservations night_;
  std::vector<std::optional<schema::ExperimentId>> baselines_;
};

TEST_F(Speedups, BaselineByOwnOfWhatIsComparable) {
  const auto baseline = add("m", "inductor", 1);
  add("m", "eager", 2);
  add("m", "eager", 2, 16);
  add("other", "eager", 2);
  add("m", "openxla+dynamo", {});
  run();
  EXPECT_TRUE(std::isnan(speedup(0))) << "the baseline itself";
  EXPECT_DOUBLE_EQ(speedup(1), 0.5);
  EXPECT_DOUBLE_EQ(night_.results[1].times[place_of(WatchedMetric::kSpeedup)]->variance, 0.5);
  EXPECT_EQ(night_.results[1].times[place_of(WatchedMetric::kSpeedup)]->count, 1u);
  EXPECT_EQ(baselines_[1], baseline);
  for (const std::size_t i : {2u, 3u, 4u}) {
    EXPECT_TRUE(std::isnan(speedup(i))) << i;
    EXPECT_FALSE(baselines_[i]) << i;
  }
}

TEST_F(Speedups, NoneWhereTheBaselineIsAmbiguous) {
  for (int i = 0; i < 3; ++i) add("m", "inductor", 1, 8, R"({"n":)" + std::to_string(i) + "}");
  add("m", "eager", 2);
  run();
  EXPECT_TRUE(std::isnan(speedup(3)));
  EXPECT_FALSE(baselines_[3]);
}

TEST_F(Speedups, AConfigurationThatWasNotTimedMakesNothingAmbiguous) {
  add("m", "inductor", {}, 8, R"({"n":1})");
  const auto baseline = add("m", "inductor", 1);
  add("m", "eager", 2);
  run();
  EXPECT_DOUBLE_EQ(speedup(2), 0.5);
  EXPECT_EQ(baselines_[2], baseline);
}

TEST_F(Speedups, AgainstAnotherBackend) {
  add("m", "inductor", 1);
  add("m", "eager", 2);
  run("eager");
  EXPECT_DOUBLE_EQ(speedup(0), 2);
  EXPECT_TRUE(std::isnan(speedup(1)));
}

TEST(PackedNight, IsWhatWasPacked) {
  RunObservations night;
  night.run = schema::RunId{7};
  night.started_at = 1761955200.25;
  ExperimentObservation result;
  result.experiment = schema::ExperimentId{3};
  result.times[1] = Night{-2.5, 1e-4, 30};
  result.counts[2] = -1;
  result.code = std::string("FAIL\0 \xff", 7);
  result.status = Status::kFailed;
  night.results = {result, ExperimentObservation()};
  const std::string bytes = pack_night(night);
  const auto again = unpack_night(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->run, night.run);
  EXPECT_EQ(again->started_at, night.started_at);
  EXPECT_EQ(again->results, night.results);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(unpack_night(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(unpack_night(bytes + "x"));
  EXPECT_FALSE(unpack_night("\x02" + bytes.substr(1))) << "of another version";
  EXPECT_FALSE(unpack_night(std::string(200, '\xff')));
}

}  // namespace
}  // namespace benchhud::analysis
