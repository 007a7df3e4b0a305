#include "analysis/changes/recent_step.h"

#include <gmock/gmock.h>

#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

constexpr NightNoise kNoise = {0.01, 0.2};

std::vector<Night> series(std::size_t before, std::size_t after, double step) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 0.01);
  std::vector<Night> nights;
  for (std::size_t n = 0; n < before + after; ++n) {
    nights.push_back({1 + normal(random) + (n < before ? 0 : step), 0, 8});
  }
  return nights;
}

RecentStep step_of(const RecentNights& nights) {
  return recent_step(nights.off(), {.most_of_first = nights.most_of_first(4.6),
                                    .most_of_next = nights.most_of_next(4.6),
                                    .worth = nights.worth()});
}

TEST(RecentStep, ThreeNightsOfALargeStepAreSure) {
  const RecentNights nights(series(20, 3, 0.1), kNoise);
  ASSERT_TRUE(nights.is_off());
  const RecentStep step = step_of(nights);
  EXPECT_EQ(step.nights, 3u);
  EXPECT_EQ(step.direction, 1);
  EXPECT_GT(step.statistic, 1e4);
  EXPECT_NEAR(nights.level_before(3), 1, 0.01);
}

TEST(RecentStep, FiveNightsBeforeAreEnough) {
  EXPECT_GT(step_of(RecentNights(series(5, 3, 0.2), kNoise)).statistic, 1e4);
}

TEST(RecentStep, OneNightIsNot) {
  EXPECT_LT(step_of(RecentNights(series(20, 1, 0.5), kNoise)).statistic, 200);
}

TEST(RecentStep, TellsTheDirection) {
  EXPECT_EQ(step_of(RecentNights(series(20, 3, -0.1), kNoise)).direction, -1);
}

TEST(RecentStep, WhereNothingIsOffNothingIsLookedAt) {
  EXPECT_FALSE(RecentNights(series(20, 0, 0), kNoise).is_off());
  EXPECT_FALSE(RecentNights(series(3, 1, 1), kNoise).is_off()) << "too few nights before";
  EXPECT_FALSE(RecentNights({}, kNoise).is_off());
  EXPECT_FALSE(RecentNights(series(20, 3, 1), NightNoise{}).is_off()) << "noise is not known";
}

TEST(RecentStep, ASeriesWithExcursionsIsBelievedLess) {
  auto nights = series(60, 1, 0.2);
  const RecentNights calm(nights, kNoise);
  for (const std::size_t night : {15u, 25u, 35u, 45u}) {
    nights[night].level += 0.2;
    nights[night + 1].level += 0.2;
  }
  const RecentNights restless(nights, kNoise);
  EXPECT_LT(restless.most_of_first(9), calm.most_of_first(9) - 1);
  EXPECT_LT(restless.most_of_next(9), calm.most_of_next(9));
}

}  // namespace
}  // namespace benchhud::analysis
