#include "analysis/changes/wandering_level.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

/// Nights of a level that takes a step of `wander` times the nights' variance each night.
std::vector<Night> wandering_nights(std::size_t count, double wander, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<Night> nights;
  double level = 0;
  for (std::size_t n = 0; n < count; ++n) {
    level += std::sqrt(wander) * normal(random);
    nights.push_back({0.01 * (level + normal(random)), 0, 8});
  }
  return nights;
}

/// How often a cut in the middle has a p-value below 5 % in nights without a step.
double share_below_five_percent(double wander, double assumed) {
  constexpr int kTries = 2000;
  std::mt19937_64 random{11};
  int below = 0;
  for (int i = 0; i < kTries; ++i) {
    const auto nights = wandering_nights(60, wander, random);
    below += wandering_level_p_value(nights, 40, 0.01, assumed) < 0.05 ? 1 : 0;
  }
  return static_cast<double>(below) / kTries;
}

TEST(WanderingLevel, PValuesAreCalibratedWhereLevelsWander) {
  EXPECT_NEAR(share_below_five_percent(0.09, 0.09), 0.05, 0.015);
  EXPECT_NEAR(share_below_five_percent(0.5, 0.5), 0.05, 0.015);
  EXPECT_NEAR(share_below_five_percent(0, 0), 0.05, 0.015);
}

TEST(WanderingLevel, WithoutTheWalkThereWouldBeChangesEverywhere) {
  EXPECT_GT(share_below_five_percent(0.09, 0), 0.4);
}

TEST(WanderingLevel, AStepOfFiveDeviationsStandsOutOnTheThirdNight) {
  std::mt19937_64 random{5};
  auto nights = wandering_nights(43, 0.09, random);
  for (std::size_t n = 40; n < 43; ++n) nights[n].level += 0.07;
  EXPECT_LT(wandering_level_p_value(nights, 40, 0.01, 0.09), 1e-5);
}

TEST(WanderingLevel, OneNightFarOffIsNoLevel) {
  std::mt19937_64 random{5};
  auto nights = wandering_nights(60, 0.09, random);
  const double before = wandering_level_p_value(nights, 40, 0.01, 0.09);
  nights[39].level += 10;
  EXPECT_GT(wandering_level_p_value(nights, 40, 0.01, 0.09), 1e-3);
  EXPECT_GT(before, 1e-3);
}

TEST(WanderingLevel, OneNightOnEitherSideIsEnoughToAsk) {
  const std::vector<Night> nights = {{0, 0, 1}, {0.02, 0, 1}};
  const double p_value = wandering_level_p_value(nights, 1, 0.01, 0.1);
  EXPECT_GT(p_value, 0.05);
  EXPECT_LE(p_value, 1);
}

}  // namespace
}  // namespace benchhud::analysis
