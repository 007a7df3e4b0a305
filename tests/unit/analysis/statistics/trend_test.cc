#include "analysis/statistics/trend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/analysis/oracle.h"

namespace benchhud::analysis {
namespace {

using Values = std::vector<double>;

TEST(Trend, AgreesWithScipy) {
  ASSERT_GE(oracle()["trends"].size(), 10U);
  for (const auto& expected : oracle()["trends"]) {
    SCOPED_TRACE(expected["name"].get<std::string>());
    const auto samples = doubles(expected["samples"]);
    const auto found = trend(samples);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->n, samples.size());
    EXPECT_NEAR(found->p_value, expected["p_value"].get<double>(), 1e-9);
    EXPECT_NEAR(found->slope, expected["slope"].get<double>(), 1e-12);
  }
}

TEST(Trend, ByHand) {
  // Of the six orders of three values one rises and one falls throughout.
  EXPECT_NEAR(trend(Values{1, 2, 4})->p_value, 2.0 / 6, 1e-15);
  // Slopes 1, 2 and 1.5.
  EXPECT_EQ(trend(Values{1, 2, 4})->slope, 1.5);
  EXPECT_EQ(trend(Values{4, 2, 1})->slope, -1.5);
  EXPECT_EQ(trend(Values{2, 2, 2})->p_value, 1);
  EXPECT_EQ(trend(Values{2, 2, 2})->slope, 0);
  EXPECT_FALSE(trend(Values{1, 2}));
}

TEST(Trend, AnOutlierMakesNone) {
  const auto found = trend(Values{1, 1.01, 0.99, 1.02, 0.98, 1.005, 0.995, 1.015, 100});
  EXPECT_GT(found->p_value, 0.1);
  EXPECT_LT(std::abs(found->slope), 0.01);
}

TEST(Trend, ALongSeriesIsLookedAtInStretches) {
  Values rising(10007);
  for (std::size_t i = 0; i < rising.size(); ++i) {
    rising[i] = 1e-3 * static_cast<double>(i) + ((i * 7919) % 101 == 0 ? 50 : 0);
  }
  const auto found = trend(rising);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->n, 512U);
  EXPECT_LT(found->p_value, 1e-6);
  EXPECT_NEAR(found->slope, 1e-3, 1e-5);
}

}  // namespace
}  // namespace benchhud::analysis
