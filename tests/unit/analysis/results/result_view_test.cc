#include "analysis/results/result_view.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

const schema::ExperimentId kExperiment{1};

TEST(ResultView, TimedByBothEstimators) {
  const auto view = timed(kExperiment, 0.5);
  EXPECT_EQ(view.status, Status::kTimed);
  EXPECT_DOUBLE_EQ(view.steady->value, 0.5);
  EXPECT_EQ(view.steady->n, 5U);
  EXPECT_NEAR(view.upstream->mean, 0.5, 1e-12);
  EXPECT_GT(*view.compile_upstream, 1.5);
  EXPECT_FALSE(view.compile_xla);
  EXPECT_FALSE(view.failure);
  EXPECT_FALSE(view.verification);
}

TEST(ResultView, NothingUsableIsTimedWithoutATime) {
  auto facts = facts_of(kExperiment, {});
  facts.timing_line = schema::LineId{1};
  facts.total_time = {NAN, INFINITY};
  const auto view = judge_result(facts, {}, made_up_texts());
  EXPECT_EQ(view.status, Status::kTimed);
  EXPECT_FALSE(view.steady);
  EXPECT_FALSE(view.upstream);
}

TEST(ResultView, SkippedFailedAndNeitherAreToldApart) {
  EXPECT_EQ(failed(kExperiment, 1).status, Status::kSkipped);
  EXPECT_EQ(failed(kExperiment, 2).status, Status::kFailed);
  EXPECT_EQ(judge_result(facts_of(kExperiment, {}), {}, made_up_texts()).status, Status::kNotTimed);

  auto silent = facts_of(kExperiment, {});
  silent.failure = schema::FailureFacts{schema::LineId{1}, {}, "VERIFIER_SKIPPED"};
  EXPECT_EQ(judge_result(silent, {}, made_up_texts()).status, Status::kNotTimed);
  silent.failure->code = "VERIFIER_DIDNT_RUN";
  const auto view = judge_result(silent, {}, made_up_texts());
  EXPECT_EQ(view.status, Status::kFailed);
  EXPECT_EQ(view.failure->error->signature, "VERIFIER_DIDNT_RUN without an error text");
}

TEST(ResultView, WhatDynamosRunnerSkipsOnPurposeDidNotFail) {
  auto facts = facts_of(kExperiment, {});
  facts.failure = schema::FailureFacts{schema::LineId{1}, schema::TextId{2}, {}};
  facts.verification = schema::VerificationFacts{};
  facts.verification->code = "pass_due_to_skip";
  const auto view = judge_result(facts, {}, made_up_texts());
  EXPECT_EQ(view.status, Status::kSkipped);
  EXPECT_EQ(view.failure->error->kind, ErrorKind::kSkipped);
  EXPECT_EQ(view.verification->verification_outcome, VerificationOutcome::kNeither);
  facts.failure.reset();
  EXPECT_EQ(judge_result(facts, {}, made_up_texts()).status, Status::kSkipped);
  // What ran is timed, and any other failure stays one.
  EXPECT_EQ(judge_result(
                [&] {
                  auto run = facts_of(kExperiment, 0.5);
                  run.verification = facts.verification;
                  return run;
                }(),
                {}, made_up_texts())
                .status,
            Status::kTimed);
  facts.failure = schema::FailureFacts{schema::LineId{1}, schema::TextId{2}, {}};
  facts.verification->code = "fail_to_run";
  EXPECT_EQ(judge_result(facts, {}, made_up_texts()).status, Status::kFailed);
}

TEST(ResultView, ALaterFailureStandsBesideTheTimings) {
  auto facts = facts_of(kExperiment, 0.5);
  facts.failure = schema::FailureFacts{schema::LineId{2}, schema::TextId{2}, {}};
  const auto view = judge_result(facts, {}, made_up_texts());
  EXPECT_EQ(view.status, Status::kTimed);
  EXPECT_TRUE(view.failure->after_timing);
}

TEST(ResultView, AnErrorThatCannotBeReadIsStillAFailure) {
  EXPECT_EQ(failed(kExperiment, 77).status, Status::kFailed);
}

TEST(ErrorTexts, ThatOneCannotBeReadIsToldAtTheEnd) {
  const ErrorTexts texts = made_up_texts();
  EXPECT_NE(texts.get(schema::TextId{2}), nullptr);
  EXPECT_TRUE(texts.status());
  EXPECT_EQ(texts.get(schema::TextId{77}), nullptr);
  EXPECT_NE(texts.get(schema::TextId{2}), nullptr);
  ASSERT_FALSE(texts.status());
  EXPECT_EQ(texts.status().error().message, "damaged");
}

TEST(ResultView, AnEarlierVerificationIsStaleAndHasAnAge) {
  schema::VerificationFacts earlier;
  earlier.code = "PASS";
  earlier.verified_at = 400;
  earlier.run = schema::RunId{7};
  auto facts = facts_of(kExperiment, 0.5);
  const auto stale = judge_result(facts, earlier, made_up_texts());
  EXPECT_TRUE(stale.verification->stale);
  EXPECT_DOUBLE_EQ(stale.verification->age, 600);
  EXPECT_EQ(stale.verification->run, schema::RunId{7});
  EXPECT_EQ(stale.verification->verification_outcome, VerificationOutcome::kPassing);

  facts.verification = earlier;
  facts.verification->code = "FAIL";
  const auto own = judge_result(facts, earlier, made_up_texts());
  EXPECT_FALSE(own.verification->stale);
  EXPECT_EQ(own.verification->code, "FAIL");
}

TEST(ReadError, KeepsTheEndInWholeLines) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "  File \"x.py\", line " + std::to_string(i) + "\n";
  text += "ValueError: too bad\n\n";
  const auto error = read_error(text);
  EXPECT_EQ(error.kind, ErrorKind::kException);
  EXPECT_LE(error.excerpt.size(), 600U);
  EXPECT_TRUE(error.excerpt.ends_with("ValueError: too bad"));
  EXPECT_TRUE(error.excerpt.starts_with("  File"));
}

TEST(ReadError, NeverCutsACharacter) {
  std::string text;
  for (int i = 0; i < 700; ++i) text += "\u00e4";
  const auto excerpt = read_error(text + "x").excerpt;
  EXPECT_EQ(excerpt.substr(0, 2), "\u00e4");
}

}  // namespace
}  // namespace benchhud::analysis
