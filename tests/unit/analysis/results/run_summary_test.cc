#include "analysis/results/run_summary.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

TEST(RunSummary, CountsByTestAndBackend) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor"), b = fleet.add("b", "inductor");
  const auto c = fleet.add("a", "eager"), d = fleet.add("b", "eager"), e = fleet.add("c", "eager");
  const auto f = fleet.add("d", "eager"), g = fleet.add("a", "eager", 8, "{}", "train");
  auto run = run_of({with_code(timed(a, 1.0), "PASS"), with_code(timed(b, 1.0), "FAIL", true),
                     with_code(timed(c, 0.5), "PASS", true), timed(d, 2.0), failed(e),
                     with_code(failed(f, 1), "VERIFIER_SKIPPED"), timed(g, 1.0)});
  mark_verifiable(fleet.catalog(), &run);
  const auto summary = summarize_run(run, fleet.catalog(), "inductor");
  EXPECT_TRUE(summary.verified);
  ASSERT_EQ(summary.groups.size(), 3U);
  const auto& eager = summary.groups[0];
  EXPECT_EQ(eager.test + " " + eager.backend, "eval eager");
  EXPECT_EQ(eager.total, 4U);
  EXPECT_EQ(eager.timed, 2U);
  EXPECT_EQ(eager.failed, 1U) << "a skip on purpose did not fail";
  EXPECT_EQ(eager.passing, 1U);
  EXPECT_EQ(eager.undecided, 1U);
  EXPECT_EQ(eager.unverified, 2U);
  EXPECT_EQ(eager.stale, 1U);
  EXPECT_EQ(eager.verifiable, 4U) << "some of them were verified";
  EXPECT_DOUBLE_EQ(*eager.all->value, 1.0) << "2 and 1/2";
  EXPECT_EQ(eager.compile->n, 2U);
  ASSERT_EQ(eager.codes.size(), 2U);
  EXPECT_EQ(eager.codes[0].code, "PASS");
  EXPECT_EQ(eager.codes[0].stale, 1U);

  const auto& inductor = summary.groups[1];
  EXPECT_FALSE(inductor.all) << "the baseline itself";
  EXPECT_EQ(inductor.failing, 1U);
  EXPECT_EQ(summary.groups[2].test, "train");
  EXPECT_EQ(summary.groups[2].total, 1U);
  EXPECT_EQ(summary.groups[2].verifiable, 0U) << "none of it was ever verified";
  EXPECT_FALSE(summary.groups[2].all->value) << "nothing to compare with";
}

TEST(RunSummary, OnlyStaleVerificationsAreNone) {
  Fleet fleet;
  const auto a = fleet.add("a", "inductor");
  const auto run = run_of({with_code(timed(a, 1.0), "PASS", true)});
  EXPECT_FALSE(summarize_run(run, fleet.catalog(), "inductor").verified);
}

TEST(RunSummary, AnEmptyRunHasNoGroups) {
  EXPECT_TRUE(summarize_run(run_of({}), Fleet().catalog(), "inductor").groups.empty());
}

}  // namespace
}  // namespace benchhud::analysis
