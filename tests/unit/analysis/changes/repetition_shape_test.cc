#include "analysis/changes/repetition_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

using testing::SizeIs;
using Values = std::vector<std::vector<double>>;

constexpr double kApart = 0.4;

// Nights of five repetitions, each in one of two humps.
class Humps {
 public:
  explicit Humps(double slow_share, std::uint64_t seed = 1) : share_(slow_share), random_(seed) {}

  Humps& add(std::size_t nights, double level, std::size_t repetitions = 5) {
    for (std::size_t i = 0; i < nights; ++i) {
      values_.emplace_back();
      for (std::size_t k = 0; k < repetitions; ++k) {
        const double hump = uniform_(random_) < share_ ? kApart : 0;
        values_.back().push_back(level + hump + 0.01 * normal_(random_));
      }
    }
    return *this;
  }
  const Values& values() const { return values_; }

 private:
  double share_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  Values values_;
};

std::vector<Night> shaped(const Values& values, double level = 0) {
  auto nights = nights_by_shape(values, std::vector<double>(values.size(), level));
  EXPECT_TRUE(nights);
  return nights.value_or(std::vector<Night>());
}

double deviation(const std::vector<Night>& nights) {
  std::vector<double> levels;
  for (const Night& night : nights) levels.push_back(night.level);
  return sample_sd(levels);
}

TEST(RepetitionShape, IsNotMovedByHowManyRepetitionsFallIntoEachHump) {
  const Values values = Humps(0.4).add(60, 0).values();
  const std::vector<Night> nights = shaped(values);
  ASSERT_THAT(nights, SizeIs(60));
  EXPECT_EQ(nights[3].count, 5u);
  // Five repetitions tell their mean to 0.01 / √5; medians jump from hump to hump.
  EXPECT_LT(deviation(nights), 0.007);
  EXPECT_GT(deviation(medians_of(values).nights), 0.15);
  EXPECT_LT(nights[3].variance, 3 * 0.01 * 0.01 / 5);
}

TEST(RepetitionShape, MovesWithTheHumps) {
  const Values values = Humps(0.4).add(60, 0).add(4, 0.05).add(1, -0.1).values();
  const std::vector<Night> nights = shaped(values);
  for (std::size_t i = 60; i < 64; ++i) EXPECT_NEAR(nights[i].level, 0.05, 0.015) << i;
  EXPECT_NEAR(nights[64].level, -0.1, 0.015);
}

TEST(RepetitionShape, OfANightFarOutSaysToWhichSide) {
  const Values values = Humps(0.4).add(60, 0).add(1, 3).add(1, -3).values();
  const std::vector<Night> nights = shaped(values);
  // As far as a shift is looked for.
  EXPECT_GT(nights[60].level, kApart / 4);
  EXPECT_LT(nights[61].level, -kApart / 4);
  EXPECT_GT(nights[60].variance, nights[0].variance);
}

TEST(RepetitionShape, ANightThatMayLieInEitherHumpIsNotSureOfItself) {
  // The last nights are thought to be on a level of their own, which is where the slower hump is.
  Values values = Humps(0.4).add(60, 0).values();
  std::vector<double> levels(63, 0);
  for (std::size_t i = 60; i < 63; ++i) {
    values.push_back({kApart});
    levels[i] = kApart;
  }
  const auto nights = nights_by_shape(values, levels);
  ASSERT_TRUE(nights);
  for (std::size_t i = 60; i < 63; ++i) {
    EXPECT_GT((*nights)[i].variance, 0.1 * kApart * kApart) << i;
    EXPECT_LT((*nights)[i].level, 0.9 * kApart) << i;
  }
}

TEST(RepetitionShape, ANightIsOnNoLevelThatItsRepetitionsAreFarFrom) {
  Values values = Humps(0.4).add(60, 0).add(20, 2).values();
  std::vector<double> levels(80, 0);
  for (std::size_t i = 60; i < 80; ++i) levels[i] = 2;
  const Values others = Humps(0.4, 5).add(1, 0.9).add(1, 3).add(1, -3).add(1, 2).values();
  values.insert(values.end(), others.begin(), others.end());
  levels.resize(84, 0);
  const auto nights = nights_by_shape(values, levels);
  ASSERT_TRUE(nights);
  EXPECT_GT((*nights)[80].level, 0);
  EXPECT_LT((*nights)[80].level, kApart);
  EXPECT_GT((*nights)[81].level, 0);
  EXPECT_LT((*nights)[82].level, 0);
  EXPECT_NEAR((*nights)[83].level, 2, 0.02) << "but on one that they are on, whatever was thought";
}

TEST(RepetitionShape, IsAskedOfRepetitionsWithHumpsAlone) {
  const auto is_asked = [](const Values& values) {
    return nights_by_shape(values, std::vector<double>(values.size(), 0)).has_value();
  };
  EXPECT_TRUE(is_asked(Humps(0.5).add(40, 0).values()));
  EXPECT_FALSE(is_asked(Humps(0).add(40, 0).values()));
  // One repetition a night, too few nights, none, all alike.
  EXPECT_FALSE(is_asked(Humps(0.5).add(40, 0, 1).values()));
  EXPECT_FALSE(is_asked(Humps(0.5).add(5, 0).values()));
  EXPECT_FALSE(is_asked({}));
  EXPECT_FALSE(is_asked(Values(40, std::vector<double>(5, 1.0))));
  // Alike but for a few: nine tenths of them lie at one place.
  Values still(40, std::vector<double>(5, 1.0));
  still[3][2] = 2;
  EXPECT_FALSE(is_asked(still));
}

TEST(RepetitionShape, TakesTicksOfAClockForNoHumps) {
  Values rounded = Humps(0.4).add(80, 0).values();
  for (auto& night : rounded) {
    for (double& value : night) value = std::round(value / 0.02) * 0.02;
  }
  EXPECT_LT(deviation(shaped(rounded)), 0.01);
}

TEST(RepetitionShape, HoldsWhateverTheScale) {
  Values values = Humps(0.4).add(40, 0).values();
  const std::vector<Night> nights = shaped(values);
  for (auto& night : values) {
    for (double& value : night) value = 1e9 * value + 7e9;
  }
  const std::vector<Night> scaled = shaped(values, 7e9);
  for (std::size_t i = 0; i < nights.size(); ++i) {
    EXPECT_NEAR(scaled[i].level / 1e9 - 7, nights[i].level, 1e-4) << i;
  }
  // One that is out of all proportion makes neither a shape nor trouble.
  values[7][0] = 1e300;
  EXPECT_NEAR(shaped(values, 7e9)[8].level / 1e9 - 7, nights[8].level, 1e-2);
}

TEST(ScatterOf, IsOfRepetitionsAroundTheirLevels) {
  const Values values = {{1, 3}, {11, 13}};
  EXPECT_DOUBLE_EQ(scatter_of(values, std::vector<double>{2, 12}), std::sqrt(4.0 / 3));
  EXPECT_EQ(scatter_of(Values{{1}}, std::vector<double>{0}), 0);
}

}  // namespace
}  // namespace benchhud::analysis
