#include "analysis/trace/keep_first.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KeepFirst, CountsWhatIsLeftOut) {
  std::vector<std::string> rows = {"a", "b", "c"};
  EXPECT_EQ(keep_first(&rows, 4), 0);
  EXPECT_EQ(keep_first(&rows, 3), 0);
  EXPECT_THAT(rows, ElementsAre("a", "b", "c"));
  EXPECT_EQ(keep_first(&rows, 2), 1);
  EXPECT_THAT(rows, ElementsAre("a", "b"));
  EXPECT_EQ(keep_first(&rows, 0), 2);
  EXPECT_THAT(rows, IsEmpty());
}

}  // namespace
}  // namespace benchhud::analysis
