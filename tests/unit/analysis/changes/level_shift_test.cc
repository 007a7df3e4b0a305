#include "analysis/changes/level_shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

// Nights by 1 that are each like the one before, from `at` on by `step` higher.
std::vector<double> nights(std::size_t count, double correlation, std::size_t at, double step,
                           std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double before = normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(before + (i >= at ? step : 0));
    before = correlation * before + std::sqrt(1 - correlation * correlation) * normal(random);
  }
  return values;
}

// Of nights that are known equally well.
double step_p_value(const std::vector<double>& values, std::size_t at) {
  return level_shift_p_value(values, std::vector<double>(values.size(), 1), at);
}

// How often nights without a step have a p-value below `level` in their middle.
double share_below(double level, double correlation, std::size_t count) {
  constexpr std::uint64_t kSeries = 600;
  std::size_t below = 0;
  for (std::uint64_t seed = 1; seed <= kSeries; ++seed) {
    below += step_p_value(nights(count, correlation, count, 0, seed), count / 2) < level;
  }
  return static_cast<double>(below) / kSeries;
}

TEST(LevelShift, AStepAmongIndependentNightsIsSignificant) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto values = nights(60, 0, 30, 4, seed);
    EXPECT_LT(step_p_value(values, 30), 1e-5) << seed;
    // Not where it is not.
    EXPECT_GT(step_p_value(values, 10), step_p_value(values, 30)) << seed;
  }
  EXPECT_LT(step_p_value(nights(60, 0, 30, -4, 1), 30), 1e-5);
}

TEST(LevelShift, NightsThatWanderAreNoStep) {
  // 0.013 and 0.012 of 20,000 series.
  EXPECT_LT(share_below(0.01, 0.6, 60), 0.025);
  EXPECT_LT(share_below(0.01, 0.6, 200), 0.025);
  EXPECT_LT(share_below(0.01, 0, 60), 0.015);
  EXPECT_LT(share_below(0.05, 0, 60), 0.07);
  // But it is no test that never says so.
  EXPECT_GT(share_below(0.3, 0, 60), 0.1);
}

TEST(LevelShift, AStepAmongNightsThatWanderIsLessSure) {
  double alone = 0, alike = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    alone += std::log(step_p_value(nights(60, 0, 30, 3, seed), 30));
    alike += std::log(step_p_value(nights(60, 0.6, 30, 3, seed), 30));
  }
  EXPECT_LT(alone, 1.3 * alike);
}

TEST(LevelShift, IsTheSameInAnyUnitAndFromAnyZero) {
  const auto values = nights(40, 0.3, 25, 2, 5);
  const double p_value = step_p_value(values, 25);
  ASSERT_GT(p_value, 0);
  ASSERT_LT(p_value, 0.1);
  for (const double factor : {1e-6, -1.0, 1e6}) {
    for (const double shift : {0.0, -3.0, 1e4}) {
      std::vector<double> other;
      for (const double value : values) other.push_back(factor * (value + shift));
      EXPECT_NEAR(step_p_value(other, 25) / p_value, 1, 1e-6) << factor << " " << shift;
    }
  }
}

TEST(LevelShift, NightsCountByTheirWeights) {
  // Nights that tell nothing may say what they like.
  auto values = nights(60, 0, 30, 4, 3);
  std::vector<double> weights(60, 1);
  const double p_value = level_shift_p_value(values, weights, 30);
  for (std::size_t i = 5; i < 60; i += 10) {
    values[i] = i % 20 == 5 ? 100 : -100;
    weights[i] = 1e-6;
  }
  EXPECT_GT(level_shift_p_value(values, std::vector<double>(60, 1), 30), 0.01);
  EXPECT_LT(p_value, 1e-5);
  // In any unit.
  EXPECT_NEAR(level_shift_p_value(values, std::vector<double>(60, 7), 30) /
                  level_shift_p_value(values, std::vector<double>(60, 1), 30),
              1, 1e-9);
}

TEST(LevelShift, FewNightsAndEqualOnesTellNothing) {
  EXPECT_EQ(step_p_value({}, 0), 1);
  EXPECT_EQ(step_p_value(std::vector<double>{1, 1, 9, 9}, 2), 1);
  for (const double value : {0.0, 3.0, -1e200}) {
    EXPECT_EQ(step_p_value(std::vector<double>(30, value), 15), 1) << value;
  }
  // Two levels and nothing else: as sure as a double can say.
  EXPECT_LE(step_p_value(std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2}, 4),
            std::numeric_limits<double>::min());
  for (std::size_t at = 1; at < 6; ++at) {
    const double p_value = step_p_value(std::vector<double>{3, 1, 4, 1, 5, 9}, at);
    EXPECT_GT(p_value, 0) << at;
    EXPECT_LE(p_value, 1) << at;
  }
}

}  // namespace
}  // namespace benchhud::analysis
