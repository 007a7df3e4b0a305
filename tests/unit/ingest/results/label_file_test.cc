// Labels in a file beside the results.

#include "ingest/results/label_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benchhud::ingest {
namespace {

using testing::HasSubstr;
using Labels = std::map<std::string, std::string>;

TEST(LabelFile, LinesAreKeysAndValues) {
  const auto labels = read_labels(
      "# tonight\n\n pytorch = 0123abc \r\nbranch=main\nbranch='release/2.6'\nurl=a=b\nempty=\n"
      "quoted=\"two words\"\nlast=\xc3\xa4");
  ASSERT_TRUE(labels) << labels.error().message;
  EXPECT_EQ(*labels, (Labels{{"pytorch", "0123abc"},
                             {"branch", "release/2.6"},
                             {"url", "a=b"},
                             {"empty", ""},
                             {"quoted", "two words"},
                             {"last", "\xc3\xa4"}}));
  EXPECT_TRUE(read_labels("")->empty());
}

TEST(LabelFile, WhatIsNoLabelIsSaidWithItsLine) {
  for (const char* text : {"a=1\nnothing\n", "a=1\n=2", "a=1\nb=\x1b[31m", "a=1\n \x01=2\n"}) {
    const auto labels = read_labels(text);
    ASSERT_FALSE(labels) << text;
    EXPECT_EQ(labels.error().code, schema::ErrorCode::kInvalidArgument);
    EXPECT_THAT(labels.error().message, HasSubstr("line 2 "));
  }
  EXPECT_FALSE(read_labels(std::string_view("a=\0", 3)));
}

}  // namespace
}  // namespace benchhud::ingest
