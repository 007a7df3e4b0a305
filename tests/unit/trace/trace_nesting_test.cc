// Rows in which slices are drawn: none overlaps another, whatever a file holds.

#include "trace/trace_nesting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tests/unit/trace/trace_samples.h"

namespace benchhud::trace {
namespace {

using testing::ElementsAre;

TraceNesting checked(const Trace& trace) {
  TraceNesting nesting = nest(trace, NestingRows::kYes);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> ends;
  for (const std::uint32_t index : nesting.order) {
    const TraceSlice& slice = trace.slices[index];
    EXPECT_LT(nesting.row[index], nesting.row_counts[slice.thread]);
    auto [end, is_first] = ends.try_emplace({slice.thread, nesting.row[index]}, slice.start);
    EXPECT_LE(end->second, slice.start);
    end->second = slice.end();
    const auto& first_rows = nesting.stack_rows[slice.thread];
    const bool is_first_row =
        std::binary_search(first_rows.begin(), first_rows.end(), nesting.row[index]);
    EXPECT_EQ(is_first_row, nesting.parent[index] == kNoSlice);
    if (!is_first_row) {
      EXPECT_EQ(nesting.row[index], nesting.row[nesting.parent[index]] + 1);
    }
  }
  std::size_t rows = 0;
  for (const std::uint32_t count : nesting.row_counts) rows += count;
  EXPECT_EQ(ends.size(), rows) << "a row is empty";
  return nesting;
}

TEST(TraceNesting, RowsAreDepthsWhereNothingOverlaps) {
  Trace trace;
  add_slice(&trace, 0, 0, 100);
  add_slice(&trace, 0, 10, 50);
  add_slice(&trace, 0, 20, 30);
  add_slice(&trace, 0, 60, 70);
  add_slice(&trace, 1, 0, 5);
  const TraceNesting nesting = checked(trace);
  EXPECT_THAT(nesting.row, ElementsAre(0, 1, 2, 1, 0));
  EXPECT_THAT(nesting.row_counts, ElementsAre(3, 1));
}

TEST(TraceNesting, OverlapsGoBelowTheDeepest) {
  Trace trace;
  add_slice(&trace, 0, 0, 50);
  add_slice(&trace, 0, 40, 90);  // overlaps
  add_slice(&trace, 0, 60, 70);  // fits into the first stack again, where it is alone
  add_slice(&trace, 0, 100, 200);
  add_slice(&trace, 0, 110, 120);
  add_slice(&trace, 0, 111, 112);
  const TraceNesting nesting = checked(trace);
  EXPECT_THAT(nesting.row, ElementsAre(0, 3, 0, 0, 1, 2));
  EXPECT_THAT(nesting.stack_rows[0], ElementsAre(0, 3));
  EXPECT_EQ(nesting.overlaps, 1);
}

TEST(TraceNesting, MoreOverlapsThanStacks) {
  Trace trace;
  for (int i = 0; i < 3'000; ++i) add_slice(&trace, 0, i, 1'000 + i);
  const TraceNesting nesting = checked(trace);
  // As many as are open at once.
  EXPECT_EQ(nesting.row_counts[0], 1'000u);
}

TEST(TraceNesting, HostileOverlapsTakeNoLongTime) {
  Trace trace;
  for (int i = 0; i < 200'000; ++i) add_slice(&trace, 0, i, 1'000'000 + i);
  EXPECT_EQ(nest(trace, NestingRows::kYes).row_counts[0], 200'000u);
}

TEST(TraceNesting, Anything) {
  for (const std::uint32_t seed : {1, 2, 3}) checked(any_trace(seed, 5'000));
}

}  // namespace
}  // namespace benchhud::trace
