#include "trace/merge_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace benchhud::trace {
namespace {

using Value = std::pair<int, int>;  // what it is sorted by, and where it stood

// So many runs, each in order, of values that are often equal.
std::vector<Value> runs_of(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Value> values;
  for (std::size_t run = 0; run < count; ++run) {
    int value = static_cast<int>(random() % 50);
    for (std::size_t i = random() % 20 + 1; i > 0; --i) {
      values.emplace_back(value, static_cast<int>(values.size()));
      value += static_cast<int>(random() % 3);
    }
  }
  return values;
}

bool before(const Value& a, const Value& b) { return a.first < b.first; }

TEST(MergeRuns, SortsAndKeepsTheOrderOfEquals) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::vector<Value> values = runs_of(seed % 37, seed);
    std::vector<Value> sorted = values;
    std::stable_sort(sorted.begin(), sorted.end(), before);
    merge_runs(values.begin(), values.end(), before);
    EXPECT_EQ(values, sorted) << seed;
  }
}

TEST(MergeRuns, ComparesWhatIsInOrderOnce) {
  std::vector<Value> values;
  for (int i = 0; i < 1000; ++i) values.emplace_back(i, i);
  int compared = 0;
  merge_runs(values.begin(), values.end(), [&](const Value& a, const Value& b) {
    ++compared;
    return before(a, b);
  });
  EXPECT_EQ(compared, 999);
}

TEST(MergeRuns, WhatFallsAllTheWayIsSortedAsWell) {
  std::vector<Value> values;
  for (int i = 0; i < 1000; ++i) values.emplace_back(1000 - i, i);
  merge_runs(values.begin(), values.end(), before);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), before));
}

}  // namespace
}  // namespace benchhud::trace
