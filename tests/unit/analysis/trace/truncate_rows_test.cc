#include "analysis/trace/truncate_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KeepFirst, CountsWhatIsLeftOut) {
  std::vector<std::string> rows = {"a", "b", "c"};
  EXPECT_EQ(truncate_rows(&rows, 4), 0);
  EXPECT_EQ(truncate_rows(&rows, 3), 0);
  EXPECT_THAT(rows, ElementsAre("a", "b", "c"));
  EXPECT_EQ(truncate_rows(&rows, 2), 1);
  EXPECT_THAT(rows, ElementsAre("a", "b"));
  EXPECT_EQ(truncate_rows(&rows, 0), 2);
  EXPECT_THAT(rows, IsEmpty());
}

}  // namespace
}  // namespace benchhud::analysis
