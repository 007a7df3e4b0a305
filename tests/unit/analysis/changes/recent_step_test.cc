#include "analysis/changes/recent_step.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "analysis/changes/step_fit.h"

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

TEST(RecentStep, WhatLooksAtNothingMoreWhereALastNightIsNearIsRight) {
  // The level is Tukey's biweight: of nights of which some are far off, or between two humps.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0, 0.01);
  std::uniform_int_distribution<int> any(0, 9);
  std::size_t off = 0;
  for (int k = 0; k < 3000; ++k) {
    std::vector<Night> nights;
    const double spike = 0.02 * any(random), hump = 0.01 * any(random);
    for (int n = 0; n < 5 + 2 * any(random); ++n) {
      const double by = any(random) < 2 ? spike : any(random) < 5 ? hump : 0;
      nights.push_back({1 + normal(random) + by, 0, 8});
    }
    std::vector<double> levels;
    for (std::size_t n = 0; n + 1 < nights.size(); ++n) levels.push_back(nights[n].level);
    const auto last = std::span(levels).last(std::min<std::size_t>(levels.size(), 20));
    const double level = biweight_mean(last, 1 / (kNoise.deviation * kNoise.deviation));
    const bool is_off = std::abs(nights.back().level - level) / kNoise.deviation > 3;
    EXPECT_EQ(RecentNights(nights, kNoise).is_off(), is_off) << k;
    off += is_off ? 1 : 0;
  }
  EXPECT_GT(off, 300u);
}

TEST(RecentStep, WhatMayNotReachAStatisticDoesNot) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal(0, 0.01);
  std::size_t reached = 0, looked_at = 0;
  for (int k = 0; k < 400; ++k) {
    auto nights = series(25, static_cast<std::size_t>(k % 5), 0.01 * (k % 40 - 20));
    for (Night& night : nights) night.level += normal(random);
    const RecentNights recent(nights, kNoise);
    if (!recent.is_off()) continue;
    const RecentStepRules rules{.most_of_first = 4.6, .most_of_next = 4, .worth = 0.7};
    for (const double statistic : {10.0, 1e3, 1e5}) {
      const bool is_reached = recent_step(recent.off(), rules).statistic >= statistic;
      const bool may = may_reach(recent.off(), rules, statistic);
      EXPECT_TRUE(may || !is_reached) << k;
      reached += is_reached ? 1 : 0;
      looked_at += may ? 1 : 0;
    }
  }
  EXPECT_GT(reached, 100u);
  EXPECT_LT(looked_at, 2 * reached);
}

TEST(RecentStep, ASeriesWithExcursionsIsBelievedLess) {
  auto nights = series(60, 1, 0.2);
  RecentNights calm(nights, kNoise);
  calm.count_excursions(nights);
  for (const std::size_t night : {15u, 25u, 35u, 45u}) {
    nights[night].level += 0.2;
    nights[night + 1].level += 0.2;
  }
  RecentNights restless(nights, kNoise);
  restless.count_excursions(nights);
  EXPECT_LT(restless.most_of_first(9), calm.most_of_first(9) - 1);
  EXPECT_LT(restless.most_of_next(9), calm.most_of_next(9));
}

}  // namespace
}  // namespace benchhud::analysis
