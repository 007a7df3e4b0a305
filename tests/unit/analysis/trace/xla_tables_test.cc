// Tables of XLA's operators: groups, shares, rates, what bounds them.
#include "analysis/trace/xla_tables.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "trace/xla_profile.h"

namespace benchhud::analysis {
namespace {

using trace::XlaCost;
using trace::XlaMemory;
using trace::XlaOperator;
using trace::XlaPeaks;
using trace::XlaProfile;

constexpr std::uint32_t kAdd = 1, kDot = 2, kFusion = 3, kModule = 4;

XlaCost cost_of(std::int64_t flops, std::int64_t bytes, std::int64_t executions) {
  XlaCost cost{.flops = flops, .flops_stated = executions, .bytes = bytes};
  cost.bytes_stated = executions;
  cost.memory[static_cast<std::size_t>(XlaMemory::kHbm)] = bytes;
  return cost;
}

XlaOperator op_of(std::uint32_t device, std::uint32_t name, std::uint32_t category,
                  std::int64_t self_ps, const XlaCost& cost) {
  XlaOperator op;
  op.device = device;
  op.name = name;
  op.category = category;
  op.module = kModule;
  op.program = 7;
  op.occurrences = 1;
  op.time_ps = op.self_ps = self_ps;
  op.cost = cost;
  return op;
}

// A device of 1 TFLOP/s and 1 TB/s.
XlaProfile profile() {
  XlaProfile made;
  made.devices.resize(2);
  made.devices[0].span_ps = 1000;
  made.devices[0].peaks.flops_per_s = 1e12;
  made.devices[0].peaks.bytes_per_s[0] = 1e12;
  made.devices[1].span_ps = 100;
  made.operators = {op_of(0, kAdd, kFusion, 100, cost_of(10, 80, 1)),
                    op_of(0, kDot, kFusion, 300, cost_of(200, 20, 1)),
                    op_of(1, kDot, kDot, 50, {})};
  return made;
}

TEST(XlaTable, HasTheLongestOperatorFirstWithItsShares) {
  const auto rows = xla_table(profile(), XlaGrouping::kOperator, 0);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].sums.name, kDot);
  EXPECT_DOUBLE_EQ(rows[0].share_of_span, 0.3);
  EXPECT_DOUBLE_EQ(rows[0].share_of_self, 0.75);
  EXPECT_EQ(rows[0].flops(), 200);
  EXPECT_DOUBLE_EQ(*rows[0].flops_per_s(), 200 / 300e-12);
  EXPECT_DOUBLE_EQ(*rows[0].intensity(), 10);
}

TEST(XlaTable, SaysWhatAnOperatorIsBoundBy) {
  const auto rows = xla_table(profile(), XlaGrouping::kOperator, 0);
  ASSERT_TRUE(rows[0].bound && rows[1].bound);
  EXPECT_EQ(rows[0].bound->resource, "compute");
  EXPECT_NEAR(rows[0].bound->utilization, 2.0 / 3, 1e-12);
  EXPECT_EQ(rows[1].bound->resource, "hbm");
  EXPECT_NEAR(rows[1].bound->utilization, 0.8, 1e-12);
}

TEST(XlaTable, DoesNotKnowABoundWithoutPeaksOrCost) {
  XlaPeaks peaks{.flops_per_s = 1e12};
  EXPECT_FALSE(xla_bound(peaks, cost_of(1, 1, 1), 1, 10)) << "no bandwidth";
  peaks.bytes_per_s[0] = 1e12;
  EXPECT_TRUE(xla_bound(peaks, cost_of(1, 1, 1), 1, 10));
  EXPECT_FALSE(xla_bound(peaks, {}, 1, 10)) << "no cost";
  EXPECT_FALSE(xla_bound(peaks, cost_of(1, 1, 1), 2, 10)) << "cost of one of two executions";
  EXPECT_FALSE(xla_bound(peaks, cost_of(0, 0, 1), 1, 10)) << "uses nothing";
  EXPECT_FALSE(xla_bound(peaks, cost_of(1, 1, 1), 1, 0)) << "no time";
  const auto rows = xla_table(profile(), XlaGrouping::kOperator, 1);
  EXPECT_EQ(rows[0].flops(), std::nullopt);
  EXPECT_EQ(rows[0].bound, std::nullopt);
}

// It has the bytes of the copy that goes on when it has ended.
TEST(XlaTable, HasNoRatesForWhatOnlyStartsACopy) {
  XlaProfile made = profile();
  made.operators = {op_of(0, kAdd, kFusion, 10, cost_of(0, 5'000'000, 1))};
  const auto rows = xla_table(made, XlaGrouping::kOperator);
  EXPECT_EQ(rows[0].bytes(), 5'000'000);
  EXPECT_EQ(rows[0].bytes_per_s(), std::nullopt);
  EXPECT_EQ(rows[0].bound, std::nullopt);
}

TEST(XlaTable, ComparesOtherMemoriesWithTheirPeaks) {
  XlaPeaks peaks{.flops_per_s = 1e12};
  peaks.bytes_per_s[0] = 1e12;
  peaks.bytes_per_s[static_cast<std::size_t>(XlaMemory::kVmemWrite)] = 1e10;
  XlaCost cost = cost_of(1, 10, 1);
  cost.memory[static_cast<std::size_t>(XlaMemory::kVmemWrite)] = 5;
  EXPECT_EQ(xla_bound(peaks, cost, 1, 1000)->resource, "vmem_write");
}

TEST(XlaTable, GroupsOperatorsOfADevice) {
  const auto rows = xla_table(profile(), XlaGrouping::kCategory);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].sums.category, kFusion);
  EXPECT_EQ(rows[0].operators, 2);
  EXPECT_EQ(rows[0].sums.self_ps, 400);
  EXPECT_EQ(rows[0].flops(), 210);
  EXPECT_DOUBLE_EQ(*rows[0].bytes_per_s(), 100 / 400e-12);
  EXPECT_EQ(rows[0].sums.name, 0);
}

// A loop has the cost of the two operators within it.
TEST(XlaTable, HasCostsOfNestedOperatorsOnce) {
  XlaProfile made = profile();
  XlaOperator loop = op_of(0, kAdd, kAdd, 50, cost_of(210, 100, 1));
  loop.time_ps = 450;
  made.operators.push_back(loop);
  const auto rows = xla_table(made, XlaGrouping::kModule, 0);
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].operators, 3);
  EXPECT_EQ(rows[0].flops(), 210);
  EXPECT_EQ(rows[0].bytes(), 100);
  const auto alone = xla_table(made, XlaGrouping::kOperator, 0);
  ASSERT_EQ(alone.size(), 3);
  EXPECT_EQ(alone[2].flops(), 210) << "by itself it has all that it calls";
}

TEST(XlaTable, HasModulesOfWhichOnlyRunsAreKnown) {
  XlaProfile made = profile();
  made.modules.push_back({.device = 0, .name = kModule, .program = 7, .runs = 3, .total_ps = 900});
  made.modules.push_back({.device = 0, .name = kAdd, .program = 8, .runs = 1, .total_ps = 5});
  const auto rows = xla_table(made, XlaGrouping::kModule, 0);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].runs, 3);
  EXPECT_EQ(rows[0].sums.self_ps, 400);
  EXPECT_EQ(rows[1].runs, 1);
  EXPECT_EQ(rows[1].operators, 0);
}

TEST(XlaTable, DoesNotKnowHowOftenKernelsOfNoOperatorWereExecuted) {
  XlaProfile made = profile();
  XlaOperator none;
  none.kernels = 4;
  none.self_ps = 10;
  made.operators = {none};
  const auto rows = xla_table(made, XlaGrouping::kOperator);
  EXPECT_EQ(rows[0].without_occurrences, 1);
}

}  // namespace
}  // namespace benchhud::analysis
