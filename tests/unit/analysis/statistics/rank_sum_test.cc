#include "analysis/statistics/rank_sum.h"

#include <gtest/gtest.h>

#include <vector>

namespace benchhud::analysis {
namespace {

using Values = std::vector<double>;

TEST(RankSumTest, IsThatOfItsNormalApproximation) {
  // By hand, with Φ from a table; scipy's mannwhitneyu(method="asymptotic") says the same.
  EXPECT_NEAR(rank_sum_p_value(Values{1, 2, 3}, Values{4, 5, 6}), 0.0808556, 1e-7);
  EXPECT_NEAR(rank_sum_p_value(Values{4, 6, 5}, Values{3, 1, 2}), 0.0808556, 1e-7);
  // Half ranks, and less variance, where values are equal.
  EXPECT_NEAR(rank_sum_p_value(Values{1, 2, 2, 3}, Values{2, 3, 4, 5}), 0.1366582, 1e-7);
}

TEST(RankSumTest, SeesNoDifferenceWhereThereIsNone) {
  EXPECT_EQ(rank_sum_p_value(Values{1, 4}, Values{2, 3}), 1);
  EXPECT_EQ(rank_sum_p_value(Values{2, 2}, Values{2, 2, 2}), 1);
  EXPECT_EQ(rank_sum_p_value(Values{}, Values{1, 2}), 1);
  EXPECT_EQ(rank_sum_p_value(Values{}, Values{}), 1);
}

TEST(RankSumTest, FewValuesAreNeverSure) {
  Values many;
  for (int i = 0; i < 97; ++i) many.push_back(i);
  EXPECT_GT(rank_sum_p_value(many, Values{1000, 1001, 1002}), 1e-3);
  EXPECT_LT(rank_sum_p_value(many, Values(20, 1000)), 1e-9);
}

}  // namespace
}  // namespace benchhud::analysis
