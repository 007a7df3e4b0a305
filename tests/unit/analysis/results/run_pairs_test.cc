#include "analysis/results/run_pairs.h"

#include <gmock/gmock.h>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "left | right": batch size or -, and why a side is absent.
std::vector<std::string> told(const std::vector<ResultPair>& pairs) {
  const auto told_side = [](const PairedSide& side) {
    std::string text = "-";
    if (side.entry != nullptr) {
      const auto& size = side.entry->experiment().batch_size;
      text = side.entry->column() + "/" + (size ? std::to_string(*size) : "?");
    }
    return side.absent ? text + " " + std::string(absence_name(*side.absent)) : text;
  };
  std::vector<std::string> lines;
  for (const auto& pair : pairs) {
    lines.push_back(told_side(pair.left) + " | " + told_side(pair.right));
  }
  return lines;
}

TEST(Pairs, TheSameExperimentOfTwoRuns) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto catalog = fleet.catalog();
  const auto left = run_of({timed(a, 1), timed(b, 1)});
  const auto right = run_of({timed(a, 2), failed(b)}, 2, 2000);
  const auto pairs = pair_results({left, ""}, {right, ""}, catalog);
  EXPECT_THAT(told(pairs),
              ElementsAre("inductor/8 | inductor/8", "inductor/8 | inductor/8 raised"));
  EXPECT_TRUE(pairs[0].is_one_experiment());
  EXPECT_FALSE(pairs[0].is_one_result());
  EXPECT_TRUE(pairs[0].is_timed());
  EXPECT_FALSE(pairs[1].is_timed());
}

TEST(Pairs, WhatOneSideLacksIsThereAllTheSame) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto catalog = fleet.catalog();
  const auto left = run_of({timed(a, 1)});
  const auto right = run_of({timed(b, 1)}, 2, 2000);
  EXPECT_THAT(told(pair_results({left, ""}, {right, ""}, catalog)),
              ElementsAre("inductor/8 | - not_run", "- not_run | inductor/8"));
}

TEST(Pairs, BackendsAreComparedModelByModel) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("a", "openxla+dynamo");
  const auto c = fleet.add("c", "openxla+dynamo"), d = fleet.add("a", "eager");
  const auto catalog = fleet.catalog();
  const auto run = run_of({timed(a, 1), timed(b, 2), timed(c, 3), timed(d, 1)});
  EXPECT_THAT(told(pair_results({run, "inductor"}, {run, "openxla+dynamo"}, catalog)),
              ElementsAre("inductor/8 | openxla+dynamo/8", "- not_run | openxla+dynamo/8"));
  EXPECT_THAT(pair_results({run, "nobody"}, {run, "nobody"}, catalog), IsEmpty());
}

TEST(Pairs, OneConfigurationStandsForABackend) {
  Fleet fleet;
  const auto plain = fleet.add("a", "openxla+dynamo");
  const auto flagged = fleet.add("a", "openxla+dynamo", 8, R"({"keep":true})");
  const auto other = fleet.add("a", "inductor");
  const auto catalog = fleet.catalog();
  const auto run = run_of({timed(plain, 1), timed(flagged, 2), timed(other, 1)});
  auto pairs = pair_results({run, "inductor"}, {run, "openxla+dynamo"}, catalog);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].right.entry->id(), plain);
  // The short one has no time: the other one stands for it.
  const auto without = run_of({failed(plain), timed(flagged, 2), timed(other, 1)});
  pairs = pair_results({without, "inductor"}, {without, "openxla+dynamo"}, catalog);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].right.entry->id(), flagged);
  // A column is one configuration.
  const std::string column = catalog.find(flagged)->column();
  pairs = pair_results({run, "openxla+dynamo"}, {run, column}, catalog);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].right.entry->id(), flagged);
  // All against all: each configuration with itself.
  EXPECT_EQ(pair_results({run, ""}, {run, ""}, catalog).size(), 3U);
}

TEST(Pairs, NamesMayBeLong) {
  // Longer than what a string holds in itself.
  Fleet fleet;
  std::vector<ResultView> results;
  for (int i = 0; i < 50; ++i) {
    const auto name = std::string(40, 'm') + std::to_string(i);
    results.push_back(timed(fleet.add(name, std::string(40, 'b')), 1));
    results.push_back(timed(fleet.add(name, std::string(40, 'c')), 1));
  }
  const auto catalog = fleet.catalog();
  const auto left = run_of(results), right = run_of(results, 2, 2000);
  const auto pairs = pair_results({left, ""}, {right, ""}, catalog);
  EXPECT_EQ(pairs.size(), 100U);
  for (const auto& pair : pairs) EXPECT_TRUE(pair.is_one_experiment());
}

TEST(Pairs, BatchSizesMustBeEqualUnlessOneIsUnknown) {
  Fleet fleet;
  const auto small = fleet.add("a", "inductor", 4), large = fleet.add("a", "inductor", 16);
  const auto unknown = fleet.add("b", "inductor", {}), sized = fleet.add("b", "inductor", 8);
  const auto catalog = fleet.catalog();
  const auto left = run_of({timed(small, 1), timed(sized, 1)});
  const auto right = run_of({timed(large, 1), failed(unknown)}, 2, 2000);
  EXPECT_THAT(told(pair_results({left, ""}, {right, ""}, catalog)),
              ElementsAre("inductor/4 | - batch_size_differs", "- batch_size_differs | inductor/16",
                          "inductor/8 | inductor/? raised"));
}

TEST(Pairs, WhyThereIsNoTime) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto c = fleet.add("c", "inductor");
  const auto catalog = fleet.catalog();
  auto no_samples = facts_of(b, 1.0);
  no_samples.per_iter_time = {1, -1, 0};
  const auto run = run_of({failed(a, 1), judge_result(no_samples, {}, made_up_texts()),
                           judge_result(facts_of(c, {}), {}, made_up_texts())});
  std::vector<std::string_view> reasons;
  for (const auto& pair : pair_results({run, ""}, {run, ""}, catalog)) {
    reasons.push_back(absence_name(*pair.left.absent));
  }
  EXPECT_THAT(reasons, ElementsAre("skipped", "too_few_samples", "not_timed"));
}

}  // namespace
}  // namespace benchhud::analysis
