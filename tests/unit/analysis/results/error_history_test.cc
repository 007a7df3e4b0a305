#include "analysis/results/error_history.h"

#include <gmock/gmock.h>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

using schema::ExperimentId;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Optional;

constexpr std::string_view kValueError = "ValueError: shapes (N...) do not fit";
constexpr ExperimentId a{1}, b{2}, c{3};
constexpr std::int64_t kValue = 2, kKey = 3;  // of made_up_texts()

bool all(ExperimentId) { return true; }

schema::ResultFacts timed_facts(ExperimentId id) { return facts_of(id, 1.0); }

schema::ResultFacts failed_facts(ExperimentId id, std::int64_t text, std::int64_t line = 20) {
  auto facts = facts_of(id, {});
  facts.failure =
      schema::FailureFacts{schema::LineId{line}, schema::TextId{text}, "VERIFIER_DIDNT_RUN"};
  return facts;
}

schema::ResultFacts verified_facts(ExperimentId id, std::optional<std::int64_t> text) {
  auto facts = facts_of(id, {});
  facts.verification.emplace();
  facts.verification->code = text ? "EXCEPTION_RAISED" : "PASS";
  facts.verification->line = schema::LineId{30};
  if (text) facts.verification->error = schema::TextId{*text};
  return facts;
}

using Lines = std::vector<schema::ResultFacts>;

std::vector<std::shared_ptr<const RunFailures>> made(const std::vector<Lines>& runs) {
  std::vector<std::shared_ptr<const RunFailures>> summed;
  for (const auto& run : runs) {
    summed.push_back(std::make_shared<RunFailures>(failures_of(run, made_up_texts())));
  }
  return summed;
}

auto since(std::size_t run, ErrorStanding verification_outcome, std::size_t experiments) {
  return AllOf(Field(&ErrorSince::run, run),
               Field(&ErrorSince::verification_outcome, verification_outcome),
               Field(&ErrorSince::experiments, experiments));
}

std::string nights_of(const FailingExperiment& experiment) {
  std::string text;
  for (const auto night : experiment.nights) text += static_cast<char>(night);
  return text;
}

TEST(RunFailures, SaysWhatWasTriedAndWhatFailed) {
  auto both = failed_facts(b, kValue);
  both.verification = verified_facts(b, kKey).verification;
  const auto run = failures_of(Lines{timed_facts(a), both, verified_facts(c, {})}, made_up_texts());
  EXPECT_THAT(run.attempts, ElementsAre(Attempt{a, true, false}, Attempt{b, true, true},
                                        Attempt{c, false, true}));
  ASSERT_EQ(run.failures.size(), 2U);
  EXPECT_EQ(run.failures[0].error->signature, kValueError);
  EXPECT_FALSE(run.failures[0].of_verification);
  EXPECT_EQ(run.failures[1].line, schema::LineId{30});
  EXPECT_TRUE(run.failures[1].of_verification);
}

TEST(RunFailures, OfNoResultsThereIsNothing) {
  EXPECT_THAT(failures_of({}, made_up_texts()).attempts, IsEmpty());
  EXPECT_THAT(error_trends({}, all), IsEmpty());
  EXPECT_THAT(error_trends(made({{}, {}}), all), IsEmpty());
  EXPECT_THAT(failing_experiments({}, "x", all), IsEmpty());
}

TEST(ErrorTrends, CountExperimentsRunByRun) {
  const auto runs = made({{timed_facts(a), timed_facts(b)},
                          {failed_facts(a, kValue), timed_facts(b)},
                          {failed_facts(a, kValue), failed_facts(b, kValue, 21)}});
  const auto trends = error_trends(runs, all);
  ASSERT_EQ(trends.size(), 1U);
  const ErrorTrend& trend = trends[0];
  EXPECT_EQ(trend.error->signature, kValueError);
  EXPECT_THAT(trend.counts, ElementsAre(Optional(0), Optional(1), Optional(2)));
  EXPECT_THAT(trend.experiments, ElementsAre(a, b));
  EXPECT_EQ(trend.first, 1U);
  EXPECT_EQ(trend.last, 2U);
  EXPECT_EQ(trend.run_count, 2U);
  EXPECT_EQ(trend.now, 2U);
  EXPECT_THAT(trend.since,
              ElementsAre(since(2, ErrorStanding::kNew, 1), since(1, ErrorStanding::kNew, 1)))
      << "of each experiment its own";
  EXPECT_EQ(trend.line, schema::LineId{21});
  EXPECT_EQ(trend.line_run, 2U);
}

TEST(ErrorTrends, WhatIsOverHasNoSince) {
  const auto runs = made({{failed_facts(a, kValue)}, {timed_facts(a)}});
  const auto trends = error_trends(runs, all);
  EXPECT_EQ(trends[0].now, 0U);
  EXPECT_THAT(trends[0].since, IsEmpty());
}

TEST(ErrorTrends, SinceIsOfTheLastTimeItCame) {
  const auto runs = made({{failed_facts(a, kValue)}, {timed_facts(a)}, {failed_facts(a, kValue)}});
  EXPECT_THAT(error_trends(runs, all)[0].since, ElementsAre(since(2, ErrorStanding::kBack, 1)));
}

TEST(ErrorTrends, OneMoreExperimentIsNewThoughOthersAlwaysHadIt) {
  const auto runs = made({{failed_facts(a, kValue), timed_facts(b)},
                          {failed_facts(a, kValue), failed_facts(b, kValue)}});
  EXPECT_THAT(error_trends(runs, all)[0].since,
              ElementsAre(since(1, ErrorStanding::kNew, 1), since(0, ErrorStanding::kLasting, 1)));
}

TEST(ErrorTrends, NightsThatDidNotVerifyBreakNoStreakOfTheVerifiersErrors) {
  const auto runs = made({{verified_facts(a, {})},
                          {verified_facts(a, kValue)},
                          {timed_facts(a)},
                          {verified_facts(a, kValue)},
                          {timed_facts(a)}});
  const auto trends = error_trends(runs, all);
  ASSERT_EQ(trends.size(), 1U);
  EXPECT_THAT(trends[0].counts,
              ElementsAre(Optional(0), Optional(1), Optional(1), Optional(1), Optional(1)))
      << "a night that was not verified has what the last verification said";
  EXPECT_THAT(trends[0].since, ElementsAre(since(1, ErrorStanding::kNew, 1)));
  EXPECT_EQ(trends[0].now, 1U);
  EXPECT_EQ(trends[0].last, 4U) << "the newest run has it, as `now` says";
  EXPECT_EQ(trends[0].line_run, 3U) << "and the line is of the verified one";
}

TEST(ErrorTrends, AnErrorOfBothWaysDoesNotAlternate) {
  // a fails to be timed with it, b to be verified, every other night.
  const auto timed_only = Lines{failed_facts(a, kValue), timed_facts(b)};
  auto verified = timed_facts(b);
  verified.verification = verified_facts(b, kValue).verification;
  const auto both = Lines{failed_facts(a, kValue), verified};
  const auto trends = error_trends(made({both, timed_only, both, timed_only}), all);
  EXPECT_THAT(trends[0].counts, ElementsAre(Optional(2), Optional(2), Optional(2), Optional(2)));
  EXPECT_EQ(trends[0].now, 2U);
  EXPECT_EQ(trends[0].run_count, 4U);
}

TEST(FailingNow, CountsAnExperimentOnceHoweverManyErrorsItHas) {
  auto both = failed_facts(a, kValue);
  both.verification = verified_facts(a, kKey).verification;
  const auto runs = made({{both, failed_facts(b, 1), timed_facts(c)}});
  const FailingNow now = failing_now(runs, all);
  EXPECT_EQ(now.experiments, 1U) << "not b, which was skipped on purpose";
  EXPECT_EQ(now.failed, 1U);
  EXPECT_EQ(now.verification, 1U);
  EXPECT_EQ(failing_now({}, all).experiments, 0U);
}

TEST(ErrorTrends, AnExperimentThatIsGoneFailsNoMore) {
  const auto runs = made({{failed_facts(a, kValue), timed_facts(b)}, {timed_facts(b)}});
  const auto trends = error_trends(runs, all);
  EXPECT_EQ(trends[0].now, 0U);
  EXPECT_THAT(trends[0].counts, ElementsAre(Optional(1), std::nullopt));
}

TEST(ErrorTrends, AnExperimentWhoseBothLinesSayItCountsOnce) {
  auto both = failed_facts(a, kValue);
  both.verification = verified_facts(a, kValue).verification;
  const auto trends = error_trends(made({{both}}), all);
  EXPECT_THAT(trends[0].counts, ElementsAre(Optional(1)));
  EXPECT_EQ(trends[0].now, 1U);
}

TEST(ErrorTrends, TheMostExperimentsNowFirstThenTheLastSeen) {
  const auto runs = made({{failed_facts(a, 1), timed_facts(b), timed_facts(c)},
                          {timed_facts(a), failed_facts(b, kKey), failed_facts(c, kValue)},
                          {timed_facts(a), timed_facts(b), failed_facts(c, kValue)}});
  const auto trends = error_trends(runs, all);
  ASSERT_EQ(trends.size(), 3U);
  EXPECT_EQ(trends[0].error->signature, kValueError);
  EXPECT_EQ(trends[1].error->signature, "KeyError: 'x'");
  EXPECT_EQ(trends[2].error->kind, ErrorKind::kSkipped);
}

TEST(ErrorTrends, LookAtWhatIsAskedForAlone) {
  const auto runs = made({{failed_facts(a, kValue), failed_facts(b, kKey)}});
  const auto trends = error_trends(runs, [](ExperimentId id) { return id == b; });
  ASSERT_EQ(trends.size(), 1U);
  EXPECT_THAT(trends[0].experiments, ElementsAre(b));
}

TEST(FailingExperiments, TellOfEveryNight) {
  const auto runs = made({{timed_facts(a), failed_facts(b, kValue)},
                          {failed_facts(a, kValue), failed_facts(b, kKey)},
                          {},
                          {failed_facts(a, kValue, 25), timed_facts(b)}});
  const auto found = failing_experiments(runs, kValueError, all);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].experiment, a);
  EXPECT_EQ(nights_of(found[0]), ".x-x");
  EXPECT_EQ(found[0].failed, 2U);
  EXPECT_EQ(found[0].tried, 3U);
  EXPECT_EQ(found[0].first, 1U);
  EXPECT_EQ(found[0].last, 3U);
  EXPECT_EQ(found[0].line, schema::LineId{25});
  EXPECT_TRUE(found[0].now);
  EXPECT_THAT(found[0].since, Optional(1));
  EXPECT_EQ(found[0].verification_outcome, ErrorStanding::kNew);
  EXPECT_EQ(found[1].verification_outcome, ErrorStanding::kOver);
  EXPECT_EQ(nights_of(found[1]), "xo-.");
  EXPECT_FALSE(found[1].now);
  EXPECT_THAT(failing_experiments(runs, "no such", all), IsEmpty());
}

TEST(FailingExperiments, ANightOfTimingsSaysNothingOfTheVerifiersErrors) {
  const auto runs = made({{verified_facts(a, kValue)}, {timed_facts(a)}, {verified_facts(a, {})}});
  const auto found = failing_experiments(runs, kValueError, all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(nights_of(found[0]), "xx.") << "until it is verified again";
  EXPECT_TRUE(found[0].of_verification);
  EXPECT_EQ(found[0].tried, 2U);
  EXPECT_EQ(found[0].failed, 1U);
}

}  // namespace
}  // namespace benchhud::analysis
