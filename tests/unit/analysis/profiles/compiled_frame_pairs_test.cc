#include "analysis/profiles/compiled_frame_pairs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/profiles/logged_compilations.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Each pair as "id of before → id of after".
std::vector<std::string> pairs_of(const MadeLog& before, const MadeLog& after) {
  const auto was = frames_of(before.log.compilations), is = frames_of(after.log.compilations);
  const auto id_of = [](const LoggedFrame* frame) {
    return frame == nullptr ? std::string("none")
                            : frame->compilations.front()->stored.compilation.compile_id;
  };
  std::vector<std::string> pairs;
  for (const FramePair& pair : pair_frames(was, is)) {
    pairs.push_back(id_of(pair.before) + " → " + id_of(pair.after));
  }
  return pairs;
}

TEST(CompiledFramePairs, FramesAreFoundAgainUnderOtherNumbersAndLines) {
  MadeLog before, after;
  before.add("0/0", "forward", 38);
  before.add("1/0", "torch_dynamo_resume_in_forward_at_43", 43);
  before.add("2/0", "loss", 60);
  after.add("0/0", "prepare", 12);
  after.add("1/0", "forward", 41);
  after.add("2/0", "torch_dynamo_resume_in_forward_at_46", 46);
  EXPECT_THAT(pairs_of(before, after),
              ElementsAre("none → 0/0", "0/0 → 1/0", "1/0 → 2/0", "2/0 → none"));
}

TEST(CompiledFramePairs, FunctionsOfOneNameMoveByAsLittleAsPossible) {
  MadeLog before, after;
  for (int i = 0; i < 4; ++i) before.add(fmt::format("{}/0", i), "forward", 10 + 30 * i);
  // All moved by 20 lines, nearer to where the next one was than to where they were.
  for (int i = 0; i < 4; ++i) after.add(fmt::format("{}/0", 5 + i), "forward", 30 + 30 * i);
  EXPECT_THAT(pairs_of(before, after),
              ElementsAre("0/0 → 5/0", "1/0 → 6/0", "2/0 → 7/0", "3/0 → 8/0"));
  // The second of four is gone and the others moved by two lines.
  MadeLog fewer;
  fewer.add("0/0", "forward", 12);
  fewer.add("1/0", "forward", 72);
  fewer.add("2/0", "forward", 102);
  EXPECT_THAT(pairs_of(before, fewer),
              ElementsAre("0/0 → 0/0", "2/0 → 1/0", "3/0 → 2/0", "1/0 → none"));
  EXPECT_THAT(pairs_of(fewer, before),
              ElementsAre("0/0 → 0/0", "none → 1/0", "1/0 → 2/0", "2/0 → 3/0"));
}

TEST(CompiledFramePairs, EqualLinesAreTheSameThoughAsManyFunctionsWentAsCame) {
  MadeLog before, after;
  for (int i = 0; i < 3; ++i) before.add(fmt::format("{}/0", i), "forward", 10 + 30 * i);
  after.add("0/0", "forward", 40);
  after.add("1/0", "forward", 70);
  after.add("2/0", "forward", 300);
  EXPECT_THAT(pairs_of(before, after),
              ElementsAre("1/0 → 0/0", "2/0 → 1/0", "none → 2/0", "0/0 → none"));
}

TEST(CompiledFramePairs, BeyondTheDriftAFunctionIsAnother) {
  MadeLog before, after;
  for (const int line : {10, 40, 70}) before.add(fmt::format("{}/0", line), "forward", line);
  for (const int line : {12, 72, 171}) after.add(fmt::format("{}/0", line), "forward", line);
  EXPECT_THAT(pairs_of(before, after),
              ElementsAre("10/0 → 12/0", "70/0 → 72/0", "none → 171/0", "40/0 → none"));
  // Of which there is one, no other is meant.
  MadeLog first, later;
  first.add("0/0", "forward", 10);
  later.add("0/0", "forward", 11 + kMostLineDrift);
  EXPECT_THAT(pairs_of(first, later), ElementsAre("0/0 → 0/0"));
  first.add("1/0", "torch_dynamo_resume_in_forward_at_12", 12);
  later.add("1/0", "torch_dynamo_resume_in_forward_at_300", 300);
  EXPECT_THAT(pairs_of(first, later), ElementsAre("0/0 → 0/0", "none → 1/0", "1/0 → none"));
}

TEST(CompiledFramePairs, AFileThatMovedIsTheOneWithTheLongestCommonEnd) {
  MadeLog before, after;
  before.add("0/0", "forward", 10, "/env/2025-11-27/torch/nn/modules/linear.py");
  before.add("1/0", "forward", 10, "/srv/old/linear.py");
  after.add("0/0", "forward", 10, "/srv/new/linear.py");
  after.add("1/0", "forward", 10, "/env/2025-11-28/torch/nn/modules/linear.py");
  EXPECT_THAT(pairs_of(before, after), ElementsAre("1/0 → 0/0", "0/0 → 1/0"));
}

TEST(CompiledFramePairs, AFrameWithoutANameIsTheOneOfItsNumber) {
  MadeLog before, after;
  before.add("0/0", "forward", 10);
  before.add("1/0", "loss", 20);
  after.add("0/0", "forward", 10);
  after.add("1/0", "", 0);
  after.add("2/0", "", 0);
  EXPECT_THAT(pairs_of(before, after), ElementsAre("0/0 → 0/0", "1/0 → 1/0", "none → 2/0"));
  EXPECT_THAT(pairs_of(MadeLog(), MadeLog()), IsEmpty());
}

TEST(CompiledFramePairs, CompilationsOfAFrameStayTogether) {
  MadeLog log;
  log.add("0/0", "forward", 10);
  log.add("1/0", "loss", 20);
  log.add("0/1", "forward", 10);
  log.add("0/0", "forward", 10);  // after a reset
  const auto frames = frames_of(log.log.compilations);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].compilations.size(), 3U);
  EXPECT_FALSE(is_recompilation(log.log.compilations[0].stored.compilation));
  EXPECT_TRUE(is_recompilation(log.log.compilations[2].stored.compilation));
}

TEST(CompiledFramePairs, AHostileLogTakesNoLongerThanItsLength) {
  MadeLog before, after;
  constexpr int kMany = 10'000;
  for (int i = 0; i < kMany; ++i) {
    before.add(fmt::format("{}/0", i), "forward", i);
    after.add(fmt::format("{}/0", i), "forward", 3 * i, fmt::format("/{}/model.py", i));
  }
  for (int i = 0; i < kMany / 2; ++i) after.add(fmt::format("{}/1", i), "forward", i);
  EXPECT_EQ(pairs_of(before, after).size(), static_cast<std::size_t>(2 * kMany));
}

}  // namespace
}  // namespace benchhud::analysis
