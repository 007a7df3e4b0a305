#include "schema/base/text_excerpt.h"

#include <gtest/gtest.h>

namespace benchhud::schema {
namespace {

TEST(TextExcerpt, CutsNoCharacterInItsMiddle) {
  EXPECT_EQ(beginning_of("abc", 3), "abc");
  EXPECT_EQ(beginning_of("abcd", 3), "abc…");
  EXPECT_EQ(beginning_of("abé", 3), "ab…");
  EXPECT_EQ(beginning_of("abé", 4), "abé");
  EXPECT_EQ(beginning_of("a😀b", 4), "a…");
  EXPECT_EQ(beginning_of("a😀b", 5), "a😀…");
  EXPECT_EQ(beginning_of("", 0), "");
  EXPECT_EQ(beginning_of("a", 0), "…");
  // What is no UTF-8 loses three bytes at most.
  EXPECT_EQ(beginning_of(std::string(9, '\x80'), 6), std::string(3, '\x80') + "…");
}

}  // namespace
}  // namespace benchhud::schema
