#include "analysis/statistics/multiplicity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

using Values = std::vector<double>;

TEST(Simes, TakesTheLeastOfHypothesesTimesPByRank) {
  // 3 × 0.01, 3 × 0.014 / 2, 3 × 0.5 / 3.
  EXPECT_DOUBLE_EQ(simes(Values{0.5, 0.01, 0.014}, 3), 0.021);
  // All alike: no price.
  EXPECT_DOUBLE_EQ(simes(Values{0.04, 0.04, 0.04, 0.04}, 4), 0.04);
  EXPECT_DOUBLE_EQ(simes(Values{0.2}, 1), 0.2);
}

TEST(Simes, TestsWithoutAPValueHaveOne) {
  EXPECT_DOUBLE_EQ(simes(Values{0.01}, 10), 0.1);
  EXPECT_DOUBLE_EQ(simes(Values{0.01, 1, 1, 1}, 4), simes(Values{0.01}, 4));
  EXPECT_EQ(simes(Values{0.5}, 100), 1);
  EXPECT_EQ(simes({}, 0), 1);
  EXPECT_EQ(simes({}, 7), 1);
}

TEST(BenjaminiHochberg, AgreesWithHandComputation) {
  // 4 p by rank; 0.8 stays, and no q-value is above that of a larger p-value.
  EXPECT_THAT(benjamini_hochberg(Values{0.02, 0.001, 0.8, 0.01}),
              ElementsAre(DoubleNear(0.08 / 3, 1e-12), DoubleNear(0.004, 1e-12),
                          DoubleNear(0.8, 1e-12), DoubleNear(0.02, 1e-12)));
  EXPECT_THAT(benjamini_hochberg(Values{0.01, 0.0101}),
              ElementsAre(DoubleNear(0.0101, 1e-12), DoubleNear(0.0101, 1e-12)));
  EXPECT_THAT(benjamini_hochberg(Values{0.03}), ElementsAre(0.03));
  EXPECT_THAT(benjamini_hochberg({}), IsEmpty());
}

TEST(BenjaminiYekutieli, AgreesWithHandComputation) {
  // 4 × (1 + 1/2 + 1/3 + 1/4) = 25/3 times p, by rank; 0.8 × 25/12 is more than 1.
  EXPECT_THAT(benjamini_yekutieli(Values{0.02, 0.001, 0.8, 0.01}, 4),
              ElementsAre(DoubleNear(0.02 * 25 / 9, 1e-12), DoubleNear(0.001 * 25 / 3, 1e-12), 1,
                          DoubleNear(0.01 * 25 / 6, 1e-12)));
  // No q-value is above that of a larger p-value: 3 × 0.0101 / 2 for both.
  EXPECT_THAT(benjamini_yekutieli(Values{0.01, 0.0101}, 2),
              ElementsAre(DoubleNear(0.01515, 1e-12), DoubleNear(0.01515, 1e-12)));
  EXPECT_THAT(benjamini_yekutieli(Values{0.03}, 1), ElementsAre(0.03));
}

TEST(BenjaminiYekutieli, PaysForHypothesesWithoutAPValue) {
  const double harmonic = 7381.0 / 2520;  // 1 + 1/2 + … + 1/10
  EXPECT_THAT(benjamini_yekutieli(Values{0.001, 0.0005}, 10),
              ElementsAre(DoubleNear(0.001 * 10 * harmonic / 2, 1e-12),
                          DoubleNear(0.001 * 10 * harmonic / 2, 1e-12)));
  const auto all = benjamini_yekutieli(Values{0.001, 0.004, 1, 1, 1}, 5);
  const auto some = benjamini_yekutieli(Values{0.001, 0.004}, 5);
  EXPECT_EQ(all[0], some[0]);
  EXPECT_EQ(all[1], some[1]);
  EXPECT_THAT(benjamini_yekutieli({}, 5), IsEmpty());
  EXPECT_THAT(benjamini_yekutieli({}, 0), IsEmpty());
}

TEST(BenjaminiYekutieli, IsBetweenPAndOne) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform;
  Values p_values;
  for (int i = 0; i < 200; ++i) p_values.push_back(std::pow(uniform(random), 6));
  const auto q_values = benjamini_yekutieli(p_values, 200);
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    EXPECT_GE(q_values[i], p_values[i]);
    EXPECT_LE(q_values[i], 1);
    for (std::size_t k = 0; k < i; ++k) {
      if (p_values[k] <= p_values[i]) {
        EXPECT_LE(q_values[k], q_values[i]);
      }
    }
  }
}

TEST(LordPlusPlus, SpendsHalfOfItsRateWithoutAlarms) {
  constexpr double kRate = 0.1;
  LordPlusPlus tests(kRate);
  // 0.0772 ln 2 of the half.
  EXPECT_NEAR(tests.level(), 0.07720838 * std::log(2) * kRate / 2, 1e-15);
  double spent = 0;
  for (int i = 0; i < 300'000; ++i) {
    EXPECT_GT(tests.level(), 0);
    spent += tests.level();
    tests.next(false);
  }
  EXPECT_LE(spent, kRate / 2);
  // Slowly: there is always something left.
  EXPECT_GT(spent, 0.4 * kRate / 2);
}

TEST(LordPlusPlus, AnAlarmRaisesTheNextLevel) {
  constexpr double kRate = 0.05;
  LordPlusPlus quiet(kRate), first(kRate), second(kRate);
  for (int i = 0; i < 20; ++i) {
    quiet.next(false);
    first.next(i == 19);
    second.next(i == 3 || i == 19);
  }
  EXPECT_GT(first.level(), quiet.level());
  // What a first alarm gives back is less what could be spent before it.
  const double decay = 0.07720838 * std::log(2);
  EXPECT_NEAR(first.level() - quiet.level(), decay * kRate / 2, 1e-15);
  EXPECT_GT(second.level(), first.level());
  // And it fades.
  double before = first.level();
  first.next(false);
  for (int i = 0; i < 100; ++i) {
    first.next(false);
    EXPECT_LT(first.level(), before);
    before = first.level();
  }
  EXPECT_EQ(LordPlusPlus(0).level(), 0);
}

TEST(LordPlusPlus, FewOfTheAlarmsAreFalse) {
  constexpr double kRate = 0.1;
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform;
  double share = 0;
  std::size_t hits = 0;
  constexpr int kLives = 200;
  for (int life = 0; life < kLives; ++life) {
    LordPlusPlus tests(kRate);
    double alarms = 0, wrong = 0;
    for (int i = 0; i < 500; ++i) {
      const bool is_true = uniform(random) < 0.05;
      const double p_value = uniform(random) * (is_true ? 1e-5 : 1);
      const bool is_alarm = p_value <= tests.level();
      tests.next(is_alarm);
      alarms += is_alarm;
      wrong += is_alarm && !is_true;
      hits += is_alarm && is_true ? 1 : 0;
    }
    share += alarms > 0 ? wrong / alarms / kLives : 0;
  }
  EXPECT_LT(share, kRate);
  EXPECT_GT(hits, 1000u);
}

}  // namespace
}  // namespace benchhud::analysis
