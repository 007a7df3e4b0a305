#include "analysis/results/run_digest.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

ResultView failed_with(schema::ExperimentId id, ErrorKind kind) {
  ResultView view = failed(id);
  auto error = std::make_shared<ErrorText>();
  error->kind = kind;
  view.failure->error = error;
  if (kind == ErrorKind::kSkipped) view.status = Status::kSkipped;
  return view;
}

TEST(RunDigest, EveryResultHasOneOutcome) {
  const schema::ExperimentId id{1};
  EXPECT_EQ(outcome_of(timed(id, 1.0)), Outcome::kTimed);
  EXPECT_EQ(outcome_of(with_code(timed(id, 1.0), "PASS")), Outcome::kTimed);
  EXPECT_EQ(outcome_of(with_code(timed(id, 1.0), "FAIL")), Outcome::kWrong);
  EXPECT_EQ(outcome_of(with_code(timed(id, 1.0), "FAIL", true)), Outcome::kWrong)
      << "not every night is verified: what was wrong is wrong until a verification says otherwise";
  EXPECT_EQ(outcome_of(with_code(timed(id, 1.0), "VERIFIER_DIDNT_RUN")), Outcome::kTimed)
      << "not right, but not shown to be wrong either";
  EXPECT_EQ(outcome_of(failed_with(id, ErrorKind::kCrashed)), Outcome::kCrashed);
  EXPECT_EQ(outcome_of(failed_with(id, ErrorKind::kTimedOut)), Outcome::kTimedOut);
  EXPECT_EQ(outcome_of(failed_with(id, ErrorKind::kOutOfMemory)), Outcome::kOutOfMemory);
  EXPECT_EQ(outcome_of(failed_with(id, ErrorKind::kException)), Outcome::kRaised);
  EXPECT_EQ(outcome_of(failed_with(id, ErrorKind::kOther)), Outcome::kRaised);
  EXPECT_EQ(outcome_of(failed_with(id, ErrorKind::kSkipped)), Outcome::kSkipped);
  EXPECT_EQ(outcome_of(with_code(failed_with(id, ErrorKind::kCrashed), "FAIL")), Outcome::kCrashed)
      << "why there are no timings comes first";
  ResultView verified;
  verified.experiment = id;
  EXPECT_EQ(outcome_of(verified), Outcome::kNotTimed);
  EXPECT_EQ(outcome_of(with_code(verified, "FAIL")), Outcome::kWrong);
}

TEST(RunDigest, HoldsWhatTheViewsSay) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto c = fleet.add("c", "inductor"), d = fleet.add("d", "inductor");
  const auto run = run_of({with_code(timed(a, 0.5), "PASS"), with_code(timed(b, 2.0), "FAIL", true),
                           failed_with(c, ErrorKind::kTimedOut), with_code(timed(d, 1.0), "PASS")});
  const RunDigest digest = digest_run(run);
  ASSERT_EQ(digest.results.size(), 4U);
  const ResultDigest& first = digest.results[0];
  EXPECT_EQ(first.experiment, a);
  EXPECT_EQ(first.steady, run.results[0].steady->value);
  EXPECT_EQ(first.n, 5);
  EXPECT_EQ(first.low, run.results[0].steady->interval->low);
  EXPECT_EQ(first.high, run.results[0].steady->interval->high);
  EXPECT_EQ(first.compile, *run.results[0].compile_upstream);
  EXPECT_EQ(first.error_kind, -1);
  EXPECT_EQ(first.verification_outcome, VerificationOutcome::kPassing);
  EXPECT_FALSE(first.stale);
  EXPECT_EQ(digest.code_of(first), "PASS");
  EXPECT_EQ(digest.code_of(digest.results[1]), "FAIL");
  EXPECT_TRUE(digest.results[1].stale);
  EXPECT_FALSE(digest.results[2].is_timed());
  EXPECT_FALSE(digest.results[2].is_verified());
  EXPECT_EQ(digest.results[2].error_kind, static_cast<int>(ErrorKind::kTimedOut));
  EXPECT_EQ(digest.code_of(digest.results[2]), "");
  EXPECT_EQ(digest.codes.size(), 2U) << "each code once";
  EXPECT_EQ(digest.results[3].experiment, d);
  EXPECT_EQ(digest.results[3].steady, 1.0);
}

}  // namespace
}  // namespace benchhud::analysis
