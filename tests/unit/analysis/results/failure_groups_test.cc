#include "analysis/results/failure_groups.h"

#include <gmock/gmock.h>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

TEST(FailureGroups, MostFrequentFirstEachResultOnce) {
  const schema::ExperimentId a{1}, b{2}, c{3}, d{4};
  auto both = failed(b, 2);
  schema::VerificationFacts facts;
  facts.code = "EXCEPTION_RAISED";
  facts.line = schema::LineId{5};
  facts.error = schema::TextId{2};
  both.verification = judge_verification(facts, false, 0, made_up_texts());
  auto stale = timed(d, 1.0);
  facts.error = schema::TextId{3};
  stale.verification = judge_verification(facts, true, 0, made_up_texts());

  const std::vector<ResultView> results = {failed(c, 3), failed(a, 2), both, stale};
  const auto groups = group_failures(results);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].experiments, testing::ElementsAre(a, b));
  EXPECT_THAT(groups[0].error->signature, testing::HasSubstr("ValueError"));
  EXPECT_THAT(groups[1].experiments, testing::ElementsAre(c));
}

TEST(FailureGroups, TheVerifiersOwnErrorsCount) {
  auto view = timed(schema::ExperimentId{1}, 1.0);
  schema::VerificationFacts facts;
  facts.code = "EXCEPTION_RAISED";
  facts.line = schema::LineId{5};
  facts.error = schema::TextId{3};
  view.verification = judge_verification(facts, false, 0, made_up_texts());
  const auto groups = group_failures(std::vector{view});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].line, schema::LineId{5});
}

}  // namespace
}  // namespace benchhud::analysis
