#include "analysis/changes/search_trigger.h"

#include <gtest/gtest.h>

#include <vector>

namespace benchhud::analysis {
namespace {

constexpr double kDeviation = 0.01;
constexpr double kCut = 3.5;

// Nights of which every second is above the level and every second below, by one deviation.
std::vector<Night> quiet(std::size_t count) {
  std::vector<Night> nights;
  for (std::size_t i = 0; i < count; ++i) nights.push_back({i % 2 == 0 ? -0.01 : 0.01, 0, 1});
  return nights;
}

SearchTrigger after_search_of(const std::vector<Night>& nights, double correlation = 0,
                              std::size_t begin = 0) {
  SearchTrigger screen;
  screen.learn(nights, begin, {kDeviation, correlation}, kCut);
  return screen;
}

// After how many nights off by so many deviations another search is asked for; 0: not within 12.
std::size_t asks_after(double deviations, double correlation = 0) {
  std::vector<Night> nights = quiet(60);
  SearchTrigger screen = after_search_of(nights, correlation);
  for (std::size_t i = 1; i <= SearchTrigger::kMostTogether; ++i) {
    nights.push_back({deviations * kDeviation, 0, 1});
    if (screen.is_off(nights)) return i;
  }
  return 0;
}

TEST(SearchTrigger, AsksTheSoonerTheFurtherNightsAreOff) {
  EXPECT_EQ(asks_after(20), 1u);
  EXPECT_EQ(asks_after(-20), 1u);
  EXPECT_EQ(asks_after(2), 3u);   // 2 √3 is more than 3.3; what two nights may suspect is more, too
  EXPECT_EQ(asks_after(1), 10u);  // √11: the night before is as far off
  EXPECT_EQ(asks_after(0.5), 0u);  // never in a dozen
  // Nights that are alike go the same way without having changed.
  EXPECT_GT(asks_after(2, 0.6), 6u);
  EXPECT_EQ(asks_after(0), 0u);
}

TEST(SearchTrigger, ASingleNightIsNothingWhereSuchNightsAreUsual) {
  std::vector<Night> nights = quiet(60);
  for (std::size_t i = 5; i < 60; i += 10) nights[i].level = 0.2;
  SearchTrigger screen = after_search_of(nights);
  nights.push_back({0.1, 0, 1});
  EXPECT_FALSE(screen.is_off(nights));
  nights.push_back({0.3, 0, 1});
  EXPECT_TRUE(screen.is_off(nights));
}

TEST(SearchTrigger, LooksFromTheLastChangeOn) {
  // What came before is off by far.
  std::vector<Night> nights(30, Night{1, 0, 1});
  const std::vector<Night> since = quiet(20);
  nights.insert(nights.end(), since.begin(), since.end());
  SearchTrigger screen = after_search_of(nights, 0, 30);
  nights.push_back({0, 0, 1});
  EXPECT_FALSE(screen.is_off(nights));
  EXPECT_FALSE(screen.is_two(nights, 100));
}

TEST(SearchTrigger, SeesTwoLevelsThatLieTooNearForADozenNights) {
  std::vector<Night> nights = quiet(60);
  for (std::size_t i = 30; i < 60; ++i) nights[i].level += 0.007;
  EXPECT_FALSE(after_search_of(nights).is_two(nights, 100));  // 0.7 √15 deviations
  for (std::size_t i = 30; i < 60; ++i) nights[i].level += 0.003;
  SearchTrigger screen = after_search_of(nights);
  EXPECT_TRUE(screen.is_two(nights, 100));
  EXPECT_FALSE(screen.is_two(nights, 25));
  EXPECT_FALSE(after_search_of(nights, 0.6).is_two(nights, 100));
  EXPECT_FALSE(after_search_of(std::vector<Night>(1)).is_two(std::vector<Night>(1), 100));
}

}  // namespace
}  // namespace benchhud::analysis
