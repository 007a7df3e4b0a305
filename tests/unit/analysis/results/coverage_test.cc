#include "analysis/results/coverage.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

RunDigest digest_of(std::vector<ResultView> results) {
  return digest_run(run_of(std::move(results)));
}

/// "model outcome", "+" where it was not expected.
std::vector<std::string> said(const std::vector<CoverageItem>& items) {
  std::vector<std::string> texts;
  for (const auto& item : items) {
    const auto& model = item.entry ? item.entry->experiment().model : item.expected->model;
    texts.push_back(std::string(item.is_expected ? "" : "+") + model + " " +
                    std::string(outcome_name(item.outcome)));
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Coverage, WhatRanBeforeIsExpected) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto c = fleet.add("c", "inductor"), d = fleet.add("d", "inductor");
  fleet.add("e", "inductor");
  const auto now = digest_of({timed(a, 1), failed(c), timed(d, 1)});
  const auto last = digest_of({timed(a, 1), timed(c, 1)});
  const auto older = digest_of({timed(a, 1), timed(b, 1)});
  const std::vector<const RunDigest*> before = {&last, &older};
  const auto catalog = fleet.catalog();
  const auto items = coverage(catalog, now, before, {});
  EXPECT_EQ(said(items), (Texts{"a timed", "b not_run", "c raised", "+d timed"}))
      << "e ran in no run that is looked at";
  EXPECT_EQ(items[0].timed_runs_ago, 0U);
  EXPECT_EQ(items[1].timed_runs_ago, 2U);
  EXPECT_FALSE(items[1].before) << "it was missing in the run before as well";
  EXPECT_EQ(items[2].before, Outcome::kTimed);
  CoverageCounts counts;
  for (const auto& item : items) count(item, &counts);
  EXPECT_EQ(counts.expected, 3U);
  EXPECT_EQ(counts.extra, 1U);
  EXPECT_EQ(counts.lost, 1U) << "c; b was lost a run earlier";
  EXPECT_EQ(counts.outcomes[static_cast<std::size_t>(Outcome::kNotRun)], 1U);
}

TEST(Coverage, TheFirstRunExpectsNothing) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor");
  const auto catalog = fleet.catalog();
  EXPECT_EQ(said(coverage(catalog, digest_of({timed(a, 1)}), {}, {})), Texts{"+a timed"});
  EXPECT_TRUE(coverage(catalog, digest_of({}), {}, {}).empty());
}

TEST(Coverage, AnotherBatchSizeStandsForTheOneBefore) {
  Fleet fleet;
  const auto unknown = fleet.add("a", "inductor", {});
  const auto eight = fleet.add("a", "inductor", 8), sixteen = fleet.add("a", "inductor", 16);
  const auto catalog = fleet.catalog();
  const auto crashed = digest_of({failed(unknown)}), small = digest_of({timed(eight, 1)});
  const auto large = digest_of({timed(sixteen, 1)}),
             both = digest_of({timed(eight, 1), timed(sixteen, 1)});
  std::vector<const RunDigest*> before = {&crashed};
  EXPECT_EQ(said(coverage(catalog, small, before, {})), Texts{"+a timed"});
  before = {&small, &crashed};
  EXPECT_EQ(said(coverage(catalog, large, before, {})), Texts{"+a timed"});
  before = {&both};
  EXPECT_EQ(said(coverage(catalog, large, before, {})), (Texts{"a not_run", "a timed"}))
      << "they ran beside each other: one is missing";
}

TEST(Coverage, OtherBackendsAndTestsStandForNobody) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("a", "eager");
  const auto c = fleet.add("a", "inductor", 8, "{}", "train");
  const auto catalog = fleet.catalog();
  const auto last = digest_of({timed(a, 1)});
  const std::vector<const RunDigest*> before = {&last};
  const auto items = coverage(catalog, digest_of({timed(b, 1), timed(c, 1)}), before, {});
  EXPECT_EQ(said(items), (Texts{"+a timed", "a not_run", "+a timed"}));
}

TEST(Coverage, AManifestSaysWhatIsExpected) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor", 8), a16 = fleet.add("a", "inductor", 16);
  const auto b = fleet.add("b", "inductor", 8), b16 = fleet.add("b", "inductor", 16);
  const auto c = fleet.add("c", "inductor"), d = fleet.add("d", "inductor");
  const auto catalog = fleet.catalog();
  const auto now = digest_of({timed(a, 1), timed(a16, 1), timed(c, 1)});
  const auto last = digest_of({timed(d, 1), timed(b16, 1)}), older = digest_of({timed(b, 1)});
  const std::vector<const RunDigest*> before = {&last, &older};
  const std::vector<schema::ExpectedResult> manifest = {
      {"suite", "a", "eval", "inductor"},
      {"suite", "b", "eval", "inductor"},
      {"suite", "never", "eval", "inductor"},
  };
  const auto items = coverage(catalog, now, before, manifest);
  EXPECT_EQ(said(items), (Texts{"a timed", "a timed", "b not_run", "+c timed", "never not_run"}))
      << "d is not in the manifest, so that it is gone does not matter";
  EXPECT_EQ(items[2].entry->experiment().batch_size, 16) << "the one that was there last";
  EXPECT_EQ(items[4].test(), "eval");
  EXPECT_EQ(items[4].suite(), "suite");
  EXPECT_EQ(items[4].backend(), "inductor");
}

}  // namespace
}  // namespace benchhud::analysis
