#include "analysis/trace/flame_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;
using testing::Optional;
using trace::kNoParent;
using trace::StackSlice;

constexpr auto kRoot = std::nullopt;

// Twice 1 > 2 > 3, once 1 > 3, and 2 alone with 2 in it.
const std::vector<StackSlice> kSlices = {
    {1, kNoParent, 100}, {2, 0, 30}, {3, 1, 10},         {1, kNoParent, 50}, {2, 3, 20},
    {3, 4, 5},           {3, 3, 25}, {2, kNoParent, 40}, {2, 7, 15},
};

TEST(FlameGraph, HeavyStacksPutEqualPathsTogether) {
  const FlameGraph graph = heavy_stacks(kSlices, 100);
  EXPECT_THAT(
      graph.rows,
      ElementsAre(FieldsAre(1, 0, kRoot, 2, 150, 75), FieldsAre(2, 1, Optional(0u), 2, 50, 35),
                  FieldsAre(3, 2, Optional(1u), 2, 15, 15),
                  FieldsAre(3, 1, Optional(0u), 1, 25, 25), FieldsAre(2, 0, kRoot, 1, 40, 25),
                  FieldsAre(2, 1, Optional(4u), 1, 15, 15)));
  EXPECT_EQ(graph.left_out, 0);
}

TEST(FlameGraph, TheShortestAreLeftOutAndTheRestHangsTogether) {
  const FlameGraph graph = heavy_stacks(kSlices, 3);
  EXPECT_THAT(graph.rows, ElementsAre(FieldsAre(1, 0, kRoot, 2, 150, 75),
                                      FieldsAre(2, 1, Optional(0u), 2, 50, 35),
                                      FieldsAre(2, 0, kRoot, 1, 40, 25)));
  EXPECT_EQ(graph.left_out, 3);
}

TEST(FlameGraph, ASandwichOfALabel) {
  EXPECT_THAT(
      callees_of(kSlices, 2, 100).rows,
      ElementsAre(FieldsAre(2, 0, kRoot, 3, 90, 60), FieldsAre(3, 1, Optional(0u), 2, 15, 15),
                  FieldsAre(2, 1, Optional(0u), 1, 15, 15)));
  EXPECT_THAT(
      callers_of(kSlices, 3, 100).rows,
      ElementsAre(FieldsAre(3, 0, kRoot, 3, 40, 0), FieldsAre(1, 1, Optional(0u), 1, 25, 25),
                  FieldsAre(2, 1, Optional(0u), 2, 15, 0),
                  FieldsAre(1, 2, Optional(2u), 2, 15, 15)));
  EXPECT_TRUE(callers_of(kSlices, 9, 100).rows.empty());
  EXPECT_TRUE(callees_of(kSlices, 9, 100).rows.empty());
}

TEST(FlameGraph, OfAHostileTraceIsBounded) {
  std::vector<StackSlice> deep;
  for (std::uint32_t i = 0; i < 10'000; ++i) deep.push_back({i, i == 0 ? kNoParent : i - 1, 5});
  const FlameGraph graph = heavy_stacks(deep, 1'000'000);
  EXPECT_LE(graph.rows.size(), 65u);
  EXPECT_EQ(static_cast<std::int64_t>(graph.rows.size()) + graph.left_out, 10'000);
  EXPECT_LE(callers_of(deep, 9'999, 1000).rows.size(), 65u);
}

}  // namespace
}  // namespace benchhud::analysis
