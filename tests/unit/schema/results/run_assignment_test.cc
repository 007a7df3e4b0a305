#include "schema/results/run_assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace benchhud::schema {
namespace {

using ::testing::ElementsAre;

constexpr double kNight = 1761955200;  // 2025-11-01T00:00:00Z
constexpr double kHour = 3600;

InvocationFacts timing(double time) { return {time, InvocationKind::kTiming, {}}; }
InvocationFacts verification(double time) { return {time, InvocationKind::kVerification, {}}; }

std::vector<std::string> assign(const std::vector<InvocationFacts>& invocations,
                                RunGrouping grouping = {}) {
  return assign_runs(invocations, grouping);
}

TEST(AssignRuns, ATimingIsTheRunOfItsTimestamp) {
  EXPECT_THAT(assign({timing(kNight), timing(kNight + 1), timing(kNight)}),
              ElementsAre("2025-11-01T00:00:00Z", "2025-11-01T00:00:01Z", "2025-11-01T00:00:00Z"));
}

TEST(AssignRuns, AVerificationJoinsTheNearestTimingBefore) {
  EXPECT_THAT(assign({verification(kNight + 2 * kHour), timing(kNight + 3 * kHour),
                      timing(kNight - 5 * kHour), timing(kNight)}),
              ElementsAre("2025-11-01T00:00:00Z", "2025-11-01T03:00:00Z", "2025-10-31T19:00:00Z",
                          "2025-11-01T00:00:00Z"));
}

TEST(AssignRuns, TheSameTimestampIsBefore) {
  EXPECT_THAT(assign({verification(kNight), timing(kNight)}),
              ElementsAre("2025-11-01T00:00:00Z", "2025-11-01T00:00:00Z"));
}

TEST(AssignRuns, AfterADayAVerificationStandsForItself) {
  EXPECT_EQ(assign({timing(kNight), verification(kNight + 24 * kHour)})[1], "2025-11-01T00:00:00Z");
  EXPECT_EQ(assign({timing(kNight), verification(kNight + 24 * kHour + 1)})[1],
            "2025-11-02T00:00:01Z");
  EXPECT_EQ(assign({timing(kNight), verification(kNight - 1)})[1], "2025-10-31T23:59:59Z");
}

TEST(AssignRuns, ANameGivenWinsAndIsJoined) {
  InvocationFacts named = timing(kNight);
  named.run_name = "release";
  EXPECT_THAT(assign({named, verification(kNight + kHour)}), ElementsAre("release", "release"));
  InvocationFacts elsewhere = verification(kNight + kHour);
  elsewhere.run_name = "other";
  EXPECT_THAT(assign({timing(kNight), elsewhere}), ElementsAre("2025-11-01T00:00:00Z", "other"));
}

TEST(AssignRuns, AMixedInvocationIsATiming) {
  EXPECT_THAT(assign({{kNight, InvocationKind::kMixed, {}}, verification(kNight + kHour)}),
              ElementsAre("2025-11-01T00:00:00Z", "2025-11-01T00:00:00Z"));
}

TEST(AssignRuns, ByNight) {
  RunGrouping by_night{RunGrouping::By::kNight, 0};
  EXPECT_THAT(assign({timing(kNight + kHour), timing(kNight + 3 * kHour), timing(kNight - 1),
                      verification(kNight + 30 * 60)},
                     by_night),
              ElementsAre("2025-11-01", "2025-11-01", "2025-10-31", "2025-10-31"));
  by_night.day_start = 12 * kHour;
  EXPECT_THAT(assign({timing(kNight - kHour), timing(kNight + kHour)}, by_night),
              ElementsAre("2025-10-31", "2025-10-31"));
}

TEST(AssignRuns, DoesNotDependOnTheOrder) {
  std::mt19937 random(7);
  std::vector<InvocationFacts> invocations;
  for (int i = 0; i < 40; ++i) {
    const double time = kNight + static_cast<double>(random() % 100) * kHour;
    invocations.push_back(random() % 2 ? timing(time) : verification(time));
    if (random() % 8 == 0) invocations.back().run_name = "named " + std::to_string(random() % 3);
  }
  const std::vector<std::string> names = assign(invocations);
  std::vector<std::size_t> order(invocations.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (int trial = 0; trial < 50; ++trial) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<InvocationFacts> shuffled;
    for (const std::size_t i : order) shuffled.push_back(invocations[i]);
    const std::vector<std::string> shuffled_names = assign(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(shuffled_names[i], names[order[i]]);
    }
  }
}

TEST(InvocationKind, ByWhatItsLinesHold) {
  EXPECT_EQ(invocation_kind(true, false), InvocationKind::kTiming);
  EXPECT_EQ(invocation_kind(false, false), InvocationKind::kTiming);
  EXPECT_EQ(invocation_kind(false, true), InvocationKind::kVerification);
  EXPECT_EQ(invocation_kind(true, true), InvocationKind::kMixed);
}

TEST(IsVerdict, SkippedAndDidntRunAreNone) {
  EXPECT_FALSE(is_verdict("VERIFIER_SKIPPED"));
  EXPECT_FALSE(is_verdict("VERIFIER_DIDNT_RUN"));
  EXPECT_TRUE(is_verdict("PASS"));
  EXPECT_TRUE(is_verdict("EAGER_FAILED"));
  EXPECT_TRUE(is_verdict("SOMETHING_NEW"));
}

}  // namespace
}  // namespace benchhud::schema
