#include "analysis/fleet/pooling.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

using testing::DoubleNear;
using testing::Each;

std::vector<double> normals(std::size_t count, double deviation, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

TEST(Location, IsTheMeanOfWhatHasNoOutliers) {
  const Location location =
      location_of(std::vector{1.0, 1.01, 0.99, 1.0}, std::vector<double>(4, 1e-4));
  EXPECT_NEAR(location.value, 1.0, 1e-9);
  EXPECT_NEAR(location.error, 0.005, 1e-9);
}

TEST(Location, OutliersPullNoFurtherThanTheTuning) {
  std::vector<double> values(20, 0), variances(20, 1e-4);
  values[3] = values[7] = 100;
  std::vector<double> weights;
  const Location location = location_of(values, variances, &weights);
  EXPECT_LT(location.value, 0.002);
  EXPECT_LT(weights[3], weights[0] / 1000);
  values[3] = values[7] = 1e6;
  EXPECT_NEAR(location_of(values, variances).value, location.value, 1e-6);
}

TEST(Location, OfNothingIsNotKnown) {
  EXPECT_EQ(location_of({}, {}).value, 0);
  EXPECT_TRUE(std::isinf(location_of({}, {}).error));
}

TEST(BetweenVariance, IsWhatDeviationsHaveBeyondTheirOwn) {
  const std::vector<double> variances(2000, 1e-4);
  EXPECT_NEAR(between_variance(normals(2000, std::sqrt(5e-4)), variances, 9, 0.95), 4e-4, 8e-5);
  EXPECT_NEAR(between_variance(normals(2000, 0.01), variances, 9, 0.95), 0, 2e-5);
  EXPECT_EQ(between_variance(std::vector{5.0, 5.0}, std::vector{1.0, 1.0}, 9, 0.95), 0) << "of two";
}

TEST(Disturbance, ATenthOfTheSeriesIsNone) {
  std::vector<double> deviations = normals(60, 0.01), variances(60, 1e-4);
  const double before = disturbance_of(deviations, variances).of(1e-4);
  for (std::size_t i = 0; i < 6; ++i) deviations[10 * i] = 0.5;
  EXPECT_LT(disturbance_of(deviations, variances).of(1e-4), before + 1e-4);
  for (std::size_t i = 0; i < 60; i += 2) deviations[i] = 0.5;
  EXPECT_GT(disturbance_of(deviations, variances).of(1e-4), 1e-3);
}

TEST(Disturbance, GrowsWithTheNoiseWhereNoisySeriesAreHitHarder) {
  std::vector<double> deviations, variances;
  const auto quiet = normals(40, 0.02, 2), noisy = normals(40, 0.4, 3);
  for (std::size_t i = 0; i < 40; ++i) {
    deviations.insert(deviations.end(), {quiet[i], noisy[i]});
    variances.insert(variances.end(), {1e-4, 4e-2});
  }
  const Disturbance disturbance = disturbance_of(deviations, variances);
  EXPECT_GT(disturbance.share, 0.5);
  EXPECT_GT(disturbance.of(4e-2), 10 * disturbance.of(1e-4));
}

std::vector<Shift> shifts_of(const std::vector<double>& sizes, double variance) {
  std::vector<Shift> shifts;
  for (const double size : sizes)
    shifts.push_back({.size = size, .variance = variance, .model = shifts.size()});
  return shifts;
}

TEST(ShrunkEffects, OfAlikeShiftsAreWhatMostDid) {
  std::vector<double> sizes = normals(30, 0.01);
  for (double& size : sizes) size += 0.06;
  const Effects effects = shrunk_effects(shifts_of(sizes, 1e-4));
  EXPECT_NEAR(effects.pooled, 0.06, 0.006);
  EXPECT_THAT(effects.effect, Each(DoubleNear(effects.pooled, 0.005)));
}

TEST(ShrunkEffects, WhatStandsOutIsSomethingElse) {
  std::vector<double> sizes(30, 0.06);
  for (std::size_t i = 0; i < 30; ++i) sizes[i] += i % 2 == 0 ? 0.005 : -0.005;
  sizes[4] = 0.4;
  const Effects effects = shrunk_effects(shifts_of(sizes, 1e-4));
  EXPECT_NEAR(effects.effect[4], effects.pooled, 1e-9);
}

TEST(ShrunkEffects, WhatChangedAfterTheFirstNightIsSomethingElse) {
  auto shifts = shifts_of(std::vector<double>(30, 0.06), 1e-4);
  shifts[4].size = 0.09;
  shifts[4].change = 0.2;
  EXPECT_NEAR(shrunk_effects(shifts).effect[4], 0.06, 1e-3);
}

TEST(ShrunkEffects, OfUnlikeShiftsAModelStandsOutAndASeriesDoesNot) {
  std::vector<Shift> shifts;
  for (std::size_t model = 0; model < 12; ++model) {
    for (std::size_t k = 0; k < 4; ++k) {
      const double hit = (model + k) % 2 == 0 ? 0.3 : 0;  // half of them, of every model
      shifts.push_back({.size = hit, .variance = 1e-4, .model = model});
    }
  }
  const Effects busy = shrunk_effects(shifts, false);
  EXPECT_NEAR(busy.effect[0], 0.3, 0.01);
  EXPECT_NEAR(busy.effect[1], 0.0, 0.01);
  // Little else moved, and one model as a whole.
  for (Shift& shift : shifts) shift.size = shift.model == 5 ? 0.2 : (shift.size > 0 ? 0.02 : -0.02);
  const Effects model = shrunk_effects(shifts, false);
  EXPECT_NEAR(model.effect[4 * 5], model.pooled, 1e-6);
}

TEST(ShrunkEffects, WhatWasNotMeasuredGetsWhatMostDid) {
  auto shifts = shifts_of({0.05, 0.06, 0.07, 0.06, 0.05, 0.07}, 1e-4);
  shifts.push_back({});
  const Effects effects = shrunk_effects(shifts);
  EXPECT_EQ(effects.effect.back(), effects.pooled);
  EXPECT_TRUE(std::isfinite(effects.variance.back()));
}

}  // namespace
}  // namespace benchhud::analysis
