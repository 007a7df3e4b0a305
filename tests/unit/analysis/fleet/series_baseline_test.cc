#include "analysis/fleet/series_baseline.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

std::vector<float> series(std::size_t nights, double alike, double wander = 0) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<float> levels;
  double state = 0, place = 0;
  for (std::size_t n = 0; n < nights; ++n) {
    state = alike * state + std::sqrt(1 - alike * alike) * normal(random);
    place += wander * normal(random);
    levels.push_back(static_cast<float>(0.01 * (state + place)));
  }
  return levels;
}

TEST(SeriesNoise, OfIndependentNights) {
  const SeriesNoise noise = series_noise(series(60, 0));
  EXPECT_NEAR(noise.deviation, 0.01, 0.003);
  EXPECT_LT(noise.correlation, 0.35);
  EXPECT_EQ(noise.differences, 59u);
}

TEST(SeriesNoise, NightsThatAreAlikeOrWanderDifferMoreTheFurtherApart) {
  EXPECT_GT(series_noise(series(60, 0.8)).correlation, 0.4);
  EXPECT_GT(series_noise(series(60, 0, 0.5)).correlation, 0.3);
}

TEST(SeriesNoise, AStepIsNoNoise) {
  auto levels = series(60, 0);
  for (std::size_t n = 40; n < 60; ++n) levels[n] += 0.5F;
  EXPECT_NEAR(series_noise(levels).deviation, series_noise(series(60, 0)).deviation, 0.002);
}

TEST(SeriesNoise, OfFewNightsSaysSo) {
  EXPECT_EQ(series_noise(std::vector<float>{}).differences, 0u);
  EXPECT_EQ(series_noise(std::vector{1.0F, kNone, 2.0F}).differences, 0u)
      << "not next to each other";
  const SeriesNoise few = series_noise(series(6, 0));
  EXPECT_FALSE(few.is_correlation_known);
  EXPECT_GT(few.deviation, 0);
}

TEST(SeriesLevel, IsWhereMostNightsLie) {
  std::vector<float> levels(20, 1.0F);
  levels[3] = 5;
  levels[9] = kNone;
  const SeriesLevel level = series_level(levels, std::vector<double>(20, 1), 0.01);
  EXPECT_NEAR(level.level, 1.0, 1e-6);
  EXPECT_NEAR(level.weight, 18, 1e-6);
}

TEST(SeriesLevel, OfNothingHasNoWeight) {
  EXPECT_EQ(series_level(std::vector{kNone}, std::vector{1.0}, 0.01).weight, 0);
  EXPECT_EQ(series_level({}, {}, 0.01).weight, 0);
}

}  // namespace
}  // namespace benchhud::analysis
