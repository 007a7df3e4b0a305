#include "analysis/results/rollup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

RollupSlice everything(Grouping grouping) {
  const auto all = [](const CatalogEntry&) { return true; };
  return {grouping, "inductor", all, all};
}

Grouping by_test_and_backend() {
  Grouping grouping;
  grouping.test = grouping.backend = true;
  return grouping;
}

std::vector<GroupRollup> roll_up(const JudgedRun& run, const Catalog& catalog, RollupSlice slice) {
  const RunDigest digest = digest_run(run);
  const auto speedups = digest_speedups(digest, catalog, slice.baseline);
  return roll_up(digest, speedups, SliceGroups(catalog, std::move(slice)));
}

std::string name_of(const GroupKey& key) {
  return key.suite.value_or("*") + " " + key.test.value_or("*") + " " + key.backend.value_or("*") +
         " " + key.column.value_or("*");
}

TEST(Rollup, SaysWhatTheSummaryOfTheRunSays) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto c = fleet.add("a", "eager"), d = fleet.add("b", "eager"), e = fleet.add("c", "eager");
  const auto f = fleet.add("d", "eager"), g = fleet.add("a", "eager", 8, "{}", "train");
  const auto h = fleet.add("a", "openxla+dynamo"), i = fleet.add("a", "openxla+dynamo", 16);
  const auto run = run_of({with_code(timed(a, 1.0), "PASS"), with_code(timed(b, 1.0), "FAIL", true),
                           with_code(timed(c, 0.5), "PASS", true), timed(d, 2.0), failed(e),
                           with_code(failed(f, 1), "VERIFIER_SKIPPED"), timed(g, 1.0),
                           timed(h, 0.25), failed(i)});
  const auto catalog = fleet.catalog();
  const auto summary = summarize_run(run, catalog, "inductor");
  const auto rollups = roll_up(run, catalog, everything(by_test_and_backend()));
  ASSERT_EQ(rollups.size(), summary.groups.size());
  for (std::size_t k = 0; k < rollups.size(); ++k) {
    const auto& ours = rollups[k];
    const auto& theirs = summary.groups[k];
    SCOPED_TRACE(name_of(ours.key));
    EXPECT_EQ(ours.key.test, theirs.test);
    EXPECT_EQ(ours.key.backend, theirs.backend);
    EXPECT_EQ(ours.total, theirs.total);
    EXPECT_EQ(ours.timed, theirs.timed);
    EXPECT_EQ(ours.failed, theirs.failed);
    EXPECT_EQ(ours.passing, theirs.passing);
    EXPECT_EQ(ours.failing, theirs.failing);
    EXPECT_EQ(ours.undecided, theirs.undecided);
    EXPECT_EQ(ours.unverified, theirs.unverified);
    EXPECT_EQ(ours.stale, theirs.stale);
    ASSERT_EQ(ours.geomean.has_value(), theirs.all.has_value());
    if (ours.geomean) {
      EXPECT_EQ(ours.geomean->all.value, theirs.all->value);
      EXPECT_EQ(ours.geomean->all.n, theirs.all->n);
      EXPECT_EQ(ours.geomean->matched.value, theirs.matched->value);
      EXPECT_EQ(ours.geomean->matched.n, theirs.matched->n);
      ASSERT_EQ(ours.geomean->all.interval.has_value(), theirs.all->interval.has_value());
      if (ours.geomean->all.interval) {
        EXPECT_EQ(ours.geomean->all.interval->low, theirs.all->interval->low);
      }
    }
    ASSERT_EQ(ours.compile.has_value(), theirs.compile.has_value());
    if (ours.compile) {
      EXPECT_EQ(ours.compile->median, theirs.compile->median);
      EXPECT_EQ(ours.compile->mean, theirs.compile->mean);
      EXPECT_EQ(ours.compile->n, theirs.compile->n);
    }
    std::size_t outcomes = 0;
    for (const std::size_t count : ours.outcomes) outcomes += count;
    EXPECT_EQ(outcomes, ours.total);
  }
}

TEST(Rollup, ByHand) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto c = fleet.add("a", "openxla+dynamo"), d = fleet.add("b", "openxla+dynamo");
  const auto e = fleet.add("a", "eager");
  // Speedups: openxla+dynamo 4 and 1, eager 2. All three have model a.
  const auto run =
      run_of({timed(a, 1.0), timed(b, 1.0), timed(c, 0.25), timed(d, 1.0), timed(e, 0.5)});
  const auto catalog = fleet.catalog();
  const auto rollups = roll_up(run, catalog, everything(by_test_and_backend()));
  ASSERT_EQ(rollups.size(), 3U);
  EXPECT_EQ(name_of(rollups[0].key), "* eval eager *");
  EXPECT_EQ(name_of(rollups[1].key), "* eval inductor *");
  EXPECT_FALSE(rollups[1].geomean) << "the baseline itself";
  const auto& dynamo = *rollups[2].geomean;
  EXPECT_DOUBLE_EQ(*dynamo.all.value, 2.0);
  EXPECT_EQ(dynamo.all.n, 2U);
  EXPECT_DOUBLE_EQ(*dynamo.matched.value, 4.0) << "eager has only model a";
  EXPECT_EQ(dynamo.matched.n, 1U);

  // Of no dimension: one group, of which each model enters once.
  const auto one = roll_up(run, catalog, everything({}));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(name_of(one[0].key), "* * * *");
  EXPECT_EQ(one[0].total, 5U);
  EXPECT_EQ(one[0].geomean->all.n, 2U) << "models";
  EXPECT_DOUBLE_EQ(*one[0].geomean->all.value, std::sqrt(std::sqrt(4.0 * 2.0)));
}

TEST(Rollup, WhatIsShownDoesNotChangeTheNumbersOfWhatIsLeft) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto c = fleet.add("a", "openxla+dynamo"), d = fleet.add("b", "openxla+dynamo");
  const auto e = fleet.add("a", "eager");
  const auto run =
      run_of({timed(a, 1.0), timed(b, 1.0), timed(c, 0.25), timed(d, 1.0), timed(e, 0.5)});
  const auto catalog = fleet.catalog();
  auto slice = everything(by_test_and_backend());
  slice.is_shown = [](const CatalogEntry& entry) { return entry.backend() == "openxla+dynamo"; };
  const auto rollups = roll_up(run, catalog, slice);
  ASSERT_EQ(rollups.size(), 1U);
  EXPECT_EQ(rollups[0].geomean->matched.n, 1U) << "still only what eager has too";
  slice.is_compared = [](const CatalogEntry& entry) { return entry.experiment().model == "b"; };
  const auto of_b = roll_up(run, catalog, slice);
  ASSERT_EQ(of_b.size(), 1U);
  EXPECT_EQ(of_b[0].total, 1U);
  EXPECT_DOUBLE_EQ(*of_b[0].geomean->all.value, 1.0);
  EXPECT_FALSE(of_b[0].geomean->all.interval) << "of one model";
}

TEST(Rollup, ByColumnConfigurationsAreApart) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("a", "inductor", 8, R"({"x":1})");
  const auto run = run_of({timed(a, 1.0), timed(b, 0.5)});
  Grouping grouping;
  grouping.column = true;
  const auto rollups = roll_up(run, fleet.catalog(), everything(grouping));
  ASSERT_EQ(rollups.size(), 2U);
  EXPECT_EQ(rollups[0].key.backend, "inductor");
  EXPECT_NE(rollups[0].key.column, rollups[1].key.column);
  EXPECT_EQ(rollups[0].geomean->all.n + rollups[1].geomean->all.n, 1U)
      << "the other configuration is compared with the one that stands for the baseline";
}

TEST(Rollup, NothingIsNoGroup) {
  EXPECT_TRUE(roll_up(run_of({}), Fleet().catalog(), everything({})).empty());
  Fleet fleet;
  fleet.add("a", "inductor");
  EXPECT_TRUE(roll_up(run_of({}), fleet.catalog(), everything({})).empty());
}

TEST(Rollup, TimesThatAreNoNumbersCountForNothing) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("a", "eager");
  auto run = run_of({timed(a, 1.0), timed(b, kNan)});
  const auto rollups = roll_up(run, fleet.catalog(), everything(by_test_and_backend()));
  ASSERT_EQ(rollups.size(), 2U);
  EXPECT_EQ(rollups[0].geomean->all.n, 0U);
  EXPECT_FALSE(rollups[0].geomean->all.value);
}

TEST(SteadyLevels, AreOverAFixedSet) {
  Fleet fleet;
  const auto a = fleet.add("a", "eager"), b = fleet.add("b", "eager"), c = fleet.add("c", "eager");
  const auto catalog = fleet.catalog();
  const auto first = digest_run(run_of({timed(a, 1.0), timed(b, 4.0), timed(c, 100.0)}));
  const auto nothing = digest_run(run_of({failed(a), failed(b)}, 2));
  const auto last = digest_run(run_of({timed(a, 2.0), timed(b, 8.0), failed(c)}, 3));
  const std::vector<const RunDigest*> runs{&first, &nothing, &last};
  const auto levels = steady_levels(runs, SliceGroups(catalog, everything(by_test_and_backend())));
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].n, 2U) << "c failed once; a run that timed nothing does not count";
  EXPECT_EQ(levels[0].of, 3U);
  ASSERT_EQ(levels[0].levels.size(), 3U);
  EXPECT_DOUBLE_EQ(*levels[0].levels[0], 2.0);
  EXPECT_FALSE(levels[0].levels[1]);
  EXPECT_DOUBLE_EQ(*levels[0].levels[2], 4.0);
}

TEST(SteadyLevels, NothingInCommonIsNoLevel) {
  Fleet fleet;
  const auto a = fleet.add("a", "eager"), b = fleet.add("b", "eager");
  fleet.add("c", "inductor");
  const auto first = digest_run(run_of({timed(a, 1.0)})),
             last = digest_run(run_of({timed(b, 1.0)}));
  const std::vector<const RunDigest*> runs{&first, &last};
  const auto catalog = fleet.catalog();
  const SliceGroups groups(catalog, everything(by_test_and_backend()));
  const auto levels = steady_levels(runs, groups);
  ASSERT_EQ(levels.size(), 1U) << "of inductor nothing was ever timed";
  EXPECT_EQ(levels[0].n, 0U);
  EXPECT_FALSE(levels[0].levels[0] || levels[0].levels[1]);
  EXPECT_TRUE(steady_levels({}, groups).empty());
}

TEST(SpanChange, IsOfMediansOverRuns) {
  const std::vector<double> before{1.0, kNan, 1.1, 0.9}, after{2.0, 2.2, 1.8};
  const auto change = span_change(before, after);
  EXPECT_DOUBLE_EQ(change.before.value, 1.0);
  EXPECT_EQ(change.before.n, 3U);
  EXPECT_DOUBLE_EQ(*change.ratio, 2.0);
  ASSERT_TRUE(change.interval);
  EXPECT_DOUBLE_EQ(change.interval->low, 1.8 / 1.1);
  EXPECT_DOUBLE_EQ(change.interval->high, 2.2 / 0.9);
}

TEST(SpanChange, OfOneRunHasNoIntervalAndOfNoneNoRatio) {
  const std::vector<double> one{2.0}, none{kNan}, zero{0.0, 0.0};
  EXPECT_DOUBLE_EQ(*span_change(one, one).ratio, 1.0);
  EXPECT_FALSE(span_change(one, one).interval);
  EXPECT_EQ(span_change(none, one).before.n, 0U);
  EXPECT_FALSE(span_change(none, one).ratio);
  EXPECT_FALSE(span_change(one, {}).ratio);
  EXPECT_FALSE(span_change(zero, one).ratio) << "of zero nothing is a multiple";
  EXPECT_EQ(span_change(zero, one).before.n, 2U);
}

}  // namespace
}  // namespace benchhud::analysis
