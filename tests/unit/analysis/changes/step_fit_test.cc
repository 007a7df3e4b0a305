#include "analysis/changes/step_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

// Nights with a deviation of 1 about a level each, unless said otherwise.
struct Made {
  std::vector<double> values, weights;

  WeightedNights nights() const { return {values, weights}; }
  Step step(std::size_t at) const {
    const WeightedNights all = nights();
    return {level_of(all.between(0, at)), level_of(all.between(at, all.size()))};
  }
};

Made made(std::size_t count, const std::function<double(std::size_t)>& level, std::uint64_t seed,
          double deviation = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Made made;
  for (std::size_t i = 0; i < count; ++i) {
    made.values.push_back(level(i) + deviation * normal(random));
    made.weights.push_back(1 / deviation / deviation);
  }
  return made;
}

std::function<double(std::size_t)> step_of(double by, std::size_t at) {
  return [=](std::size_t i) { return i < at ? 0 : by; };
}

TEST(LevelOf, WeighsNightsAndLeavesOutWhatIsFarOff) {
  const Made two{{0, 1, 0, 1}, {3, 1, 3, 1}};
  const Level level = level_of(two.nights());
  EXPECT_NEAR(level.mean, 0.25, 0.01);
  EXPECT_EQ(level.count, 4u);
  EXPECT_DOUBLE_EQ(level.weight, 8);

  Made spiky = made(50, [](std::size_t) { return 2.0; }, 1, 0.1);
  const double before = level_of(spiky.nights()).mean;
  spiky.values.push_back(1e6);
  spiky.weights.push_back(100);
  const Level with = level_of(spiky.nights());
  EXPECT_NEAR(with.mean, before, 1e-4);
  // Nor does it count for more than three deviations.
  EXPECT_NEAR(with.squares, level_of(spiky.nights().between(0, 50)).squares + 9, 1e-3);
}

TEST(LikeliestPlace, LiesWhereTheNightsSayAndAsFarAsTheyLeaveOpen) {
  // A step of eight deviations is where it is; of one, its interval holds it in 19 of 20 series.
  const Made clear = made(60, step_of(8, 30), 1);
  const Place place = likeliest_place(clear.nights(), clear.step(31), 3);
  EXPECT_EQ(place.at, 30u);
  EXPECT_EQ(place.earliest, 30u);
  EXPECT_EQ(place.latest, 30u);
  int held = 0;
  double wide = 0;
  constexpr int kSeries = 400;
  for (int seed = 0; seed < kSeries; ++seed) {
    const Made weak = made(100, step_of(1, 40), static_cast<std::uint64_t>(seed));
    const Place at = likeliest_place(weak.nights(), weak.step(40), 3);
    EXPECT_LE(at.earliest, at.at);
    EXPECT_GE(at.latest, at.at);
    held += at.earliest <= 40 && 40 <= at.latest ? 1 : 0;
    wide += static_cast<double>(at.latest - at.earliest) / kSeries;
  }
  EXPECT_GE(held, kSeries * 0.91);
  EXPECT_LT(wide, 30);
}

TEST(LikeliestPlace, IsOftenerNearThanTheLikeliestNightIs) {
  int near = 0, likeliest_near = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Made one = made(80, step_of(1.2, 40), seed);
    double sum = 0, most = -1e300;
    std::size_t likeliest = 0;
    for (std::size_t cut = 1; cut < 80; ++cut) {
      sum += 0.6 - one.values[cut - 1];  // of the levels 0 and 1.2, known
      if (cut >= 3 && cut <= 77 && sum > most) {
        most = sum;
        likeliest = cut;
      }
    }
    const std::size_t ours = likeliest_place(one.nights(), one.step(40), 3).at;
    near += ours >= 38 && ours <= 42 ? 1 : 0;
    likeliest_near += likeliest >= 38 && likeliest <= 42 ? 1 : 0;
  }
  EXPECT_GT(near, likeliest_near);
}

TEST(LikeliestPlace, KeepsOffTheEndsAndStandsLevelsThatDoNotFit) {
  const Made few = made(6, step_of(8, 2), 3);
  EXPECT_EQ(likeliest_place(few.nights(), few.step(3), 3).at, 3u);
  // One level of two: every night after the cut is a hundred deviations off, and tells all the
  // same.
  const Made three =
      made(60, [](std::size_t i) { return i < 20   ? 0.0
                                          : i < 40 ? 1000.0
                                                   : 1200.0; }, 1);
  EXPECT_EQ(likeliest_place(three.nights(), three.step(20), 3).at, 20u);
}

TEST(IsCreeping, WhatAStraightLineExplains) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Made ramp = made(60, [](std::size_t i) { return 0.2 * static_cast<double>(i); }, seed);
    EXPECT_TRUE(is_creeping(ramp.nights(), ramp.step(30))) << seed;
    const Made step = made(60, step_of(4, 30), seed);
    EXPECT_FALSE(is_creeping(step.nights(), step.step(30))) << seed;
    const Made late = made(60, step_of(4, 56), seed);
    EXPECT_FALSE(is_creeping(late.nights(), late.step(56))) << seed;
    // A level that was reached over some nights is a level.
    const Made slow = made(
        60,
        [](std::size_t i) {
          return i < 28 ? 0 : i > 32 ? 6 : 6 * (static_cast<double>(i) - 27) / 6;
        },
        seed);
    EXPECT_FALSE(is_creeping(slow.nights(), slow.step(30))) << seed;
    // And a spike bends no line.
    Made spiked = ramp;
    spiked.values[10] = 1e6;
    EXPECT_TRUE(is_creeping(spiked.nights(), spiked.step(30))) << seed;
  }
}

TEST(WithoutLean, IsWhatTheNextNightIsMeasuredBy) {
  Made ramp = made(60, [](std::size_t i) { return 100 - 0.5 * static_cast<double>(i); }, 4);
  ramp.values[7] = -1e6;
  const auto flat = without_lean(ramp.nights());
  EXPECT_NEAR(level_of({flat, ramp.weights}).mean, 70, 0.5);
  EXPECT_NEAR(flat.front(), ramp.values.front() - 30, 1);
  // What does not lean stays as it is.
  const Made level = made(60, step_of(0, 0), 4);
  EXPECT_EQ(without_lean(level.nights()), level.values);
}

TEST(SpikesPValue, AsManySpikesInFewNightsByChance) {
  // Five nights of 50 are spikes, and then two of three are.
  const auto spiky = [](std::size_t i) { return (i < 50 ? i % 10 == 0 : i != 51) ? 20.0 : 0.0; };
  const Made nights = made(53, spiky, 1, 0.1);
  const Step step = nights.step(50);
  const double share = 0.1;
  const double two_or_three = 3 * share * share * (1 - share) + share * share * share;
  EXPECT_NEAR(spikes_p_value(nights.nights(), step, 1), two_or_three, 1e-12);
  EXPECT_NEAR(spikes_p_value(nights.nights(), step, 10), 10 * two_or_three, 1e-12);
  EXPECT_EQ(spikes_p_value(nights.nights(), step, 1000), 1);
  // Where there never was a spike, or the levels are near each other, it has nothing to say.
  const Made plain = made(53, step_of(20, 50), 1, 0.1);
  EXPECT_EQ(spikes_p_value(plain.nights(), plain.step(50), 1000), 0);
  const Made near = made(53, step_of(0.2, 50), 1, 0.1);
  EXPECT_EQ(spikes_p_value(near.nights(), near.step(50), 1000), 0);
  // The same the other way round, and downwards.
  Made turned = nights;
  std::reverse(turned.values.begin(), turned.values.end());
  for (double& value : turned.values) value = -value;
  EXPECT_NEAR(spikes_p_value(turned.nights(), turned.step(3), 1), two_or_three, 1e-12);
}

}  // namespace
}  // namespace benchhud::analysis
