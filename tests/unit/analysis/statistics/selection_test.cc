#include "analysis/statistics/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

// All of its promises, at one rank.
void expect_selects(const std::vector<double>& values, std::size_t rank) {
  std::vector<double> sorted = values, selected = values;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(select(selected, rank), sorted[rank]);
  ASSERT_EQ(selected[rank], sorted[rank]);
  const auto at = selected.begin() + static_cast<std::ptrdiff_t>(rank);
  ASSERT_TRUE(std::all_of(selected.begin(), at, [&](double value) { return value <= *at; }));
  ASSERT_TRUE(std::all_of(at, selected.end(), [&](double value) { return value >= *at; }));
  std::sort(selected.begin(), selected.end());
  ASSERT_EQ(selected, sorted);
}

TEST(Selection, PutsEachRankInItsPlace) {
  std::mt19937_64 random(3);
  for (const std::size_t length : {1, 2, 12, 13, 50, 401}) {
    // All different, few different ones, one, in order, against it.
    for (const std::uint64_t kinds : {std::uint64_t{1} << 62, std::uint64_t{3}, std::uint64_t{1}}) {
      std::vector<double> values;
      for (std::size_t i = 0; i < length; ++i) {
        values.push_back(static_cast<double>(random() % kinds));
      }
      for (std::size_t rank = 0; rank < length; ++rank) expect_selects(values, rank);
      std::sort(values.begin(), values.end());
      expect_selects(values, length / 3);
      std::reverse(values.begin(), values.end());
      expect_selects(values, length / 3);
    }
  }
}

// A ramp through zero, a rise and a fall, a saw: with a pivot that is an extreme each time half a
// million values take hours.
TEST(Selection, TakesTimeThatGrowsWithTheValues) {
  constexpr std::size_t kCount = 500'000;
  std::vector<double> ramp, pipe, saw;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double at = static_cast<double>(i) - kCount / 2.0;
    ramp.push_back(std::abs(at));
    pipe.push_back(-std::abs(at));
    saw.push_back(static_cast<double>(i % 1000));
  }
  for (const auto& values : {ramp, pipe, saw}) {
    for (const std::size_t rank : {std::size_t{0}, kCount / 2, kCount - 1}) {
      expect_selects(values, rank);
    }
  }
}

}  // namespace
}  // namespace benchhud::analysis
