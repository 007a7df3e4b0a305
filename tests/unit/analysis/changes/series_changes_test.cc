#include "analysis/changes/series_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/eval/made_up_noise.h"

namespace benchhud::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Nights of one repetition each.
SeriesChanges changes_of(const std::vector<double>& values, const ChangeRules& rules = {}) {
  std::vector<std::span<const double>> nights;
  for (const double& value : values) nights.emplace_back(&value, 1);
  return changes_of_series(nights, rules);
}

// Levels, so many nights each, with normal noise.
struct Level {
  int nights = 0;
  double value = 0;
};
std::vector<double> made_up(const std::vector<Level>& levels, double noise,
                            std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (const Level& level : levels) {
    for (int i = 0; i < level.nights; ++i) values.push_back(level.value + noise * normal(random));
  }
  return values;
}

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

TEST(SeriesChanges, OfPositiveValuesAreThoseOfTheirLogarithms) {
  const std::vector<std::vector<double>> repetitions = {
      {1.0, 1.1}, {1.01, 1.2}, {1.0}, {1.02, 1.0}, {1.01}, {1.0, 1.3},
      {2.0, 2.4}, {2.02, 2.0}, {2.0}, {2.01, 2.1}, {2.0},  {2.03, 2.0}};
  std::vector<std::span<const double>> nights(repetitions.begin(), repetitions.end());
  const SeriesChanges told = changes_of_series(nights);
  std::vector<Night> levels;
  for (const auto& night : nights) levels.push_back(*night_of(night));
  const Changes changes = find_changes(levels);
  EXPECT_FALSE(told.is_linear);
  EXPECT_EQ(told.nights, 12u);
  EXPECT_EQ(told.noise->deviation, changes.noise.deviation);
  ASSERT_THAT(told.found, SizeIs(1));
  EXPECT_EQ(told.found[0].at, 6u);
  EXPECT_TRUE(told.found[0].is_up());
  EXPECT_EQ(*told.found[0].effect, changes.found.at(0).effect);
  EXPECT_EQ(told.found[0].interval->low, changes.found.at(0).interval.low);
  EXPECT_EQ(told.found[0].p_value, changes.found.at(0).p_value);
  EXPECT_NEAR(told.found[0].before, 1.015, 0.02);
  EXPECT_NEAR(told.found[0].after, 2.015, 0.02);
}

TEST(SeriesChanges, OfValuesAtAndBelowZeroAreLinear) {
  // From one side of zero to the other, and from nothing to something.
  const SeriesChanges across = changes_of(made_up({{30, 5}, {30, -7}}, 0.2));
  EXPECT_TRUE(across.is_linear);
  ASSERT_THAT(across.found, SizeIs(1));
  EXPECT_EQ(across.found[0].at, 30u);
  EXPECT_FALSE(across.found[0].is_up());
  EXPECT_NEAR(across.found[0].before, 5, 0.2);
  EXPECT_NEAR(across.found[0].after, -7, 0.2);
  EXPECT_NEAR(*across.found[0].effect, -2.4, 0.05);
  EXPECT_LT(across.found[0].interval->low, -2.4);
  EXPECT_GT(across.found[0].interval->high, -2.4);

  const SeriesChanges back = changes_of(made_up({{30, -7}, {30, 5}}, 0.2));
  ASSERT_THAT(back.found, SizeIs(1));
  EXPECT_TRUE(back.found[0].is_up());
  EXPECT_FALSE(back.found[0].effect);
  EXPECT_FALSE(back.found[0].interval);

  const SeriesChanges counts = changes_of(made_up({{30, 0}, {30, 4}}, 0));
  ASSERT_THAT(counts.found, SizeIs(1));
  EXPECT_EQ(counts.found[0].before, 0);
  EXPECT_EQ(counts.found[0].after, 4);
  EXPECT_FALSE(counts.found[0].effect);

  // One night failed and was noted as zero: the others are as they would be without it.
  std::vector<double> failed = made_up({{30, 100}, {30, 110}}, 1);
  failed[12] = 0;
  const SeriesChanges outlier = changes_of(failed);
  EXPECT_TRUE(outlier.is_linear);
  ASSERT_THAT(outlier.found, SizeIs(1));
  EXPECT_EQ(outlier.found[0].at, 30u);
  EXPECT_NEAR(*outlier.found[0].effect, 0.1, 0.01);
}

TEST(SeriesChanges, ALevelThatMayBeZeroHasNoInterval) {
  const std::vector<double> values = made_up({{40, 0.05}, {40, 5}}, 0.5);
  const SeriesChanges told = changes_of(values);
  ASSERT_THAT(told.found, SizeIs(1));
  ASSERT_GT(told.found[0].before, 0);
  EXPECT_TRUE(told.found[0].effect);
  EXPECT_FALSE(told.found[0].interval);
}

TEST(SeriesChanges, TheLinearIntervalCoversTheEffect) {
  std::size_t told = 0, covered = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::vector<double> values = made_up({{25, 2}, {15, 5}}, 0.6, seed);
    values[7] = -0.01;  // so that it is linear
    for (const ValueChange& change : changes_of(values).found) {
      if (change.at != 25 || !change.interval) continue;
      ++told;
      covered += change.interval->low <= 1.5 && change.interval->high >= 1.5 ? 1 : 0;
    }
  }
  EXPECT_GT(told, 200u);
  const double share = static_cast<double>(covered) / static_cast<double>(told);
  EXPECT_GT(share, 0.92);
  EXPECT_LT(share, 1);
}

TEST(SeriesChanges, AreTheSameInAnyUnit) {
  std::vector<double> values = made_up({{20, 3}, {20, 4}, {20, 2}}, 0.1);
  values[3] = -1;
  const SeriesChanges plain = changes_of(values);
  ASSERT_THAT(plain.found, SizeIs(2));
  for (const double factor : {1024.0, 0x1p-900, 0x1p900}) {
    const SeriesChanges scaled = changes_of(times(values, factor));
    ASSERT_THAT(scaled.found, SizeIs(2)) << factor;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(scaled.found[i].at, plain.found[i].at);
      EXPECT_EQ(scaled.found[i].before, plain.found[i].before * factor);
      EXPECT_EQ(scaled.found[i].effect, plain.found[i].effect);
      EXPECT_EQ(scaled.found[i].p_value, plain.found[i].p_value);
    }
  }
  const SeriesChanges mirrored = changes_of(times(values, -1));
  ASSERT_THAT(mirrored.found, SizeIs(2));
  EXPECT_EQ(mirrored.found[0].after, -plain.found[0].after);
  EXPECT_FALSE(mirrored.found[0].is_up());
}

TEST(SeriesChanges, OfAConstantThereAreNone) {
  for (const double value : {0.0, -0.0, 7.0, -7.0, 1e300, -1e300, 5e-324, -5e-324}) {
    for (const int nights : {1, 3, 4, 5, 100}) {
      const SeriesChanges told = changes_of(std::vector<double>(nights, value));
      EXPECT_THAT(told.found, IsEmpty()) << value;
      EXPECT_THAT(told.rejected, IsEmpty()) << value;
      EXPECT_EQ(told.noise_class, NoiseClass::kStable);
      EXPECT_EQ(told.noise.has_value(), nights >= 4);
    }
  }
}

TEST(SeriesChanges, NumbersOfAnySizeStayNumbers) {
  const double most = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  for (const auto& [before, after] : std::vector<std::pair<double, double>>{
           {least, most}, {most, least}, {-least, most}, {0, least}, {-most, most}, {1, -most}}) {
    const SeriesChanges told = changes_of(made_up({{30, before}, {30, after}}, 0));
    ASSERT_THAT(told.found, SizeIs(1)) << before << " " << after;
    EXPECT_TRUE(std::isfinite(told.found[0].before) && std::isfinite(told.found[0].after));
    EXPECT_EQ(told.found[0].is_up(), after > before);
    EXPECT_GT(told.found[0].p_value, 0);
    if (told.found[0].effect) {
      EXPECT_FALSE(std::isnan(*told.found[0].effect));
    }
  }
}

TEST(SeriesChanges, TheLeastEffectHoldsForLinearLevelsToo) {
  ChangeRules rules;
  rules.least_effect = 0.3;
  for (const double sign : {1.0, -1.0}) {
    // The level before is what is usual.
    std::vector<double> larger = made_up({{40, 100}, {30, 100 + sign * 32}}, 0.5);
    larger[3] = 0;
    EXPECT_THAT(changes_of(larger, rules).found, SizeIs(1)) << sign;
    std::vector<double> smaller = made_up({{40, 100}, {30, 100 + sign * 28}}, 0.5);
    smaller[3] = 0;
    const SeriesChanges told = changes_of(smaller, rules);
    EXPECT_THAT(told.found, IsEmpty()) << sign;
    ASSERT_THAT(told.rejected, SizeIs(1)) << sign;
    EXPECT_EQ(told.rejected[0].reason, Rejection::kTooSmall);
  }
  // Half of what is usual, but little of a level that is far from it.
  std::vector<double> high = made_up({{40, 100}, {20, 1000}, {20, 1050}}, 0.5);
  high[3] = 0;
  const SeriesChanges told = changes_of(high, rules);
  ASSERT_THAT(told.found, SizeIs(1));
  EXPECT_EQ(told.found[0].at, 40u);
  ASSERT_THAT(told.rejected, SizeIs(1));
  EXPECT_EQ(told.rejected[0].change.at, 60u);
  EXPECT_EQ(told.rejected[0].reason, Rejection::kTooSmall);
}

TEST(SeriesChanges, WhatIsSuspectedIsNotRejectedAsWell) {
  const SeriesChanges told = changes_of(made_up({{50, 1}, {2, 2}}, 0.002));
  ASSERT_THAT(told.found, SizeIs(1));
  EXPECT_EQ(told.found[0].state, ChangeState::kSuspect);
  EXPECT_THAT(told.rejected, IsEmpty());
}

using Builds = std::vector<std::vector<double>>;

SeriesChanges changes_of_builds(const Builds& builds) {
  return changes_of_series(std::vector<std::span<const double>>(builds.begin(), builds.end()));
}

// 60 nights of repetitions in two humps, from `at` on times `factor`.
Builds humps(std::size_t at, double factor, std::uint64_t number = 1) {
  Builds builds = eval::made_up_humps(false, 60, number);
  for (std::size_t i = at; i < builds.size(); ++i) {
    for (double& value : builds[i]) value *= factor;
  }
  return builds;
}

TEST(SeriesChanges, AreToldByTheHumpsOfRepetitions) {
  // Nights of so few repetitions differ by far more.
  const SeriesChanges told = changes_of_builds(humps(40, 1.1));
  EXPECT_EQ(told.level, NightStatistic::kShape);
  EXPECT_LT(told.noise->deviation, 0.03);
  ASSERT_THAT(told.found, SizeIs(1));
  EXPECT_EQ(told.found[0].at, 40u);
  EXPECT_EQ(told.found[0].level, NightStatistic::kShape);
  EXPECT_EQ(told.found[0].state, ChangeState::kConfirmed);
  EXPECT_NEAR(*told.found[0].effect, 0.1, 0.015);
  EXPECT_LT(told.found[0].interval->low, 0.1);
  EXPECT_GT(told.found[0].interval->high, 0.1);
  EXPECT_THAT(changes_of_builds(humps(60, 1)).found, IsEmpty());
}

TEST(SeriesChanges, OfHumpsAreAsLargeAsTheyAre) {
  // Farther than a shift is looked for at first, and further than the humps are apart.
  for (const double factor : {0.4, 1.4, 3.0}) {
    const SeriesChanges told = changes_of_builds(humps(40, factor));
    ASSERT_THAT(told.found, SizeIs(1)) << factor;
    EXPECT_LE(told.found[0].earliest, 40u);
    EXPECT_GE(told.found[0].latest, 40u);
    EXPECT_NEAR(*told.found[0].effect, factor - 1, 0.1 * factor);
  }
  const SeriesChanges suspected = changes_of_builds(humps(58, 3));
  ASSERT_THAT(suspected.found, SizeIs(1));
  EXPECT_EQ(suspected.found[0].state, ChangeState::kSuspect);
  EXPECT_NEAR(*suspected.found[0].effect, 2, 0.8);
}

TEST(SeriesChanges, ByTheirHumpsAreNoSmallerThanIsSeenAmongRepetitions) {
  // Repetitions scatter by a sixth: 4 % is less than a third of that, though the humps show it.
  std::size_t too_small = 0;
  for (std::uint64_t number = 1; number <= 8; ++number) {
    const SeriesChanges told = changes_of_builds(humps(30, 1.04, number));
    EXPECT_EQ(told.level, NightStatistic::kShape);
    for (const ValueChange& change : told.found) EXPECT_NE(change.level, NightStatistic::kShape);
    for (const RejectedValueChange& rejected : told.rejected) {
      EXPECT_EQ(rejected.reason, Rejection::kTooSmall);
      EXPECT_EQ(rejected.change.level, NightStatistic::kShape);
      ++too_small;
    }
  }
  EXPECT_GE(too_small, 4u);
}

// Humps as narrow as doubles allow, a zero, and a level as far off.
SeriesChanges of_narrow_humps(double hump, double far) {
  std::mt19937_64 random(5);
  Builds builds;
  for (int night = 0; night < 60; ++night) {
    builds.emplace_back();
    for (int i = 0; i < 5; ++i) {
      const double spread = hump * static_cast<double>(random() % 1000) / 50'000;
      builds.back().push_back(night >= 50 ? far : 1 + (random() % 3 == 0 ? hump : 0) + spread);
    }
  }
  builds[7][2] = 0;
  return changes_of_builds(builds);
}

TEST(SeriesChanges, OfHumpsStandAnyNumbers) {
  for (const double hump : {1e-3, 1e-6, 1e-9}) {
    for (const double far : {1e3, 1e6}) {
      const SeriesChanges told = of_narrow_humps(hump, far);
      ASSERT_THAT(told.found, SizeIs(1)) << hump << " " << far;
      EXPECT_EQ(told.found[0].at, 50u);
    }
    // Beyond what digits can tell of: whatever is said, it is said.
    for (const double far : {1e9, 1e12}) EXPECT_EQ(of_narrow_humps(hump, far).nights, 60u);
  }
}

TEST(SeriesChanges, OfOneHumpAreTheNightsAlone) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  Builds builds;
  for (int night = 0; night < 60; ++night) {
    builds.emplace_back();
    for (int i = 0; i < 8; ++i) builds.back().push_back(100 + normal(random));
  }
  EXPECT_NE(changes_of_builds(builds).level, NightStatistic::kShape);
}

ValueChange with_p_value(double p_value, ChangeState state = ChangeState::kConfirmed) {
  ValueChange change;
  change.p_value = p_value;
  change.state = state;
  return change;
}

TEST(TellTogether, PaysForAllSeries) {
  // Three series and three changes: 3 × (1 + 1/2 + 1/3) = 5.5 p / rank.
  std::vector<SeriesChanges> all(3);
  all[0].found = {with_p_value(0.004), with_p_value(0.02)};
  all[2].found = {with_p_value(0.5, ChangeState::kSuspect)};
  tell_together(all, 0.05);
  ASSERT_THAT(all[0].found, SizeIs(1));
  EXPECT_NEAR(all[0].found[0].q_value, 0.022, 1e-12);
  ASSERT_THAT(all[0].rejected, SizeIs(1));
  EXPECT_NEAR(all[0].rejected[0].change.q_value, 0.055, 1e-12);
  EXPECT_EQ(all[0].rejected[0].reason, Rejection::kNotSignificantAmongSeries);
  EXPECT_EQ(rejection_name(all[0].rejected[0].reason), "not_significant_among_series");
  // A suspect waits for another night, whatever its q-value.
  ASSERT_THAT(all[2].found, SizeIs(1));
  EXPECT_NEAR(all[2].found[0].q_value, 0.5 * 5.5 / 3, 1e-12);

  // More series, fewer that hold.
  std::vector<SeriesChanges> many(100);
  many[0].found = {with_p_value(0.004)};
  tell_together(many, 0.05);
  EXPECT_THAT(many[0].found, IsEmpty());
  tell_together({}, 0.05);
}

}  // namespace
}  // namespace benchhud::analysis
