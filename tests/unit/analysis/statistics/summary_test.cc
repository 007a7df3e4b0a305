#include "analysis/statistics/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "analysis/statistics/numpy_math.h"
#include "tests/unit/analysis/oracle.h"

namespace benchhud::analysis {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();

void expect_close(double actual, double expected, double relative = 1e-12) {
  EXPECT_NEAR(actual, expected, std::abs(expected) * relative);
}

void expect_interval(const std::optional<Interval>& actual, const nlohmann::json& expected) {
  ASSERT_EQ(actual.has_value(), !expected.is_null());
  if (!actual) return;
  EXPECT_EQ(actual->low, expected[0].get<double>());
  EXPECT_EQ(actual->high, expected[1].get<double>());
  EXPECT_NEAR(actual->confidence, expected[2].get<double>(), 1e-12);
}

TEST(Summary, AgreesWithNumpyAndScipy) {
  ASSERT_GT(oracle()["summaries"].size(), 10U);
  for (const auto& expected : oracle()["summaries"]) {
    SCOPED_TRACE(expected["name"].get<std::string>());
    const std::vector<double> samples = doubles(expected["samples"]);
    // To the last bit: the upstream report is reproduced from these.
    EXPECT_EQ(mean(samples), expected["mean"].get<double>());
    EXPECT_EQ(numpy_std(samples, 0), expected["population_sd"].get<double>());
    EXPECT_EQ(median(samples), expected["median"].get<double>());
    EXPECT_EQ(minimum(samples), expected["minimum"].get<double>());
    EXPECT_EQ(maximum(samples), expected["maximum"].get<double>());
    if (expected["sample_sd"].is_null()) {
      EXPECT_TRUE(std::isnan(sample_sd(samples)));
    } else {
      EXPECT_EQ(sample_sd(samples), expected["sample_sd"].get<double>());
    }
    for (const auto& pair : expected["quantiles"]) {
      expect_close(quantile(samples, pair[0].get<double>()), pair[1].get<double>(), 1e-15);
    }
    expect_close(median_absolute_deviation(samples), expected["mad"].get<double>());
    if (expected["minimum"].get<double>() > 0) {
      expect_close(geometric_mean(samples), expected["geometric_mean"].get<double>());
    }
  }
}

TEST(Summary, MedianIntervalAgreesWithTheBinomial) {
  for (const auto& expected : oracle()["summaries"]) {
    SCOPED_TRACE(expected["name"].get<std::string>());
    const std::vector<double> samples = doubles(expected["samples"]);
    expect_interval(median_interval(samples, 0.95), expected["median_interval_95"]);
    expect_interval(median_interval(samples, 0.80), expected["median_interval_80"]);
  }
}

TEST(Summary, EmptyIsNaN) {
  const std::vector<double> empty;
  EXPECT_EQ(sum(empty), 0);
  for (double value :
       {mean(empty), sample_sd(empty), median(empty), minimum(empty), maximum(empty),
        quantile(empty, 0.5), median_absolute_deviation(empty), geometric_mean(empty)}) {
    EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_FALSE(median_interval(empty));
}

TEST(Summary, TheInputStaysAsItIs) {
  const std::vector<double> samples = {3, 1, 2};
  median(samples);
  quantile(samples, 0.1);
  median_interval(samples);
  EXPECT_EQ(samples, (std::vector<double>{3, 1, 2}));
}

TEST(Summary, HugeAndTinyValuesDoNotOverflow) {
  const std::vector<double> huge = {kMax, kMax, kMax};
  EXPECT_EQ(mean(huge), kMax);
  EXPECT_EQ(sample_sd(huge), 0);
  EXPECT_EQ(median(std::vector<double>{kMax, kMax}), kMax);
  expect_close(sample_sd(std::vector<double>{1e200, 3e200}), std::sqrt(2.0) * 1e200);
  expect_close(sample_sd(std::vector<double>{1e-200, 3e-200}), std::sqrt(2.0) * 1e-200);
  EXPECT_TRUE(std::isfinite(quantile(std::vector<double>{-kMax, kMax}, 0.3)));
  expect_close(geometric_mean(std::vector<double>{1e300, 1e-300}), 1);
}

TEST(Summary, SumOfManyIsExactToTheEnd) {
  const std::vector<double> tenths(1000003, 0.1);
  expect_close(sum(tenths), 100000.3, 1e-14);
}

TEST(Summary, QuantileRefusesWhatIsNoProbability) {
  const std::vector<double> samples = {1, 2};
  for (double q : {-0.1, 1.1, std::nan("")}) EXPECT_TRUE(std::isnan(quantile(samples, q)));
}

TEST(Summary, GeometricMeanRefusesWhatIsNotPositive) {
  EXPECT_TRUE(std::isnan(geometric_mean(std::vector<double>{1, 0})));
  EXPECT_TRUE(std::isnan(geometric_mean(std::vector<double>{1, -2})));
}

TEST(MedianInterval, IsTheRangeWithItsTrueCoverageForFewSamples) {
  std::vector<double> samples = {5};
  EXPECT_FALSE(median_interval(samples));
  for (int n = 2; n <= 5; ++n) {
    samples.push_back(n);
    const auto interval = median_interval(samples);
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->low, 2);
    EXPECT_EQ(interval->high, 5);
    EXPECT_DOUBLE_EQ(interval->confidence, 1 - 2 * std::pow(0.5, n));
  }
  samples.push_back(6);
  EXPECT_DOUBLE_EQ(median_interval(samples)->confidence, 0.96875);
}

TEST(MedianInterval, CoversAtLeastWhatIsAskedWhereSixAreThere) {
  for (std::size_t n = 6; n < 400; ++n) {
    std::vector<double> samples(n);
    for (std::size_t i = 0; i < n; ++i) samples[i] = static_cast<double>(i);
    const auto interval = median_interval(samples);
    ASSERT_TRUE(interval);
    EXPECT_GE(interval->confidence, 0.95);
    // At eight the next narrower pair covers 93 %.
    EXPECT_LE(interval->confidence, 0.9921875);
    // Symmetric ranks.
    EXPECT_EQ(interval->low + interval->high, static_cast<double>(n - 1));
  }
}

TEST(MedianInterval, CoversTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> draw(1);
  constexpr int kTrials = 20000;
  int covered = 0;
  double confidence = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(9);
    for (double& sample : samples) sample = draw(random);
    const auto interval = median_interval(samples);
    confidence = interval->confidence;
    covered += interval->low <= std::log(2.0) && std::log(2.0) <= interval->high;
  }
  EXPECT_NEAR(static_cast<double>(covered) / kTrials, confidence, 0.005);
}

TEST(MedianInterval, AnyConfidenceIsAnswered) {
  const std::vector<double> samples = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(median_interval(samples, 1)->low, 1);
  EXPECT_EQ(median_interval(samples, 2)->high, 7);
  EXPECT_EQ(median_interval(samples, 0)->low, 3);
  const std::vector<double> many(100001, 1.0);
  EXPECT_GE(median_interval(many)->confidence, 0.95);
}

}  // namespace
}  // namespace benchhud::analysis
