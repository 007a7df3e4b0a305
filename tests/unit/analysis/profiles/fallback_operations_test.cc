#include "analysis/profiles/fallback_operations.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace benchhud::analysis {
namespace {

TEST(FallbackOperations, AddsUpAndPutsTheUnusualFirst) {
  const std::vector<std::vector<OperationTimes>> repetitions = {
      {{"aten::nonzero", 4, 1, 9, 0, 0}, {"aten::nms", 1, 0.25, 0.5, 0, 0.125}},
      {{"aten::nms", 2, 0.25, 0.5, 0, 0.125}, {"aten::roll", 1, 1, 2, 0, 0}}};
  const auto found = fallback_operations(repetitions);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].times.name, "aten::roll");
  EXPECT_EQ(found[1].times.name, "aten::nms");
  EXPECT_EQ(found[1].times.calls, 3);
  EXPECT_EQ(found[1].times.self_cpu, 0.5);
  EXPECT_EQ(found[1].times.total_cpu, 1);
  EXPECT_EQ(found[1].times.total_cuda, 0.25);
  EXPECT_EQ(found[1].repetitions, 2);
  EXPECT_FALSE(found[1].usual);
  EXPECT_EQ(found[2].times.name, "aten::nonzero");
  EXPECT_TRUE(found[2].usual);
  EXPECT_TRUE(is_usual_fallback("aten::_local_scalar_dense"));
}

TEST(FallbackOperations, BadNumbersCountAsZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<OperationTimes>> repetitions = {
      {{"aten::nms", nan, -1, std::numeric_limits<double>::infinity(), 1, 1}}};
  const auto found = fallback_operations(repetitions);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].times.calls, 0);
  EXPECT_EQ(found[0].times.self_cpu, 0);
  EXPECT_EQ(found[0].times.total_cpu, 0);
  EXPECT_TRUE(fallback_operations({}).empty());
}

TEST(FallbackOperations, SumsOfHugeNumbersStayNumbers) {
  const std::vector<std::vector<OperationTimes>> repetitions(
      2, {{"aten::nms", 1e308, 0, 1e308, 0, 0}});
  const auto found = fallback_operations(repetitions);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].times.calls, std::numeric_limits<double>::max());
  EXPECT_EQ(found[0].times.total_cpu, std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace benchhud::analysis
