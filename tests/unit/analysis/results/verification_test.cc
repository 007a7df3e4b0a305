#include "analysis/results/verification.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace benchhud::analysis {
namespace {

TEST(Verification, EveryCodeOfTheRunnerIsExplained) {
  std::set<std::string_view> codes;
  for (const VerificationInfo& info : verification_codes()) {
    codes.insert(info.code);
    EXPECT_TRUE(info.known);
    EXPECT_FALSE(info.meaning.empty()) << info.code;
    EXPECT_EQ(verification_info(info.code).meaning, info.meaning);
    // Where something is wrong, there is something to do.
    const bool fine =
        info.verification_outcome == VerificationOutcome::kPassing || !info.is_verdict;
    EXPECT_EQ(info.action.empty(), fine) << info.code;
  }
  EXPECT_EQ(codes, (std::set<std::string_view>{"PASS", "FAIL", "EAGER_FAILED", "EXCEPTION_RAISED",
                                               "NONDETERMINISTIC_EAGER_RUN", "VERIFIER_SKIPPED",
                                               "VERIFIER_DIDNT_RUN", "pass_due_to_skip"}));
}

TEST(Verification, HowCodesCount) {
  EXPECT_EQ(verification_info("PASS").verification_outcome, VerificationOutcome::kPassing);
  EXPECT_EQ(verification_info("FAIL").verification_outcome, VerificationOutcome::kFailing);
  EXPECT_EQ(verification_info("EXCEPTION_RAISED").verification_outcome,
            VerificationOutcome::kFailing);
  EXPECT_EQ(verification_info("VERIFIER_DIDNT_RUN").verification_outcome,
            VerificationOutcome::kFailing);
  EXPECT_EQ(verification_info("EAGER_FAILED").verification_outcome, VerificationOutcome::kNeither);
  EXPECT_EQ(verification_info("NONDETERMINISTIC_EAGER_RUN").verification_outcome,
            VerificationOutcome::kNeither);
  EXPECT_EQ(verification_info("VERIFIER_SKIPPED").verification_outcome,
            VerificationOutcome::kNeither);
  EXPECT_FALSE(verification_info("VERIFIER_SKIPPED").is_verdict);
  EXPECT_EQ(verification_info("pass_due_to_skip").verification_outcome,
            VerificationOutcome::kNeither);
  EXPECT_FALSE(verification_info("pass_due_to_skip").is_verdict);
}

TEST(Verification, AnUnknownCodeIsKeptAndSaysSo) {
  const VerificationInfo info = verification_info("SOMETHING_NEW");
  EXPECT_EQ(info.code, "SOMETHING_NEW");
  EXPECT_FALSE(info.known);
  EXPECT_TRUE(info.is_verdict);
  EXPECT_EQ(info.verification_outcome, VerificationOutcome::kNeither);
  EXPECT_NE(info.meaning.find("not know"), std::string_view::npos);
  EXPECT_FALSE(verification_info("").is_verdict);
  EXPECT_FALSE(verification_info("pass").known);
}

TEST(VerificationTransition, BetweenVerdicts) {
  EXPECT_EQ(transition("PASS", "PASS"), Transition::kUnchanged);
  EXPECT_EQ(transition("FAIL", "FAIL"), Transition::kUnchanged);
  for (auto code : {"FAIL", "EXCEPTION_RAISED", "VERIFIER_DIDNT_RUN", "EAGER_FAILED",
                    "NONDETERMINISTIC_EAGER_RUN"}) {
    EXPECT_EQ(transition("PASS", code), Transition::kNewlyFailing) << code;
    EXPECT_EQ(transition(code, "PASS"), Transition::kNewlyPassing) << code;
  }
  EXPECT_EQ(transition("FAIL", "EAGER_FAILED"), Transition::kChanged);
  EXPECT_EQ(transition("NONDETERMINISTIC_EAGER_RUN", "FAIL"), Transition::kChanged);
}

TEST(VerificationTransition, SkippedIsNoVerdict) {
  EXPECT_EQ(transition("PASS", "VERIFIER_SKIPPED"), Transition::kDisappeared);
  EXPECT_EQ(transition("VERIFIER_SKIPPED", "FAIL"), Transition::kNew);
  EXPECT_EQ(transition("VERIFIER_SKIPPED", "VERIFIER_SKIPPED"), Transition::kUnchanged);
  EXPECT_EQ(transition("VERIFIER_SKIPPED", std::nullopt), Transition::kUnchanged);
}

TEST(VerificationTransition, AppearingAndDisappearing) {
  EXPECT_EQ(transition(std::nullopt, "PASS"), Transition::kNew);
  EXPECT_EQ(transition("FAIL", std::nullopt), Transition::kDisappeared);
  EXPECT_EQ(transition(std::nullopt, std::nullopt), Transition::kUnchanged);
}

TEST(VerificationTransition, UnknownCodesOnlyChange) {
  EXPECT_EQ(transition("PASS", "NEW_CODE"), Transition::kChanged);
  EXPECT_EQ(transition("NEW_CODE", "PASS"), Transition::kChanged);
  EXPECT_EQ(transition("NEW_CODE", "NEW_CODE"), Transition::kUnchanged);
  EXPECT_EQ(transition("NEW_CODE", "OTHER"), Transition::kChanged);
}

TEST(VerificationTransition, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (auto kind : {Transition::kUnchanged, Transition::kNewlyFailing, Transition::kNewlyPassing,
                    Transition::kChanged, Transition::kDisappeared, Transition::kNew}) {
    names.insert(transition_name(kind));
  }
  EXPECT_EQ(names.size(), 6U);
  EXPECT_TRUE(names.count("newly_failing"));
}

}  // namespace
}  // namespace benchhud::analysis
