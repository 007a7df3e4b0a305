#include "analysis/profiles/dynamo_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace benchhud::analysis {
namespace {

using schema::DynamoCounters;
using testing::ElementsAre;
using testing::IsEmpty;

/// What resnet_mini counts on the night that two graph breaks come into it.
DynamoCounters with_breaks() {
  return {{{"frames", {{"total", 3}, {"ok", 3}}},
           {"inline_call", {}},
           {"graph_break", {{"'skip function graph_break in file decorators.py'", 2}}},
           {"stats", {{"calls_captured", 27}, {"unique_graphs", 3}}},
           {"aot_autograd", {{"total", 3}, {"ok", 3}}},
           {"inductor", {{"fxgraph_cache_miss", 3}, {"extern_calls", 10}}}}};
}

DynamoCounters graphs(std::int64_t count) {
  return {{{"stats", {{"unique_graphs", count}, {"calls_captured", 4 * count}}}}};
}

TEST(DynamoCounters, OneCaptureAndGraphBreaks) {
  const auto report =
      read_dynamo(std::vector{with_breaks(), DynamoCounters(), DynamoCounters()}, true);
  EXPECT_EQ(report.repetitions, 3U);
  EXPECT_FALSE(report.running_totals);
  EXPECT_EQ(report.unique_graphs, 3);
  EXPECT_EQ(report.calls_captured, 27);
  EXPECT_EQ(report.frames_total, 3);
  EXPECT_EQ(report.recaptured_graphs, 0);
  EXPECT_EQ(report.recompiles, 0);
  EXPECT_EQ(report.graph_break_count, 2);
  ASSERT_EQ(report.graph_breaks.size(), 1U);
  EXPECT_EQ(report.graph_breaks[0].reason, "skip function graph_break in file decorators.py");
  EXPECT_THAT(report.captured, ElementsAre(3, 0, 0));
  ASSERT_EQ(report.totals.groups.size(), 5U) << "the empty group is left out";
  EXPECT_EQ(report.totals.groups[4].name, "inductor");
}

TEST(DynamoCounters, ClearedBeforeEachRepetition) {
  const auto report = read_dynamo(std::vector{graphs(1), graphs(1), DynamoCounters()}, true);
  EXPECT_FALSE(report.running_totals);
  EXPECT_EQ(report.unique_graphs, 2);
  EXPECT_EQ(report.recaptured_graphs, 1);
  EXPECT_THAT(report.captured, ElementsAre(1, 1, 0));
}

TEST(DynamoCounters, RunningTotalsAreTakenApart) {
  const auto report = read_dynamo(std::vector{graphs(2), graphs(2), graphs(5)}, false);
  EXPECT_TRUE(report.running_totals);
  EXPECT_EQ(report.unique_graphs, 5);
  EXPECT_EQ(report.calls_captured, 20);
  EXPECT_EQ(report.recaptured_graphs, 3);
  EXPECT_THAT(report.captured, ElementsAre(2, 0, 3));
}

TEST(DynamoCounters, CountersThatNeverChangeAreReadByTheTime) {
  const std::vector<DynamoCounters> same = {graphs(3), graphs(3), graphs(3)};
  EXPECT_THAT(read_dynamo(same, true).captured, ElementsAre(3, 0, 0));
  EXPECT_EQ(read_dynamo(same, true).unique_graphs, 3);
  EXPECT_THAT(read_dynamo(same, false).captured, ElementsAre(3, 3, 3));
  EXPECT_EQ(read_dynamo(same, false).recaptured_graphs, 6);
}

TEST(DynamoCounters, CachesSayNothingOfARepetition) {
  const DynamoCounters hits = {
      {{"inductor", {{"fxgraph_cache_hit", 7}, {"fxgraph_cache_bypass", 1}}},
       {"aot_autograd", {{"autograd_cache_hit", 3}}}}};
  EXPECT_THAT(read_dynamo(std::vector{graphs(1), hits, hits}, true).captured, ElementsAre(1, 0, 0));
}

TEST(DynamoCounters, RecompilesByTheirOwnGroup) {
  const DynamoCounters recompiled = {{{"recompiles", {{"tensor 'x' size mismatch", 2}}}}};
  const auto report = read_dynamo(std::vector{graphs(1), recompiled}, true);
  EXPECT_EQ(report.recompiles, 2);
  EXPECT_THAT(report.captured, ElementsAre(1, 2));
}

TEST(DynamoCounters, ReasonsByCount) {
  const DynamoCounters counters = {
      {{"graph_break", {{"b", 1}, {"a", 1}, {"c", 5}}}, {"unimplemented", {{"print", 2}}}}};
  const auto report = read_dynamo(std::vector{counters, counters}, false);
  ASSERT_EQ(report.graph_breaks.size(), 3U);
  EXPECT_EQ(report.graph_breaks[0].reason, "c");
  EXPECT_EQ(report.graph_breaks[0].count, 10);
  EXPECT_EQ(report.graph_breaks[1].reason, "a");
  ASSERT_EQ(report.unimplemented.size(), 1U);
  EXPECT_EQ(report.unimplemented[0].count, 4);
}

TEST(DynamoCounters, OnlyWhatIsNoReasonOfDynamosIsOfACache) {
  EXPECT_TRUE(is_of_cache("inductor", "fxgraph_cache_hit"));
  EXPECT_TRUE(is_of_cache("aot_autograd", "autograd_cache_miss"));
  EXPECT_FALSE(is_of_cache("stats", "unique_graphs"));
  EXPECT_FALSE(is_of_cache("graph_break", "call to a lru_cache wrapped function"));
  EXPECT_FALSE(is_of_cache("unimplemented", "DynamicCache"));
  EXPECT_FALSE(is_of_cache("recompiles", "hit config.cache_size_limit"));
}

TEST(DynamoCounters, HostileNumbers) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  const DynamoCounters counters = {{{"stats", {{"unique_graphs", kLargest}, {"unique_graphs", 5}}},
                                    {"frames", {{"ok", -4}}},
                                    {"graph_break", {{"'", 1}, {"", 1}}}}};
  const auto report = read_dynamo(std::vector{counters, DynamoCounters(), counters}, false);
  EXPECT_EQ(report.unique_graphs, kLargest);
  EXPECT_EQ(report.frames_ok, 0);
  EXPECT_EQ(report.graph_break_count, 4);
  EXPECT_THAT(read_dynamo({}, false).captured, IsEmpty());
}

}  // namespace
}  // namespace benchhud::analysis
