#include "analysis/results/group_changes.h"

#include <gmock/gmock.h>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The group of a backend.
const GroupChange& of(const std::vector<GroupChange>& changes, const std::string& backend) {
  for (const GroupChange& change : changes) {
    if (change.backend == backend) return change;
  }
  ADD_FAILURE() << "no group " << backend;
  return changes.front();
}

// Field case 05: four models, of which three fell out.
TEST(GroupChanges, MeansAreOverTheSameModels) {
  Fleet fleet;
  std::vector<ResultView> before, after;
  std::vector<schema::ExperimentId> dynamo;
  for (const char* model : {"m1", "m2", "m3", "m4"}) {
    const bool is_first = dynamo.empty();
    const auto eager = fleet.add(model, "eager");
    dynamo.push_back(fleet.add(model, "inductor"));
    before.push_back(timed(eager, 2));
    before.push_back(timed(dynamo.back(), is_first ? 2 : 1));
    after.push_back(is_first ? timed(eager, 2.02) : failed(eager));
    after.push_back(is_first ? timed(dynamo.back(), 2) : failed(dynamo.back()));
  }
  const auto catalog = fleet.catalog();
  const auto changes = group_changes(run_of(before, 1), run_of(after, 2, 2000), catalog, "eager");
  const GroupChange& inductor = of(changes, "inductor");
  EXPECT_EQ(inductor.speedup.n, 1U);
  EXPECT_NEAR(*inductor.speedup.left, 1.00, 1e-9) << "not 1.68, the mean over four models";
  EXPECT_NEAR(*inductor.speedup.right, 1.01, 1e-9);
  EXPECT_EQ(inductor.speedups_before, 4U);
  EXPECT_EQ(inductor.speedups_after, 1U);
  ASSERT_EQ(inductor.no_longer_timed.size(), 3U);
  EXPECT_EQ(inductor.no_longer_timed[0].experiment, dynamo[1]);
  EXPECT_EQ(inductor.no_longer_timed[0].outcome, Outcome::kRaised);
  EXPECT_EQ(inductor.no_longer_timed[0].error->kind, ErrorKind::kException);
  EXPECT_EQ(inductor.newly_timed, 0U);
  EXPECT_FALSE(of(changes, "eager").speedup.left) << "the baseline itself";
  EXPECT_EQ(of(changes, "eager").no_longer_timed.size(), 3U);
}

TEST(GroupChanges, AModelThatFailedWithoutItsBatchSizeIsTheSame) {
  Fleet fleet;
  const auto with = fleet.add("m", "inductor", 8), without = fleet.add("m", "inductor", {});
  const auto catalog = fleet.catalog();
  const auto lost =
      group_changes(run_of({timed(with, 1)}), run_of({failed(without)}, 2, 2000), catalog, "eager");
  ASSERT_EQ(lost.size(), 1U);
  ASSERT_EQ(lost[0].no_longer_timed.size(), 1U);
  EXPECT_EQ(lost[0].no_longer_timed[0].outcome, Outcome::kRaised);
  const auto back =
      group_changes(run_of({failed(without)}), run_of({timed(with, 1)}, 2, 2000), catalog, "eager");
  EXPECT_THAT(back[0].no_longer_timed, IsEmpty());
  EXPECT_EQ(back[0].newly_timed, 1U);
}

TEST(GroupChanges, WhatIsNotInTheRunIsNotRun) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto catalog = fleet.catalog();
  const auto changes = group_changes(run_of({timed(a, 1), timed(b, 1)}),
                                     run_of({timed(a, 1)}, 2, 2000), catalog, "eager");
  ASSERT_EQ(changes[0].no_longer_timed.size(), 1U);
  EXPECT_EQ(changes[0].no_longer_timed[0].outcome, Outcome::kNotRun);
  EXPECT_EQ(changes[0].no_longer_timed[0].error, nullptr);
  EXPECT_THAT(group_changes(run_of({}), run_of({}), catalog, "eager"), IsEmpty());
}

}  // namespace
}  // namespace benchhud::analysis
