#include "analysis/statistics/unimodality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "analysis/statistics/summary.h"
#include "tests/unit/analysis/oracle.h"

namespace benchhud::analysis {
namespace {

using Values = std::vector<double>;

TEST(Dip, IsTheDistanceToTheNearestUnimodalDistribution) {
  ASSERT_GE(oracle()["dips"].size(), 20U);
  for (const auto& expected : oracle()["dips"]) {
    SCOPED_TRACE(expected["name"].get<std::string>());
    EXPECT_NEAR(dip(doubles(expected["samples"])), expected["dip"].get<double>(), 1e-7);
  }
}

TEST(Dip, ByHand) {
  EXPECT_EQ(dip(Values{3, 3, 3}), 0);
  EXPECT_EQ(dip(Values{7}), 0);
  EXPECT_TRUE(std::isnan(dip(Values{})));
  // Evenly spaced values lie 1 / (2n) off the line through their steps.
  EXPECT_DOUBLE_EQ(dip(Values{4, 1, 3, 2}), 0.125);
  // Half of the values at each of two places: a step of a half, which a line halves.
  EXPECT_NEAR(dip(Values{0, 1e-9, 1, 1 + 1e-9}), 0.25, 1e-6);
}

TEST(Dip, TicksOfAClockAreNoHumps) {
  EXPECT_LT(dip(Values{1, 1, 1, 1, 2, 2, 2, 2, 2}), *critical_dip(9));
  EXPECT_GT(dip(Values{1, 1, 1.01, 1.01, 2, 2, 2.01, 2.01, 2}), *critical_dip(9));
}

TEST(Dip, HugeAndTinyNumbersStayNumbers) {
  for (const double scale : {1e-310, 1e-3, 1e300}) {
    const double found = dip(Values{scale, scale * 1.5, scale * 1.25, scale * 9, scale * 9.5});
    EXPECT_GE(found, 0.1) << scale;
    EXPECT_LE(found, 0.25) << scale;
  }
}

TEST(Dip, TwoDistantHumpsOfTheUsualLengthAreFound) {
  const Values samples = {2.01, 1.00, 1.02, 2.03, 1.01, 2.00, 1.03, 2.02, 1.005};
  EXPECT_GT(dip(samples), *critical_dip(samples.size()));
  const auto groups = two_groups(samples);
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->low_count, 5U);
  EXPECT_EQ(groups->high_count, 4U);
  EXPECT_EQ(groups->low_median, 1.01);
  EXPECT_DOUBLE_EQ(groups->high_median, 2.015);
}

TEST(Dip, TooFewToTell) {
  EXPECT_FALSE(critical_dip(7));
  EXPECT_TRUE(critical_dip(8));
  EXPECT_FALSE(two_groups(Values{1}));
}

TEST(Dip, CriticalValuesFallWithTheNumber) {
  double before = 1;
  for (std::size_t n = 8; n < 5000; n = n * 11 / 10 + 1) {
    const double critical = *critical_dip(n);
    EXPECT_LT(critical, before) << n;
    EXPECT_GT(critical, 0.4 / std::sqrt(static_cast<double>(n)));
    before = critical;
  }
}

double uniform(std::mt19937_64* random) { return static_cast<double>((*random)() >> 11) * 0x1p-53; }

TEST(Dip, UniformSamplesExceedItAsOftenAsIsSaid) {
  // Between two rows of the table, where an interpolation that is off would show.
  constexpr std::size_t kLength = 22, kSamples = 20000;
  std::mt19937_64 random(7);
  int found = 0;
  Values samples(kLength);
  for (std::size_t i = 0; i < kSamples; ++i) {
    for (double& sample : samples) sample = uniform(&random);
    found += dip(samples) > *critical_dip(kLength);
  }
  // Binomial: 200 expected, standard deviation 14.
  EXPECT_NEAR(found, kSamples * kDipAlarmRate, 5 * 14);
}

// Makes the table in unimodality.cc, in a minute.
TEST(Dip, DISABLED_TableOfCriticalDips) {
  for (const std::size_t n :
       {8, 9, 10, 11, 12, 13, 14, 15, 17, 20, 25, 30, 40, 60, 100, 200, 500, 1000, 2000}) {
    std::mt19937_64 random(n);
    Values samples(n), dips(n <= 30 ? 1000000 : n <= 200 ? 200000 : 30000);
    for (double& value : dips) {
      for (double& sample : samples) sample = uniform(&random);
      value = dip(samples);
    }
    std::printf("{%zu, %.4f},\n", n,
                quantile(dips, 1 - kDipAlarmRate) * std::sqrt(static_cast<double>(n)));
  }
}

}  // namespace
}  // namespace benchhud::analysis
