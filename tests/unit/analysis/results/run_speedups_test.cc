#include "analysis/results/run_speedups.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;

class RunSpeedups : public testing::Test {
 protected:
  /// Results against inductor in the same run.
  std::vector<JudgedSpeedup> judged(const SpeedupOptions& options = {}) {
    run_ = run_of(results_);
    const auto catalog = fleet_.catalog();
    const auto baseline = baseline_of_run(run_, catalog, "inductor", options.estimator);
    return run_speedups(run_.run.id, run_.results, catalog, baseline, options);
  }
  schema::ExperimentId add(const std::string& model, const std::string& backend, double seconds,
                           std::optional<std::int64_t> batch = 8, const std::string& flags = "{}") {
    const auto id = fleet_.add(model, backend, batch, flags);
    results_.push_back(timed(id, seconds));
    return id;
  }
  void add_failed(const std::string& model, const std::string& backend,
                  std::optional<std::int64_t> batch = std::nullopt) {
    results_.push_back(failed(fleet_.add(model, backend, batch)));
  }
  std::vector<ColumnGeomean> means(GroupBy group_by, const SpeedupOptions& options = {}) {
    const auto speedups = judged(options);
    return geomeans(run_.results, fleet_.catalog(), speedups, group_by);
  }

  Fleet fleet_;
  std::vector<ResultView> results_;
  JudgedRun run_;
};

TEST_F(RunSpeedups, BaselineOverOwn) {
  const auto baseline = add("m", "inductor", 1.0);
  add("m", "eager", 2.0);
  const auto speedups = judged();
  EXPECT_EQ(speedups[0].excluded, Exclusion::kIsBaseline);
  ASSERT_TRUE(speedups[1].speedup);
  EXPECT_DOUBLE_EQ(speedups[1].speedup->value, 0.5);
  EXPECT_EQ(speedups[1].speedup->n, 5U);
  EXPECT_EQ(speedups[1].speedup->baseline_experiment, baseline);
  EXPECT_LE(speedups[1].speedup->interval->low, 0.5);
  EXPECT_GE(speedups[1].speedup->interval->high, 0.5);
}

TEST_F(RunSpeedups, UpstreamHasNoInterval) {
  add("m", "inductor", 1.0);
  add("m", "eager", 2.0);
  SpeedupOptions options;
  options.estimator = Estimator::kUpstream;
  const auto speedups = judged(options);
  EXPECT_NEAR(speedups[1].speedup->value, 0.5, 1e-12);
  EXPECT_FALSE(speedups[1].speedup->interval);
}

TEST_F(RunSpeedups, WhoIsLeftOutAndWhy) {
  add("missing", "eager", 1);
  add("failed_baseline", "eager", 1);
  add_failed("failed_baseline", "inductor");
  add("other_batch", "eager", 1, 16);
  add("other_batch", "inductor", 1, 8);
  add_failed("own", "eager");
  add("own", "inductor", 1);
  const auto untimed = fleet_.add("untimed", "eager");
  results_.push_back(judge_result(facts_of(untimed, {}), {}, made_up_texts()));
  auto few = facts_of(fleet_.add("few", "eager"), {});
  few.timing_line = schema::LineId{1};
  results_.push_back(judge_result(few, {}, made_up_texts()));
  results_.push_back(failed(fleet_.add("skipped", "eager"), 1));

  std::vector<Exclusion> reasons;
  for (const auto& one : judged()) reasons.push_back(one.excluded.value());
  EXPECT_THAT(reasons,
              ElementsAre(Exclusion::kBaselineMissing, Exclusion::kBaselineFailed,
                          Exclusion::kFailed, Exclusion::kBatchSizeDiffers, Exclusion::kIsBaseline,
                          Exclusion::kFailed, Exclusion::kIsBaseline, Exclusion::kNotTimed,
                          Exclusion::kTooFewSamples, Exclusion::kSkipped));
}

TEST_F(RunSpeedups, VerifiedOnlyLeavesOutWhatDoesNotPass) {
  for (const char* model : {"pass", "fail", "skipped", "never"}) add(model, "inductor", 1);
  const auto passing = add("pass", "eager", 1);
  const auto failing = add("fail", "eager", 1);
  const auto skipped = add("skipped", "eager", 1);
  add("never", "eager", 1);
  for (auto& view : results_) {
    if (view.experiment == passing) view = with_code(view, "PASS", true);
    if (view.experiment == failing) view = with_code(view, "FAIL");
    if (view.experiment == skipped) view = with_code(view, "VERIFIER_SKIPPED");
  }
  SpeedupOptions options;
  options.verified_only = true;
  const auto speedups = judged(options);
  EXPECT_TRUE(speedups[4].speedup) << "a stale pass is the last word";
  EXPECT_EQ(speedups[5].excluded, Exclusion::kVerificationFailed);
  EXPECT_EQ(speedups[6].excluded, Exclusion::kNotVerified);
  EXPECT_EQ(speedups[7].excluded, Exclusion::kNotVerified);
}

TEST_F(RunSpeedups, TheConfigurationWithFewestFlagsIsTheBaseline) {
  add("m", "inductor", 4.0, 8, R"({"flag":1})");
  const auto plain = add("m", "inductor", 2.0);
  add("m", "eager", 1.0);
  add("flagged_only", "inductor", 3.0, 8, R"({"flag":1})");
  add("flagged_only", "eager", 1.0);
  const auto speedups = judged();
  EXPECT_DOUBLE_EQ(speedups[0].speedup->value, 0.5) << "another configuration has a speedup";
  EXPECT_EQ(speedups[1].excluded, Exclusion::kIsBaseline);
  EXPECT_EQ(speedups[2].speedup->baseline_experiment, plain);
  EXPECT_EQ(speedups[3].excluded, Exclusion::kIsBaseline);
  EXPECT_DOUBLE_EQ(speedups[4].speedup->value, 3.0);
}

TEST_F(RunSpeedups, AnotherConfigurationStandsInWhereTheFirstFailed) {
  results_.push_back(failed(fleet_.add("m", "inductor", 8)));
  const auto flagged = add("m", "inductor", 2.0, 8, R"({"flag":1})");
  add("m", "eager", 1.0);
  EXPECT_EQ(judged()[2].speedup->baseline_experiment, flagged);
}

TEST_F(RunSpeedups, AResultIsComparedWithTheBaselineOfItsOwnFlags) {
  const auto amp = add("m", "inductor", 2.0, 8, R"({"dtype":"amp"})");
  const auto full = add("m", "inductor", 6.0, 8, R"({"dtype":"float32"})");
  add("m", "eager", 1.0, 8, R"({"dtype":"float32"})");
  add("m", "eager", 1.0, 8, R"({"dtype":"amp"})");
  add("m", "eager", 1.0, 8, R"({"dtype":"quant"})");
  const auto speedups = judged();
  EXPECT_EQ(speedups[0].excluded, Exclusion::kIsBaseline);
  EXPECT_EQ(speedups[1].speedup->baseline_experiment, amp) << "the baseline's own are compared";
  EXPECT_EQ(speedups[2].speedup->baseline_experiment, full);
  EXPECT_DOUBLE_EQ(speedups[2].speedup->value, 6.0);
  EXPECT_EQ(speedups[3].speedup->baseline_experiment, amp);
  EXPECT_EQ(speedups[4].speedup->baseline_experiment, amp) << "there is none with its flags";
}

TEST_F(RunSpeedups, ABaselineOfAnotherRunComparesTheBaselineItself) {
  add("m", "inductor", 1.0);
  const auto run = run_of(results_, 2, 2000);
  const auto earlier = run_of({timed(results_[0].experiment, 2.0)}, 1, 1000);
  const auto catalog = fleet_.catalog();
  const auto baseline = baseline_of_run(earlier, catalog, "inductor", Estimator::kSteady);
  const auto speedups = run_speedups(run.run.id, run.results, catalog, baseline, {});
  EXPECT_DOUBLE_EQ(speedups[0].speedup->value, 2.0);
  EXPECT_EQ(speedups[0].speedup->baseline_run, schema::RunId{1});
  EXPECT_THAT(baseline.runs(), ElementsAre(schema::RunId{1}));
}

TEST_F(RunSpeedups, GeomeansOverAllAndOverMatchedModels) {
  for (const char* model : {"a", "b", "c"}) add(model, "inductor", 1.0);
  add("a", "eager", 0.5);            // 2
  add("b", "eager", 0.125);          // 8
  add("a", "openxla+dynamo", 1.0);   // 1
  add("c", "openxla+dynamo", 0.25);  // 4
  add_failed("b", "openxla+dynamo");
  const auto rows = means(GroupBy::kColumn);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].column, "eager");
  EXPECT_DOUBLE_EQ(*rows[0].all.value, 4.0);
  EXPECT_EQ(rows[0].all.n, 2U);
  EXPECT_DOUBLE_EQ(*rows[0].matched.value, 2.0);
  EXPECT_EQ(rows[0].matched.n, 1U);
  EXPECT_EQ(rows[1].column, "inductor");
  EXPECT_FALSE(rows[1].all.value);
  EXPECT_EQ(rows[2].column, "openxla+dynamo");
  EXPECT_DOUBLE_EQ(*rows[2].all.value, 2.0);
  EXPECT_DOUBLE_EQ(*rows[2].matched.value, 1.0);
  ASSERT_EQ(rows[2].excluded.size(), 1U);
  EXPECT_EQ(rows[2].excluded[0].reason, Exclusion::kFailed);
  EXPECT_THAT(rows[2].excluded[0].models, ElementsAre("suite/b"));
}

TEST_F(RunSpeedups, AModelsBatchSizesCountAsOne) {
  add("a", "inductor", 1.0, 8);
  add("a", "inductor", 1.0, 16);
  add("b", "inductor", 1.0, 8);
  add("a", "eager", 0.5, 8);     // 2
  add("a", "eager", 0.125, 16);  // 8: the model's geomean is 4
  add("b", "eager", 1.0, 8);     // 1
  const auto rows = means(GroupBy::kColumn);
  EXPECT_EQ(rows[0].all.n, 2U);
  EXPECT_DOUBLE_EQ(*rows[0].all.value, 2.0);
}

TEST(TimeOf, AMeanOfZeroIsNoTime) {
  ResultView view;
  view.upstream = MeanEstimate{0, 0, 5};
  EXPECT_FALSE(time_of(view, Estimator::kUpstream));
}

}  // namespace
}  // namespace benchhud::analysis
