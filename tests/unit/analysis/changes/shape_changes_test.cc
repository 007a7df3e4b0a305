#include "analysis/changes/shape_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using Values = std::vector<std::vector<double>>;

// Nights of forty repetitions, of which the lower quartile lies in the faster hump for the first
// thirty nights and in the slower one after that. Neither moves, nor does the median.
Values another_mix(std::size_t nights_after) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Values values;
  for (std::size_t night = 0; night < 30 + nights_after; ++night) {
    values.emplace_back();
    const double slow_share = night < 30 ? 0.55 : 0.95;
    for (int i = 0; i < 40; ++i) {
      const double hump = uniform(random) < slow_share ? 0.3 : 0;
      values.back().push_back(hump + 0.02 * normal(random));
    }
  }
  return values;
}

std::vector<Night> quartiles_of(const Values& values) {
  std::vector<Night> nights;
  for (std::vector<double> night : values) {
    for (double& value : night) value = std::exp(value);
    nights.push_back(*night_of(night));
  }
  return nights;
}

TEST(ShapeChanges, LeaveWhatNoShapeTellsToTheNightsThemselves) {
  const Values values = another_mix(30);
  const std::vector<Night> nights = quartiles_of(values);
  // The shape is looked at where it scatters less than nights do: say that these differ by more.
  Changes changes = find_changes(nights);
  ASSERT_THAT(changes.found, SizeIs(1));
  changes.noise.deviation = 1;
  const auto told = shape_changes(values, nights, changes, {});
  ASSERT_TRUE(told);
  EXPECT_THAT(told->changes.found, IsEmpty());
  ASSERT_THAT(told->others, SizeIs(1));
  EXPECT_EQ(told->others[0].at, 30u);
  // Looked at twice, and no surer than the order of the nights is.
  EXPECT_GE(told->others[0].p_value, 2 * changes.found[0].p_value);
  EXPECT_GT(told->others[0].p_value, 1e-12);
}

TEST(ShapeChanges, AnotherMixTakesMoreThanAFewNights) {
  const Values values = another_mix(3);
  const std::vector<Night> nights = quartiles_of(values);
  Changes changes = find_changes(nights);
  ASSERT_THAT(changes.found, SizeIs(1));
  ASSERT_EQ(changes.found[0].state, ChangeState::kConfirmed);
  changes.noise.deviation = 1;
  const auto told = shape_changes(values, nights, changes, {});
  ASSERT_TRUE(told);
  EXPECT_THAT(told->others, IsEmpty());
  ASSERT_THAT(told->changes.rejected, SizeIs(1));
  EXPECT_EQ(told->changes.rejected[0].reason, Rejection::kNotSignificant);
}

TEST(ShapeChanges, AreNoneWhereNightsScatterAsLittle) {
  const Values values = another_mix(30);
  const std::vector<Night> nights = quartiles_of(values);
  Changes changes = find_changes(nights);
  changes.noise.deviation = kLeastNoise;
  EXPECT_FALSE(shape_changes(values, nights, changes, {}));
  EXPECT_FALSE(shape_changes({}, {}, {}, {}));
}

}  // namespace
}  // namespace benchhud::analysis
