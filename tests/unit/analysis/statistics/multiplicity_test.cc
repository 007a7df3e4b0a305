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

}  // namespace
}  // namespace benchhud::analysis
