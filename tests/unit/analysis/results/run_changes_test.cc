#include "analysis/results/run_changes.h"

#include <gmock/gmock.h>

#include "tests/unit/analysis/judging.h"

namespace benchhud::analysis {
namespace {

/// Runs 1, 2, 3 … started at 1000, 2000, 3000 ….
double start_of(schema::RunId run) { return 1000.0 * static_cast<double>(schema::to_int(run)); }

class Changes : public testing::Test {
 protected:
  /// One experiment's kinds of change from run 1 to run 3.
  std::vector<Transition> kinds(const ResultView& before, const ResultView& after) {
    const auto changes = verification_changes(run_of({before}, 1, 1000), run_of({after}, 3, 3000),
                                              fleet_.catalog(), start_of);
    std::vector<Transition> kinds;
    for (const auto& change : changes) kinds.push_back(change.kind);
    return kinds;
  }
  Fleet fleet_;
  const schema::ExperimentId id_ = fleet_.add("m", "inductor");
  const ResultView view_ = timed(id_, 1.0);
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(Changes, FromVerdictToVerdict) {
  EXPECT_THAT(kinds(with_code(view_, "PASS"), with_code(view_, "FAIL", false, 3)),
              ElementsAre(Transition::kNewlyFailing));
  EXPECT_THAT(kinds(with_code(view_, "FAIL"), with_code(view_, "PASS", false, 3)),
              ElementsAre(Transition::kNewlyPassing));
  EXPECT_THAT(kinds(with_code(view_, "FAIL"), with_code(view_, "EXCEPTION_RAISED", false, 3)),
              ElementsAre(Transition::kChanged));
  EXPECT_THAT(kinds(with_code(view_, "PASS"), with_code(view_, "PASS", false, 3)), IsEmpty());
}

TEST_F(Changes, ANightWithoutVerificationYieldsNone) {
  EXPECT_THAT(kinds(with_code(view_, "PASS"), view_), IsEmpty());
  EXPECT_THAT(kinds(with_code(view_, "PASS"), with_code(view_, "PASS", true, 1)), IsEmpty());
  // The code of a run before the earlier one is no news either, whatever it is.
  EXPECT_THAT(kinds(with_code(view_, "PASS"), with_code(view_, "FAIL", true, 1)), IsEmpty());
}

TEST_F(Changes, TheLastVerificationBeforeCountsHoweverOld) {
  EXPECT_THAT(kinds(with_code(view_, "PASS", true, 0), with_code(view_, "FAIL", false, 3)),
              ElementsAre(Transition::kNewlyFailing));
}

TEST_F(Changes, AVerificationBetweenTheRunsCounts) {
  EXPECT_THAT(kinds(with_code(view_, "PASS"), with_code(view_, "FAIL", true, 2)),
              ElementsAre(Transition::kNewlyFailing));
}

TEST_F(Changes, AFirstVerdictIsNoTransition) {
  EXPECT_THAT(kinds(view_, with_code(view_, "FAIL", false, 3)), IsEmpty());
}

TEST_F(Changes, ResultsThatComeAndGo) {
  const auto other = fleet_.add("n", "inductor");
  const auto changes = verification_changes(
      run_of({with_code(view_, "PASS")}, 1, 1000),
      run_of({with_code(timed(other, 1), "FAIL", false, 2)}, 2, 2000), fleet_.catalog(), start_of);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].kind, Transition::kDisappeared);
  EXPECT_EQ(changes[0].before->code, "PASS");
  EXPECT_FALSE(changes[0].after);
  EXPECT_EQ(changes[1].kind, Transition::kNew);
  EXPECT_FALSE(changes[1].before);
  EXPECT_EQ(changes[1].after->code, "FAIL");
}

TEST(Moves, LargestFirstInEitherDirection) {
  Fleet fleet;
  const auto a = fleet.add("a", "eager"), b = fleet.add("b", "eager"), c = fleet.add("c", "eager");
  const auto d = fleet.add("d", "eager");
  const auto before = run_of({timed(a, 1.0), timed(b, 1.0), timed(c, 1.0), failed(d)});
  const auto after = run_of({timed(a, 1.1), timed(b, 0.5), timed(c, 1.0), timed(d, 1.0)}, 2, 2000);
  const auto moves = largest_moves(before, after, 10);
  ASSERT_EQ(moves.size(), 2U) << "what did not move, or has no time before, is none";
  EXPECT_EQ(moves[0].experiment, b);
  EXPECT_DOUBLE_EQ(moves[0].ratio, 0.5);
  EXPECT_NEAR(moves[1].ratio, 1.1, 1e-12);
  EXPECT_LE(moves[1].interval->low, 1.1);
  EXPECT_GE(moves[1].interval->high, 1.1);
  EXPECT_EQ(largest_moves(before, after, 1).size(), 1U);
}

}  // namespace
}  // namespace benchhud::analysis
