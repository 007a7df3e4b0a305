// What a trace is kept in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "schema/base/check.h"
#include "schema/base/segmented_vector.h"
#include "trace/trace_args_table.h"

namespace benchhud::trace {
namespace {

TEST(SegmentedVector, KeepsAllInOrderAndMovesNothing) {
  schema::SegmentedVector<std::uint64_t> vector;
  EXPECT_TRUE(vector.empty());
  EXPECT_EQ(vector.size(), 0u);
  EXPECT_EQ(vector.begin(), vector.end());
  vector.push_back(0);
  const std::uint64_t* const first = &vector.front();
  constexpr std::size_t kCount = 100'000;  // segments hold 8192
  for (std::uint64_t i = 1; i < kCount; ++i) {
    vector.push_back(i);
    ASSERT_EQ(vector.size(), i + 1);
    ASSERT_EQ(vector.back(), i);
  }
  EXPECT_EQ(&vector.front(), first);
  std::uint64_t next = 0;
  for (const std::uint64_t each : vector) ASSERT_EQ(each, next++);
  EXPECT_EQ(next, kCount);
  for (const std::size_t i : {0, 1, 8191, 8192, 8193, 99'999}) EXPECT_EQ(vector[i], i);
  EXPECT_EQ(vector.end() - vector.begin(), static_cast<std::ptrdiff_t>(kCount));
  EXPECT_EQ(vector.begin()[8192], 8192u);
  EXPECT_EQ(*(vector.end() - 1), kCount - 1);
  schema::SegmentedVector<std::uint64_t> copy = vector;
  copy[5] = 50;
  EXPECT_EQ(vector[5], 5u);
}

TEST(Check, EndsTheProgramInEveryBuild) {
  const TraceArgsTable table;
  BENCHHUD_CHECK(table.size() > 0);
  EXPECT_DEATH(BENCHHUD_CHECK(table.size() == 0), "table.size\\(\\) == 0");
  // What would be read there is not the table's.
  EXPECT_DEATH(table[static_cast<std::uint32_t>(table.size())], "a bug: in operator");
}

TEST(TraceArgsTable, GivesBackWhatItWasGiven) {
  constexpr std::int64_t kAbsent = TraceArgs::kAbsent;
  const std::vector<std::int64_t> numbers{
      kAbsent,    0, 1, 4'294'967'295, 4'294'967'296, -1, std::numeric_limits<std::int64_t>::max(),
      kAbsent + 1};
  std::vector<TraceArgs> all;
  for (const std::int64_t number : numbers) {
    for (const std::uint32_t backend : {0U, 7U, 0xfffffeU, 0xffffffU, 0xffffffffU}) {
      const std::uint64_t packed = number == kAbsent ? TraceArgs::kNotKept : number;
      all.push_back({number, kAbsent, kAbsent, TraceArgs::kNotKept, backend});
      all.push_back({kAbsent, number, number, packed, backend});
      all.push_back({number, number, kAbsent, 5, backend});
      all.push_back({1, 2, number, packed, backend});
    }
  }
  TraceArgsTable table;
  std::vector<std::uint32_t> found;
  // Many enough for more than one segment.
  for (std::size_t i = 0; i < 100 * all.size(); ++i) {
    const std::size_t next = table.size();
    found.push_back(table.put(all[i % all.size()]));
    ASSERT_EQ(found.back(), next);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const TraceArgs& put = all[i % all.size()];
    const TraceArgs got = table[found[i]];
    ASSERT_LT(found[i], table.size());
    ASSERT_EQ(got.correlation, put.correlation) << i;
    ASSERT_EQ(got.external_id, put.external_id) << i;
    ASSERT_EQ(got.sequence, put.sequence) << i;
    ASSERT_EQ(got.packed, put.packed) << i;
    ASSERT_EQ(got.origin, put.origin) << i;
  }
  EXPECT_EQ(table[0].correlation, kAbsent);
  EXPECT_EQ(table[0].packed, TraceArgs::kNotKept);
}

}  // namespace
}  // namespace benchhud::trace
