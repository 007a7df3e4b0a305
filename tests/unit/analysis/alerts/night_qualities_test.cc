#include "analysis/alerts/night_qualities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;

Night night_with(double deviation, std::size_t count = 8) {
  return {0, deviation * deviation / static_cast<double>(count), count};
}

class ScatterTest : public testing::Test {
 protected:
  double scatter(std::size_t series, const Night& tonight) const {
    UsualRepetitions usual;
    const std::vector<std::uint32_t> numbers(before_.size(), 0);
    usual.follow(before_, numbers, before_.size());
    std::vector<RepetitionsTonight> all;
    for (std::size_t k = 0; k < series && usual.variance(); ++k) {
      all.push_back({tonight, *usual.variance()});
    }
    return repetition_scatter(all);
  }
  std::vector<Night> before_ = std::vector<Night>(10, night_with(0.01));
};

TEST_F(ScatterTest, IsAMultipleOfWhatIsUsualWhateverTheNumberOfRepetitions) {
  EXPECT_DOUBLE_EQ(scatter(6, night_with(0.01)), 1);
  EXPECT_DOUBLE_EQ(scatter(6, night_with(0.05)), 5);
  EXPECT_DOUBLE_EQ(scatter(6, night_with(0.05, 30)), 5);
}

TEST_F(ScatterTest, IsNotKnownOfFewSeriesOrNightsOrSingleRepetitions) {
  EXPECT_TRUE(std::isnan(scatter(5, night_with(0.01))));
  EXPECT_TRUE(std::isnan(scatter(6, night_with(0.01, 1))));
  EXPECT_TRUE(std::isnan(scatter(6, Night{0, 0, 8}))) << "they do not tell";
  before_.resize(4);
  EXPECT_TRUE(std::isnan(scatter(6, night_with(0.01))));
}

TEST_F(ScatterTest, LooksBackTwentyNights) {
  before_.assign(20, night_with(0.02));
  before_.insert(before_.begin(), 50, night_with(0.5));
  EXPECT_DOUBLE_EQ(scatter(6, night_with(0.04)), 2);
}

TEST(UsualRepetitions, FollowedNightByNightAreThoseOfTheLastNights) {
  UsualRepetitions followed;
  std::vector<Night> nights;
  std::size_t count = 0;
  const auto expect_same = [&] {
    const std::vector<std::uint32_t> numbers(nights.size(), 0);
    followed.follow(nights, numbers, count);
    UsualRepetitions again;
    again.follow(nights, numbers, count);
    EXPECT_EQ(followed.variance(), again.variance()) << count;
  };
  for (; count < 60; expect_same()) {
    // Some have a single repetition, and some are alike.
    nights.push_back(night_with(0.01 + 0.001 * static_cast<double>(count * 7 % 10), count % 4 + 1));
    ++count;
  }
  nights.erase(nights.begin(), nights.begin() + 45);
  expect_same();
  for (; count < 70; expect_same()) {
    nights.push_back(night_with(0.02));
    ++count;
    if (count % 3 == 0) nights.erase(nights.begin());
  }
  count += 5;
  expect_same();
}

CommonChangeDetector::Judged judged(std::size_t night, std::size_t off, bool is_disturbed = false) {
  CommonChangeDetector::Judged one;
  one.night = night;
  one.quality = {.judged = 20, .off = off, .is_disturbed = is_disturbed, .alike = {}};
  return one;
}

TEST(NightQualities, KeepWhatIsKnownLastOfEachNight) {
  NightQualities nights;
  nights.add_night();
  nights.judge(WatchedMetric::kSteady, std::vector{judged(0, 3, true)});
  nights.add_night();
  nights.judge(WatchedMetric::kSteady, std::vector{judged(0, 2), judged(1, 1)});
  ASSERT_EQ(nights.nights().size(), 2U);
  EXPECT_EQ(nights.nights()[0].off, 2U);
  EXPECT_FALSE(nights.is_disturbed(WatchedMetric::kSteady, 0));
  EXPECT_EQ(nights.changed_from(), 0U);
}

TEST(NightQualities, EachMetricHasItsOwnDisturbances) {
  NightQualities nights;
  nights.add_night();
  nights.judge(WatchedMetric::kSteady, std::vector{judged(0, 1)});
  nights.judge(WatchedMetric::kCompile, std::vector{judged(0, 15, true)});
  EXPECT_TRUE(nights.is_disturbed(WatchedMetric::kCompile, 0));
  EXPECT_FALSE(nights.is_disturbed(WatchedMetric::kSteady, 0));
  EXPECT_FALSE(nights.is_disturbed(WatchedMetric::kSpeedup, 0)) << "it follows from steady times";
  EXPECT_EQ(nights.nights()[0].off, 1U) << "a night's quality is that of its steady times";
}

TEST(NightQualities, RepetitionsThatScatterDisturbWhereManySeriesAreOff) {
  for (const auto& [scatter, off, is_disturbed] :
       {std::tuple(2.6, 5U, true), std::tuple(2.6, 4U, false), std::tuple(2.4, 15U, false),
        std::tuple(std::numeric_limits<double>::quiet_NaN(), 15U, false)}) {
    NightQualities nights;
    nights.add_night();
    nights.set_scatter(scatter);
    nights.judge(WatchedMetric::kSteady, std::vector{judged(0, off)});
    EXPECT_EQ(nights.nights()[0].is_disturbed, is_disturbed) << scatter << " " << off;
    EXPECT_EQ(nights.is_disturbed(WatchedMetric::kCompile, 0), is_disturbed) << "of all times";
  }
}

TEST(NightQualities, NightsOfWhichNothingIsKnownSaySo) {
  NightQualities nights;
  nights.add_night();
  EXPECT_FALSE(nights.nights()[0].is_known());
  EXPECT_TRUE(nights.is_consistent_with(1));
  EXPECT_FALSE(nights.is_consistent_with(2));
}

}  // namespace
}  // namespace benchhud::analysis
