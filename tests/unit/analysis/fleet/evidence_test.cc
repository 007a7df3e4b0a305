#include "analysis/fleet/evidence.h"

#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <random>

namespace benchhud::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr EvidenceRules kRules = {.most = 9, .degrees = 10};

void add(Evidence* evidence, double off, int nights = 1) {
  for (int i = 0; i < nights; ++i) {
    evidence->add(std::array{off}, 1);
    evidence->count();
  }
}

TEST(Evidence, GrowsWithEachNightThatIsOff) {
  Evidence evidence(1, kRules);
  add(&evidence, 0, 30);
  EXPECT_LT(evidence.most(0), 10);
  add(&evidence, 3);
  const double first = evidence.most(0);
  add(&evidence, 3);
  EXPECT_GT(evidence.most(0), 5 * first);
  EXPECT_EQ(evidence.direction(0), 1);
  EXPECT_EQ(evidence.nights_off(0, 1), 2u);
  add(&evidence, 0, 3);
  EXPECT_LT(evidence.most(0), first);
}

TEST(Evidence, TellsTheDirection) {
  Evidence evidence(1, kRules);
  add(&evidence, -4, 2);
  EXPECT_EQ(evidence.direction(0), -1);
  EXPECT_GT(evidence.of(0, -1), evidence.of(0, 1));
}

TEST(Evidence, OneNightIsWorthNoMoreThanItsBound) {
  Evidence bounded(1, {.most = 3, .degrees = 10});
  add(&bounded, 15);
  EXPECT_LE(bounded.most(0), std::exp(3) + 1);
}

// A statistic of A is reached once in A nights, on average, or more seldom.
TEST(Evidence, NormalNightsSeldomReachWhatIsTold) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int reached = 0;
  Evidence evidence(1, kRules);
  for (int night = 0; night < 20'000; ++night) {
    add(&evidence, normal(random));
    if (evidence.most(0) < 1000) continue;
    ++reached;
    evidence.forget(0);
  }
  EXPECT_LE(reached, 40);
}

TEST(Evidence, ANodeWithManyExcursionsIsBelievedLess) {
  Evidence calm(1, {.most = 5.5, .degrees = 10, .learns = true}), restless = calm;
  for (int i = 0; i < 20; ++i) {
    add(&calm, 0, 6);
    add(&restless, 0, 5);
    add(&restless, 6);
  }
  EXPECT_GT(calm.most_of_first(0), restless.most_of_first(0) + 1);
}

TEST(Evidence, ANightThatIsNotKnownTellsNothing) {
  Evidence evidence(1, kRules);
  add(&evidence, 3, 2);
  const double before = evidence.most(0);
  add(&evidence, kNone);
  EXPECT_EQ(evidence.most(0), before);
}

TEST(Evidence, ForgetsWhatIsExplained) {
  Evidence evidence(2, kRules);
  evidence.add(std::array{5.0, 5.0}, 1);
  evidence.forget(0);
  EXPECT_EQ(evidence.most(0), 0);
  EXPECT_GT(evidence.most(1), 0);
}

}  // namespace
}  // namespace benchhud::analysis
