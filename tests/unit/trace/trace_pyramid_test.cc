#include "trace/trace_pyramid.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schema/base/column_codec.h"

namespace benchhud::trace {
namespace {

TEST(TracePyramid, DecodesWhatWasEncoded) {
  const std::vector<TraceNode> nodes = {
      {.begin = -5, .end = 20, .count = 3, .busy = 12, .longest = 9, .label = 4},
      {.begin = 30, .end = 31, .count = 1, .busy = 1, .longest = 1, .label = 0}};
  const auto decoded = decode_nodes(encode_nodes(nodes));
  ASSERT_TRUE(decoded) << decoded.error().message;
  ASSERT_EQ(decoded->size(), 2U);
  EXPECT_EQ((*decoded)[0].begin, -5);
  EXPECT_EQ((*decoded)[0].busy, 12U);
  EXPECT_EQ((*decoded)[1].end, 31);
}

TEST(TracePyramid, RefusesACountOfMoreThanThereIs) {
  for (const std::uint64_t count : {std::uint64_t{2}, std::uint64_t{5}, std::uint64_t{1} << 60}) {
    schema::ColumnWriter of_one;
    of_one.put(count);
    for (int column = 0; column < 6; ++column) of_one.put(1);
    EXPECT_FALSE(decode_nodes(schema::compress(of_one.bytes()))) << count;
    for (int column = 0; column < 2; ++column) of_one.put(1);
    EXPECT_FALSE(decode_segments(schema::compress(of_one.bytes()))) << count;
  }
}

}  // namespace
}  // namespace benchhud::trace
