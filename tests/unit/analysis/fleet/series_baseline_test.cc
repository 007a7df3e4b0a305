#include "analysis/fleet/series_baseline.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

std::vector<float> series(std::size_t nights, double alike, double wander = 0,
                          std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
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

// Beside series that have other nights, or none.
SeriesNoise noise_of_one(const std::vector<float>& nights) {
  std::vector<FloatLanes> all;
  for (const float night : nights) all.push_back(FloatLanes{kNone, 7 * night, night, 1});
  return series_noise(all)[2];
}

TEST(SeriesNoise, OfIndependentNights) {
  const SeriesNoise noise = noise_of_one(series(60, 0));
  EXPECT_NEAR(noise.deviation, 0.01, 0.003);
  EXPECT_LT(noise.correlation, 0.35);
  EXPECT_EQ(noise.differences, 59u);
}

TEST(SeriesNoise, NightsThatAreAlikeOrWanderDifferMoreTheFurtherApart) {
  EXPECT_GT(noise_of_one(series(60, 0.8)).correlation, 0.4);
  EXPECT_GT(noise_of_one(series(60, 0, 0.5)).correlation, 0.3);
}

double median_wander(double walk) {
  std::vector<double> all;
  for (std::uint64_t seed = 0; seed < 101; ++seed) {
    const auto levels = series(60, 0, walk, seed);
    std::vector<FloatLanes> nights;
    for (const float level : levels) nights.push_back(FloatLanes{} + level);
    all.push_back(series_wander(nights, 1).value());
  }
  return median(all);
}

TEST(SeriesWander, IsTheVarianceOfTheWalkBesideThatOfTheNights) {
  EXPECT_NEAR(median_wander(0), 0, 0.02);
  EXPECT_NEAR(median_wander(0.3), 0.09, 0.04);
}

TEST(SeriesWander, OfTooFewNightsIsUnknown) {
  std::vector<FloatLanes> nights(24);
  EXPECT_FALSE(series_wander(nights, 0).has_value());
  nights.resize(25);
  EXPECT_TRUE(series_wander(nights, 0).has_value());
  nights[0] += kNone;
  EXPECT_FALSE(series_wander(nights, 0).has_value());
}

TEST(SeriesNoise, AStepIsNoNoise) {
  auto levels = series(60, 0);
  for (std::size_t n = 40; n < 60; ++n) levels[n] += 0.5F;
  EXPECT_NEAR(noise_of_one(levels).deviation, noise_of_one(series(60, 0)).deviation, 0.002);
}

TEST(SeriesNoise, OfFewNightsSaysSo) {
  EXPECT_EQ(noise_of_one(std::vector<float>{}).differences, 0u);
  EXPECT_EQ(noise_of_one(std::vector{1.0F, kNone, 2.0F}).differences, 0u)
      << "not next to each other";
  const SeriesNoise few = noise_of_one(series(6, 0));
  EXPECT_FALSE(few.is_correlation_known);
  EXPECT_GT(few.deviation, 0);
}

// Nights of as many series as are asked for at once; of each but the first none, or others.
SeriesNights nights_of(const std::vector<std::vector<float>>& series) {
  SeriesNights nights;
  for (const auto& one : series) nights.count = std::max(nights.count, one.size());
  for (std::size_t n = 0; n < nights.count; ++n) {
    nights.levels[n].fill(kNone);
    nights.weights[n].fill(1);
    for (std::size_t s = 0; s < series.size(); ++s) {
      if (n < series[s].size()) nights.levels[n][s] = series[s][n];
    }
  }
  nights.deviation.fill(0.01);
  return nights;
}

TEST(SeriesLevel, IsWhereMostNightsLie) {
  std::vector<float> levels(20, 1.0F);
  levels[3] = 5;
  levels[9] = kNone;
  const SeriesLevel level = series_levels(nights_of({levels}))[0];
  EXPECT_NEAR(level.level, 1.0, 1e-6);
  EXPECT_NEAR(level.weight, 18, 1e-6);
}

TEST(SeriesLevel, BeginsAtTheMedian) {
  // So far apart that each level keeps to what it began at.
  const auto levels = series_levels(nights_of({{3, 1, 2}, {5, 5, 4, 4, 4}, {kNone, 7, 9, 7}}));
  EXPECT_NEAR(levels[0].level, 2, 1e-6);
  EXPECT_NEAR(levels[1].level, 4, 1e-6);
  EXPECT_NEAR(levels[2].level, 7, 1e-6);
  EXPECT_NEAR(levels[2].weight, 2, 1e-6);
}

TEST(SeriesLevel, CountsNightsByTheirWeights) {
  SeriesNights nights = nights_of({{1, 1, 1.01F, 1.01F}});
  nights.weights[2][0] = nights.weights[3][0] = 0.1;
  const SeriesLevel level = series_levels(nights)[0];
  EXPECT_GT(level.level, 1);
  EXPECT_LT(level.level, 1.002);
  EXPECT_LT(level.weight, 2.2);
}

TEST(SeriesLevel, OfEachSeriesIsAsOfItAlone) {
  std::vector<std::vector<float>> all;
  for (std::size_t s = 0; s < SeriesNights::kSeries; ++s) {
    all.push_back(series(10 + s, 0.1 * static_cast<double>(s)));
    all.back()[s] = kNone;
  }
  const auto together = series_levels(nights_of(all));
  for (std::size_t s = 0; s < all.size(); ++s) {
    const SeriesLevel alone = series_levels(nights_of({all[s]}))[0];
    EXPECT_EQ(together[s].level, alone.level);
    EXPECT_EQ(together[s].weight, alone.weight);
  }
}

TEST(SeriesLevel, OfNothingHasNoWeight) {
  EXPECT_EQ(series_levels(nights_of({{kNone}}))[0].weight, 0);
  EXPECT_EQ(series_levels(nights_of({}))[0].weight, 0);
}

}  // namespace
}  // namespace benchhud::analysis
