#include "analysis/statistics/estimators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "analysis/statistics/bootstrap.h"

namespace benchhud::analysis {
namespace {

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNull = std::nan("");

TEST(Steady, DropsTheWarmUp) {
  const Values samples = {30, 5, 4, 1.5, 1, 2};
  const auto estimate = steady(samples);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->value, 1.5);
  EXPECT_EQ(estimate->n, 3U);
  EXPECT_EQ(estimate->warmup_dropped, 3U);
  EXPECT_EQ(estimate->unusable, 0U);
  EXPECT_EQ(estimate->flags, (EstimateFlags{.few_samples = true}));
  ASSERT_TRUE(estimate->interval);
  EXPECT_EQ(estimate->interval->low, 1);
  EXPECT_EQ(estimate->interval->high, 2);
  EXPECT_EQ(estimate->interval->confidence, 0.75);
}

TEST(MetricMedian, KeepsTheFirstAndLeavesOutWhatIsNoNumber) {
  const double nan = -kNull;
  const auto all = metric_median(std::vector<double>{9, 1, 2, -3, 0, 4, 5});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->value, 2);
  EXPECT_EQ(all->n, 7u);
  EXPECT_EQ(all->flags, EstimateFlags{});
  ASSERT_TRUE(all->interval);
  EXPECT_LE(all->interval->low, 2);
  EXPECT_GE(all->interval->high, 2);

  const auto some = metric_median(std::vector<double>{nan, 7, kNull});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->value, 7);
  EXPECT_EQ(some->n, 1u);
  EXPECT_EQ(some->unusable, 2u);
  EXPECT_TRUE(some->flags.few_samples);
  EXPECT_TRUE(some->flags.unusable_samples);

  EXPECT_FALSE(metric_median({}));
  EXPECT_FALSE(metric_median(std::vector<double>{nan}));
}

TEST(Steady, HowManyAreWarmUp) {
  const std::vector<std::size_t> expected = {0, 0, 1, 1, 3, 3, 3};
  for (std::size_t n = 0; n < expected.size(); ++n) EXPECT_EQ(warmup_count(n), expected[n]) << n;
}

TEST(Steady, OneSampleIsFlagged) {
  const auto estimate = steady(Values{2.5});
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->value, 2.5);
  EXPECT_FALSE(estimate->interval);
  EXPECT_TRUE(estimate->flags.no_warmup_dropped);
  EXPECT_TRUE(estimate->flags.few_samples);
}

TEST(Steady, TwoAndThreeDropOne) {
  EXPECT_EQ(steady(Values{9, 1})->value, 1);
  EXPECT_EQ(steady(Values{9, 1, 3})->value, 2);
  EXPECT_EQ(steady(Values{9, 1, 3})->warmup_dropped, 1U);
  EXPECT_EQ(steady(Values{9, 8, 7, 1})->value, 1);
}

TEST(Steady, LeavesOutAndCountsWhatIsNoTime) {
  const Values samples = {kNull, 5, kNull, 1, kNull, kInfinity, -1, 0, 2, 3, -kInfinity, 4, 5};
  const auto estimate = steady(samples);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->value, 3);
  EXPECT_EQ(estimate->n, 5U);
  EXPECT_EQ(estimate->unusable, 5U);
  EXPECT_EQ(estimate->warmup_dropped, 3U);
  EXPECT_EQ(estimate->flags, (EstimateFlags{.unusable_samples = true}));
  EXPECT_EQ(steady_samples(samples), (Values{1, 2, 3, 4, 5}));
}

TEST(Steady, NothingUsableIsNothing) {
  EXPECT_FALSE(steady({}));
  EXPECT_FALSE(steady(Values{kNull}));
  EXPECT_FALSE(steady(Values{1, 1, 1, kNull, 0}));
  EXPECT_TRUE(steady_samples({}).empty());
}

TEST(Upstream, ExecIsTheMeanAfterThree) {
  const auto estimate = upstream_exec(Values{30, 5, 4, 1, 2, 6});
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->mean, 3);
  EXPECT_DOUBLE_EQ(estimate->sd, std::sqrt(7.0));
  EXPECT_EQ(estimate->n, 3U);
}

TEST(Upstream, ExecOfFourHasNoDeviation) {
  const auto estimate = upstream_exec(Values{30, 5, 4, 1});
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->mean, 1);
  EXPECT_EQ(estimate->sd, 0);
}

TEST(Upstream, ExecNeedsFourAndNoHoles) {
  EXPECT_FALSE(upstream_exec(Values{30, 5, 4}));
  EXPECT_FALSE(upstream_exec({}));
  EXPECT_FALSE(upstream_exec(Values{30, 5, 4, 1, kNull}));
  EXPECT_FALSE(upstream_exec(Values{30, 5, 4, kInfinity}));
  // Upstream never looks at the first three.
  EXPECT_TRUE(upstream_exec(Values{kNull, 5, 4, 1}));
}

TEST(Upstream, CompileIsTheFirstAboveTheMeanOfTheRest) {
  EXPECT_EQ(upstream_compile(Values{30, 5, 4, 3}), 26);
  EXPECT_EQ(upstream_compile(Values{1, 2}), -1);
  EXPECT_FALSE(upstream_compile(Values{1}));
  EXPECT_FALSE(upstream_compile({}));
  EXPECT_FALSE(upstream_compile(Values{1, kNull}));
  EXPECT_FALSE(upstream_compile(Values{kNull, 1}));
}

// The figures of pytorch/xla#7976: repetition 1 compiles again, later ones do not.
TEST(XlaCompile, TellsCompilationFromRecompilation) {
  const auto compile = xla_compile(Values{6.118780709, 1.2858097190000002, 0.0, 0.0});
  ASSERT_TRUE(compile);
  EXPECT_EQ(compile->compile, 6.118780709);
  EXPECT_EQ(compile->recompile, 1.2858097190000002);
  EXPECT_EQ(compile->recompiled_in, 1U);
  EXPECT_EQ(compile->unusable, 0U);
}

TEST(XlaCompile, CountsHoles) {
  const auto compile = xla_compile(Values{0, kNull, 2, -1, 3});
  ASSERT_TRUE(compile);
  EXPECT_EQ(compile->compile, 0);
  EXPECT_EQ(compile->recompile, 5);
  EXPECT_EQ(compile->unusable, 2U);
  EXPECT_FALSE(xla_compile({}));
  EXPECT_FALSE(xla_compile(Values{kNull, 1}));
  EXPECT_FALSE(xla_compile(Values{-1, 1}));
  EXPECT_FALSE(xla_compile(Values{1, 1e308, 1e308}));
}

}  // namespace
}  // namespace benchhud::analysis
