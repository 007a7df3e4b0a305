#include "analysis/timing/nested_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;

TEST(NestedMetrics, CountersOfEachRepetition) {
  const auto read = read_dynamo_counters(
      R"([{"stats": {"unique_graphs": 3, "half": 2.5, "text": "x", "none": null, "yes": true},
          "empty": {}, "no group": 4}, null, {}])");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 3U);
  ASSERT_EQ((*read)[0].groups.size(), 2U);
  EXPECT_EQ((*read)[0].groups[0].name, "stats");
  using Counter = std::pair<std::string, std::int64_t>;
  EXPECT_THAT((*read)[0].groups[0].counters,
              ElementsAre(Counter("unique_graphs", 3), Counter("half", 3)));
  EXPECT_TRUE((*read)[1].groups.empty());
  EXPECT_EQ(read_dynamo_counters(R"({"frames": {"ok": 1}})")->size(), 1U);
  EXPECT_TRUE(read_dynamo_counters("[]")->empty());
}

TEST(NestedMetrics, NumbersBeyondTheRange) {
  const auto read = read_dynamo_counters(
      R"([{"g": {"a": 18446744073709551615, "b": 1e300, "c": -1e300, "d": -7}}])");
  ASSERT_TRUE(read);
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  const auto& counters = (*read)[0].groups[0].counters;
  ASSERT_EQ(counters.size(), 4U);
  EXPECT_EQ(counters[0].second, kLargest);
  EXPECT_EQ(counters[1].second, kLargest);
  EXPECT_EQ(counters[2].second, -kLargest);
  EXPECT_EQ(counters[3].second, -7);
}

TEST(NestedMetrics, WhatIsNone) {
  EXPECT_FALSE(read_dynamo_counters(""));
  EXPECT_FALSE(read_dynamo_counters("7"));
  EXPECT_FALSE(read_dynamo_counters("[{"));
  EXPECT_FALSE(read_dynamo_counters(std::string(100000, '[')));
  EXPECT_FALSE(read_operation_times("\"text\""));
}

TEST(NestedMetrics, TimesOfOperations) {
  const auto read = read_operation_times(
      R"([{"aten::nms": {"num_of_calls": 2, "self_cpu_time_s": 0.5, "total_cuda_time_s": 0.25,
          "total_cpu_time_s": null}, "aten::roll": 4}])");
  ASSERT_TRUE(read);
  ASSERT_EQ((*read)[0].size(), 1U);
  EXPECT_EQ((*read)[0][0].name, "aten::nms");
  EXPECT_EQ((*read)[0][0].calls, 2);
  EXPECT_EQ((*read)[0][0].self_cpu, 0.5);
  EXPECT_EQ((*read)[0][0].total_cpu, 0);
  EXPECT_EQ((*read)[0][0].total_cuda, 0.25);
}

}  // namespace
}  // namespace benchhud::analysis
