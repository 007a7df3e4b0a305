// Two profiles beside each other.
#include "analysis/iterations/iteration_comparison.h"

#include <gtest/gtest.h>

#include <utility>

namespace benchhud::analysis {
namespace {

using Kind = ComparedOperator::Kind;
using Where = FrameworkOperators::Where;

// Of two iterations, all of its operators within them.
IterationProfile profile_of(std::vector<FrameworkOperator> rows, std::int64_t nameless = 0) {
  IterationProfile profile;
  profile.operators.where = Where::kDevice;
  profile.operators.without_operator.time = nameless;
  profile.operators.total = nameless;
  for (const FrameworkOperator& row : rows) profile.operators.total += row.time;
  profile.operators.rows = std::move(rows);
  profile.operators.in_iterations = profile.operators.total;
  return profile;
}

TEST(CompareOperators, PutsTheLargestDifferenceFirst) {
  const IterationProfile left = profile_of({{"aten::mm", 1000, 1}, {"aten::add", 200, 1}});
  const IterationProfile right = profile_of({{"aten::mm", 1100, 1}, {"aten::relu", 700, 1}});
  const auto rows = compare_operators({&left, 2}, {&right, 2});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "aten::relu");
  EXPECT_EQ(rows[0].left.time, 0) << "the left profile has no time that could be its";
  EXPECT_EQ(rows[0].right.time, 350);
  EXPECT_EQ(rows[0].difference, 350);
  EXPECT_EQ(rows[1].name, "aten::add");
  EXPECT_EQ(rows[1].difference, -100);
  EXPECT_EQ(rows[2].name, "aten::mm");
  EXPECT_DOUBLE_EQ(*rows[2].left.share, 1000.0 / 1200);
}

TEST(CompareOperators, AddUpToTheDifferenceOfTheWhole) {
  const IterationProfile left = profile_of({{"a", 1000, 1}, {"b", 201, 1}}, 99);
  IterationProfile right = profile_of({{"a", 1500, 1}, {"b", 7, 1}}, 13);
  right.operators.in_iterations = 760;  // half of it lies outside of whole iterations
  double sum = 0;
  for (const ComparedOperator& row : compare_operators({&left, 3}, {&right, 2})) {
    ASSERT_TRUE(row.difference);
    sum += *row.difference;
  }
  EXPECT_NEAR(sum, 760.0 / 2 - 1300.0 / 3, 1e-9);
}

TEST(CompareOperators, DoNotTakeWhatMayHaveRunForNothing) {
  const IterationProfile left = profile_of({{"aten::mm", 1000, 1}}, 500);
  const IterationProfile right = profile_of({{"aten::relu", 700, 1}});
  const auto rows = compare_operators({&left, 1}, {&right, 1});
  ASSERT_EQ(rows.size(), 3U);
  for (const ComparedOperator& row : rows) {
    if (row.name != "aten::relu") continue;
    EXPECT_TRUE(row.left.is_unknown);
    EXPECT_EQ(row.left.time, std::nullopt);
    EXPECT_EQ(row.difference, std::nullopt);
  }
  EXPECT_EQ(rows.back().name, "aten::relu") << "what has no difference is last";
  EXPECT_EQ(rows[1].kind, Kind::kWithoutOperator);
  EXPECT_EQ(rows[1].difference, -500);
}

TEST(CompareOperators, KnowThatATritonKernelDidNotRunAndHowMuchAnotherMayHave) {
  IterationProfile left = profile_of({{"aten::mm", 1000, 1}}, 500);
  left.operators.names_triton_kernels = true;
  const IterationProfile right =
      profile_of({{"triton_poi_fused_add", 700, 1}, {"aten::relu", 300, 1}});
  for (const ComparedOperator& row : compare_operators({&left, 2}, {&right, 1})) {
    if (row.name == "triton_poi_fused_add") {
      EXPECT_EQ(row.left.time, 0) << "its name is its own";
      EXPECT_EQ(row.difference, 700);
    } else if (row.name == "aten::relu") {
      EXPECT_TRUE(row.left.is_unknown);
      EXPECT_EQ(row.left.at_most, 250);
    }
  }
  left.operators.rest.time = 40;
  left.operators.total += 40;
  left.operators.in_iterations += 40;
  for (const ComparedOperator& row : compare_operators({&left, 2}, {&right, 1})) {
    if (row.name != "triton_poi_fused_add") continue;
    EXPECT_TRUE(row.left.is_unknown) << "it may be among the rows that are not kept";
    EXPECT_EQ(row.left.at_most, 20);
  }
}

TEST(CompareOperators, HaveTheMeanOfSeveralDevices) {
  IterationProfile left = profile_of({{"aten::mm", 2000, 2}});
  left.operators.device_count = 2;
  const IterationProfile right = profile_of({{"aten::mm", 1100, 1}});
  const auto rows = compare_operators({&left, 1}, {&right, 1});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].left.time, 1000);
  EXPECT_EQ(rows[0].left.share, 1);
  EXPECT_EQ(rows[0].difference, 100);
}

TEST(CompareOperators, HaveNoTimesWhereIterationsAreNotCounted) {
  const IterationProfile left = profile_of({{"aten::mm", 1000, 1}});
  const IterationProfile right = profile_of({{"aten::mm", 1100, 1}});
  const auto rows = compare_operators({&left, {}}, {&right, 2});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].left.time, std::nullopt);
  EXPECT_FALSE(rows[0].left.is_unknown);
  EXPECT_EQ(rows[0].left.share, 1);
  EXPECT_EQ(rows[0].right.time, 550);
  EXPECT_EQ(rows[0].difference, std::nullopt);
}

TEST(CompareOperators, DoNotCompareAHostWithADevice) {
  IterationProfile left = profile_of({{"aten::mm", 1000, 1}});
  left.operators.where = Where::kHost;
  const IterationProfile right = profile_of({{"aten::mm", 1100, 1}});
  const auto rows = compare_operators({&left, 1}, {&right, 1});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].left.time, 1000);
  EXPECT_EQ(rows[0].difference, std::nullopt);
}

TEST(CompareOperators, AreUnknownOfAProfileThatKnowsNone) {
  const IterationProfile left;
  const IterationProfile right = profile_of({{"aten::mm", 1100, 1}}, 7);
  const auto rows = compare_operators({&left, 1}, {&right, 1});
  ASSERT_EQ(rows.size(), 2U);
  for (const ComparedOperator& row : rows) {
    EXPECT_TRUE(row.left.is_unknown) << row.name;
    EXPECT_EQ(row.difference, std::nullopt) << row.name;
  }
  EXPECT_TRUE(compare_operators({&left, 1}, {&left, 1}).empty());
}

}  // namespace
}  // namespace benchhud::analysis
