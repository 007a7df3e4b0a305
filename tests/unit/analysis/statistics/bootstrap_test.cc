#include "analysis/statistics/bootstrap.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "tests/unit/analysis/oracle.h"

namespace benchhud::analysis {
namespace {

using Values = std::vector<double>;

Values lognormal(std::size_t n, std::uint64_t seed, double sigma = 0.05) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> draw(-6, sigma);
  Values values(n);
  for (double& value : values) value = draw(random);
  return values;
}

Values resample(const Values& values, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> index(0, values.size() - 1);
  Values drawn(values.size());
  for (double& value : drawn) value = values[index(random)];
  return drawn;
}

double total_probability(const std::vector<Mass>& support) {
  double total = 0;
  for (const Mass& mass : support) total += mass.probability;
  return total;
}

TEST(BootstrapMedian, EqualsEveryResampleOfTinySamples) {
  const auto& expected = oracle()["bootstrap"];
  ASSERT_EQ(expected["medians"].size(), 7U);
  for (const auto& [name, points] : expected["medians"].items()) {
    SCOPED_TRACE(name);
    std::map<double, double> merged;
    for (const Mass& mass : bootstrap_median(doubles(expected["samples"][name]))) {
      merged[mass.value] += mass.probability;
    }
    ASSERT_EQ(merged.size(), points.size());
    for (const auto& point : points) {
      const auto found = merged.find(point[0].get<double>());
      ASSERT_NE(found, merged.end()) << point[0];
      EXPECT_NEAR(found->second, point[1].get<double>(), 1e-14) << point[0];
    }
  }
}

TEST(BootstrapMedian, OddWeightsAreScipysBinomialTails) {
  for (const auto& expected : oracle()["order_statistics"]) {
    const auto n = expected["n"].get<std::size_t>();
    SCOPED_TRACE(n);
    Values ranks(n);
    for (std::size_t i = 0; i < n; ++i) ranks[i] = static_cast<double>(i);
    std::map<double, double> weights;
    for (const Mass& mass : bootstrap_median(ranks)) weights[mass.value] = mass.probability;
    for (const auto& pair : expected["probabilities"]) {
      const auto probability = pair[1].get<double>();
      // What is left out is spread over the rest.
      EXPECT_NEAR(weights[pair[0].get<double>()], probability, 1e-12 + probability * 1e-7);
    }
  }
}

TEST(BootstrapMedian, IsSortedAndSumsToOneAtEveryLength) {
  for (std::size_t n : {1U, 2U, 3U, 8U, 9U, 30U, 63U, 64U, 65U, 66U, 100U, 999U, 1000U, 20000U}) {
    SCOPED_TRACE(n);
    const auto support = bootstrap_median(lognormal(n, n));
    EXPECT_NEAR(total_probability(support), 1, 1e-12);
    EXPECT_TRUE(std::is_sorted(support.begin(), support.end(),
                               [](const Mass& a, const Mass& b) { return a.value < b.value; }));
    for (const Mass& mass : support) EXPECT_GT(mass.probability, 0);
  }
  EXPECT_TRUE(bootstrap_median({}).empty());
}

TEST(RatioOfMedians, EqualsEveryPairOfResamplesOfTinySamples) {
  const auto& expected = oracle()["bootstrap"];
  ASSERT_GT(expected["intervals"].size(), 50U);
  for (const auto& row : expected["intervals"]) {
    SCOPED_TRACE(row.dump());
    const Values numerator = doubles(expected["samples"][row["numerator"].get<std::string>()]);
    const Values denominator = doubles(expected["samples"][row["denominator"].get<std::string>()]);
    const auto interval =
        ratio_of_medians_interval(numerator, denominator, row["confidence"].get<double>());
    ASSERT_EQ(interval.has_value(), numerator.size() > 1 && denominator.size() > 1);
    if (!interval) continue;
    EXPECT_DOUBLE_EQ(interval->low, row["low"].get<double>());
    EXPECT_DOUBLE_EQ(interval->high, row["high"].get<double>());
    EXPECT_EQ(interval->confidence, row["confidence"].get<double>());
  }
}

// What everyone else does: resample, take the ratio, sort, cut.
class AgainstResampling : public testing::TestWithParam<std::pair<std::size_t, std::size_t>> {};

TEST_P(AgainstResampling, TheExactIntervalIsTheLimit) {
  const auto [n_above, n_below] = GetParam();
  const Values above = lognormal(n_above, 7);
  const Values below = lognormal(n_below, 8);
  constexpr std::size_t kResamples = 40000;
  std::mt19937_64 random(99);
  Values ratios(kResamples);
  for (double& ratio : ratios) {
    ratio = median(resample(above, random)) / median(resample(below, random));
  }
  std::sort(ratios.begin(), ratios.end());
  const auto interval = ratio_of_medians_interval(above, below);
  ASSERT_TRUE(interval);
  // The level that the exact ends have among the resamples: 3.8 standard errors of a proportion,
  // and any end within the mass that sits on one value.
  const auto share_below = [&](double value) {
    return static_cast<double>(std::lower_bound(ratios.begin(), ratios.end(), value * (1 - 1e-12)) -
                               ratios.begin()) /
           kResamples;
  };
  const auto share_at_most = [&](double value) {
    return static_cast<double>(std::upper_bound(ratios.begin(), ratios.end(), value * (1 + 1e-12)) -
                               ratios.begin()) /
           kResamples;
  };
  EXPECT_LE(share_below(interval->low), 0.025 + 0.003);
  EXPECT_GE(share_at_most(interval->low), 0.025 - 0.003);
  EXPECT_LE(share_below(interval->high), 0.975 + 0.003);
  EXPECT_GE(share_at_most(interval->high), 0.975 - 0.003);
}

INSTANTIATE_TEST_SUITE_P(Lengths, AgainstResampling,
                         testing::Values(std::pair{9U, 9U}, std::pair{8U, 9U}, std::pair{10U, 10U},
                                         std::pair{27U, 9U}, std::pair{30U, 30U}, std::pair{2U, 9U},
                                         std::pair{2U, 3U}, std::pair{66U, 101U}));

TEST(RatioOfMedians, SwappingTheSidesInvertsTheInterval) {
  for (std::size_t n : {2U, 3U, 8U, 9U, 27U, 30U}) {
    const Values a = lognormal(n, 3);
    const Values b = lognormal(n + 1, 4);
    const auto there = ratio_of_medians_interval(a, b);
    const auto back = ratio_of_medians_interval(b, a);
    EXPECT_NEAR(there->low * back->high, 1, 1e-12);
    EXPECT_NEAR(there->high * back->low, 1, 1e-12);
  }
}

TEST(RatioOfMedians, ScalesWithTheNumerator) {
  const Values a = lognormal(9, 5);
  const Values b = lognormal(9, 6);
  Values doubled = a;
  for (double& value : doubled) value *= 2;
  const auto once = ratio_of_medians_interval(a, b);
  const auto twice = ratio_of_medians_interval(doubled, b);
  EXPECT_DOUBLE_EQ(twice->low, 2 * once->low);
  EXPECT_DOUBLE_EQ(twice->high, 2 * once->high);
}

TEST(RatioOfMedians, ASingleValueHasNoInterval) {
  const Values one = {2};
  EXPECT_FALSE(ratio_of_medians_interval(one, one));
  EXPECT_FALSE(ratio_of_medians_interval(one, Values{1, 1, 1}));
  EXPECT_FALSE(ratio_of_medians_interval(Values{1, 1, 1}, one));
}

TEST(RatioOfMedians, RefusesWhatHasNoRatio) {
  const Values good = {1, 2, 3};
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(ratio_of_medians_interval(good, {}));
  EXPECT_FALSE(ratio_of_medians_interval({}, good));
  for (double bad : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_FALSE(ratio_of_medians_interval(good, Values{1, bad, 2})) << bad;
    EXPECT_FALSE(ratio_of_medians_interval(Values{1, bad, 2}, good)) << bad;
    EXPECT_FALSE(ratio_of_medians_interval(good, good, bad)) << bad;
  }
  EXPECT_FALSE(ratio_of_medians_interval(Values{1e300, 1e301}, Values{1e-300, 1e-300}));
}

TEST(RatioOfMedians, ValuesOfAnyMagnitudeEnd) {
  const Values wide = {1e-150, 1e-100, 1, 1e100, 1e150, 1e-20, 1e20, 1e3, 1e-3};
  const auto interval = ratio_of_medians_interval(wide, wide);
  ASSERT_TRUE(interval);
  EXPECT_LE(interval->low, 1);
  EXPECT_GE(interval->high, 1);
  const auto close = ratio_of_medians_interval(Values{1, std::nextafter(1, 2)}, Values{1, 1, 1});
  ASSERT_TRUE(close);
  EXPECT_EQ(close->low, 1);
}

TEST(RatioOfMedians, ExtremeConfidencesReachTheEnds) {
  const Values a = {1, 2, 3};
  const Values b = {1, 1, 1};
  const auto all = ratio_of_medians_interval(a, b, 1 - 1e-15);
  EXPECT_EQ(all->low, 1);
  EXPECT_EQ(all->high, 3);
  const auto none = ratio_of_medians_interval(a, b, 1e-9);
  EXPECT_EQ(none->low, 2);
  EXPECT_EQ(none->high, 2);
}

TEST(RatioOfMedians, ThreadsShareItsTable) {
  const Values a = lognormal(9, 1);
  const Values b = lognormal(12, 2);
  std::vector<std::optional<Interval>> seen(4);
  std::vector<std::thread> threads;
  for (auto& slot : seen) {
    threads.emplace_back([&] { slot = ratio_of_medians_interval(a, b); });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& slot : seen) EXPECT_EQ(slot->low, seen[0]->low);
}

TEST(GeomeanInterval, HoldsTheGeomeanAndIsTheSameInAnyOrder) {
  Values ratios = lognormal(83, 11, 0.3);
  const auto interval = geomean_interval(ratios);
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->low, geometric_mean(ratios));
  EXPECT_GT(interval->high, geometric_mean(ratios));
  EXPECT_EQ(interval->confidence, 0.95);
  std::shuffle(ratios.begin(), ratios.end(), std::mt19937_64(5));
  EXPECT_EQ(geomean_interval(ratios)->low, interval->low);
  EXPECT_EQ(geomean_interval(ratios)->high, interval->high);
}

// For many models the bootstrap of a mean tends to the normal interval with the population's
// deviation.
TEST(GeomeanInterval, TendsToTheNormalInterval) {
  const Values ratios = lognormal(2000, 12, 0.4);
  Values logs = ratios;
  for (double& value : logs) value = std::log(value);
  const double error = sample_sd(logs) / std::sqrt(2000.0);
  const auto interval = geomean_interval(ratios);
  EXPECT_NEAR(std::log(interval->low), mean(logs) - 1.96 * error, 0.12 * error);
  EXPECT_NEAR(std::log(interval->high), mean(logs) + 1.96 * error, 0.12 * error);
}

// The draws for n values are kept for the next geomean of as many: 2 MB for a thousand.
TEST(GeomeanInterval, KeepsAtMost16MegabytesOfDraws) {
  const auto bytes_in_use = [] {
    const auto memory = mallinfo2();
    return memory.uordblks + memory.hblkhd;
  };
  const auto before = bytes_in_use();
  if (before == 0) GTEST_SKIP() << "this allocator does not count what is in use";
  for (std::size_t n = 980; n < 1010; ++n) ASSERT_TRUE(geomean_interval(lognormal(n, 13, 0.1)));
  EXPECT_LT(bytes_in_use(), before + (std::size_t{17} << 20));
}

TEST(GeomeanInterval, TwoModelsGiveTheirRange) {
  const auto interval = geomean_interval(Values{1, 4});
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 1);
  EXPECT_DOUBLE_EQ(interval->high, 4);
}

TEST(GeomeanInterval, RefusesWhatHasNone) {
  EXPECT_FALSE(geomean_interval({}));
  EXPECT_FALSE(geomean_interval(Values{1.5}));
  EXPECT_FALSE(geomean_interval(Values{1.5, 0}));
  EXPECT_FALSE(geomean_interval(Values{1.5, std::nan("")}));
  EXPECT_FALSE(geomean_interval(Values{1.5, 2}, 1));
}

}  // namespace
}  // namespace benchhud::analysis
