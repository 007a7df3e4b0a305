#include "analysis/alerts/event_detectors.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

namespace benchhud::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Feeds `values` as nights from `number` on; says whether there was anything new in the last.
template <class Watch, class Value>
bool feed(Watch* watch, const std::vector<Value>& values, std::size_t* number) {
  bool is_new = false;
  for (const Value& value : values) is_new = watch->add(value, (*number)++);
  return is_new;
}

class Counts : public testing::Test {
 protected:
  bool add(const std::vector<std::int64_t>& counts) { return feed(&watch_, counts, &number_); }
  bool add(std::size_t nights, std::int64_t count) {
    return add(std::vector<std::int64_t>(nights, count));
  }
  const WatchedEvent& event(std::size_t i) const { return watch_.events()[i]; }

  CounterChangeDetector watch_{schema::Direction::kLowerIsBetter};
  std::size_t number_ = 0;
};

TEST_F(Counts, AnyChangeIsOneAtOnce) {
  EXPECT_FALSE(add({5}));
  EXPECT_FALSE(add({5, 5}));
  EXPECT_TRUE(add({7}));
  EXPECT_FALSE(add({7}));
  ASSERT_THAT(watch_.events(), SizeIs(1));
  EXPECT_EQ(event(0).before, "5");
  EXPECT_EQ(event(0).after, "7");
  EXPECT_EQ(event(0).onset, 3u);
  EXPECT_EQ(event(0).last_before, 2u);
  EXPECT_EQ(event(0).flips, 1u);
  EXPECT_EQ(event(0).of, 4u);
  EXPECT_FALSE(event(0).recovered || event(0).is_flaky());
}

TEST_F(Counts, NightsWithoutACountLieBetween) {
  watch_.add(0, 3);
  watch_.add(2, 9);
  ASSERT_THAT(watch_.events(), SizeIs(1));
  EXPECT_EQ(event(0).last_before, 3u);
  EXPECT_EQ(event(0).onset, 9u);
}

TEST_F(Counts, BackIsARecoveryAndNoChange) {
  add({0, 0, 2, 2});
  EXPECT_TRUE(add({0}));
  ASSERT_THAT(watch_.events(), SizeIs(1));
  EXPECT_EQ(event(0).recovered, 4u);
}

TEST_F(Counts, BackInOneStepEndsAllSteps) {
  add({0, 2, 5});
  ASSERT_THAT(watch_.events(), SizeIs(2));
  add({0});
  ASSERT_THAT(watch_.events(), SizeIs(2));
  EXPECT_EQ(event(0).recovered, 3u);
  EXPECT_EQ(event(1).recovered, 3u) << "5 is no more than 2 is";
}

TEST_F(Counts, BackByOneOfTwoSteps) {
  add({0, 2});
  add(30, 2);
  add({5, 2});
  ASSERT_THAT(watch_.events(), SizeIs(2));
  EXPECT_FALSE(event(0).recovered);
  EXPECT_TRUE(event(1).recovered);
}

TEST_F(Counts, WhatKeepsChangingIsToldNoMoreUntilItIsQuiet) {
  add({0, 0, 0});
  for (int i = 0; i < 20; ++i) add({2, 0});
  EXPECT_THAT(watch_.events(), SizeIs(1)) << "the first one, and its recovery is none";
  add(kFlakyNights, 0);
  EXPECT_TRUE(add({2}));
  ASSERT_THAT(watch_.events(), SizeIs(2));
  EXPECT_EQ(event(1).flips, 1u);
  EXPECT_EQ(event(1).of, kFlakyNights);
}

TEST_F(Counts, TheThirdChangeInTwentyNightsIsMuted) {
  add(1, 0);
  add(9, 1);
  add(9, 2);
  EXPECT_FALSE(add({3})) << "changes at 1, 10 and 19";
  EXPECT_THAT(watch_.events(), SizeIs(2));

  CounterChangeDetector other(schema::Direction::kLowerIsBetter);
  std::size_t number = 0;
  feed(&other, std::vector<std::int64_t>(1, 0), &number);
  feed(&other, std::vector<std::int64_t>(10, 1), &number);
  feed(&other, std::vector<std::int64_t>(10, 2), &number);
  EXPECT_TRUE(other.add(3, number)) << "changes at 1, 11 and 21";
  EXPECT_THAT(other.events(), SizeIs(3));
}

TEST_F(Counts, AnImprovementThatLastedIsNotLostInSilence) {
  add(10, 2);
  add(40, 0);
  EXPECT_TRUE(add({2}));
  ASSERT_THAT(watch_.events(), SizeIs(2));
  EXPECT_TRUE(event(0).recovered);
  EXPECT_EQ(event(1).before, "0");
  EXPECT_EQ(event(1).after, "2");
  EXPECT_FALSE(event(1).recovered);
}

TEST_F(Counts, WhatWasWorseForLongAndIsMendedIsNoEvent) {
  add(10, 0);
  add(40, 2);
  EXPECT_TRUE(add({0}));
  ASSERT_THAT(watch_.events(), SizeIs(1));
  EXPECT_TRUE(event(0).recovered);
  add(40, 0);
  EXPECT_TRUE(add({2})) << "and comes back";
  EXPECT_THAT(watch_.events(), SizeIs(2));
}

TEST_F(Counts, LargestNumbers) {
  add({std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), 0});
  EXPECT_THAT(watch_.events(), SizeIs(2));
}

class Verdicts : public testing::Test {
 protected:
  bool add(const std::vector<std::string>& codes) { return feed(&watch_, codes, &number_); }
  const WatchedEvent& event(std::size_t i) const { return watch_.events()[i]; }

  VerdictChangeDetector watch_{"PASS"};
  std::size_t number_ = 0;
};

TEST_F(Verdicts, FromGoodToAnyOther) {
  EXPECT_FALSE(add({"PASS", "PASS"}));
  EXPECT_TRUE(add({"FAIL"}));
  EXPECT_FALSE(add({"FAIL", "EAGER_FAILED", "FAIL"})) << "from one that is not good to another";
  ASSERT_THAT(watch_.events(), SizeIs(1));
  EXPECT_EQ(event(0).before, "PASS");
  EXPECT_EQ(event(0).after, "FAIL");
  EXPECT_EQ(event(0).onset, 2u);
  EXPECT_EQ(event(0).last_before, 1u);
  EXPECT_FALSE(event(0).recovered);
  EXPECT_TRUE(add({"PASS"}));
  EXPECT_EQ(event(0).recovered, 6u);
  EXPECT_FALSE(add({"PASS"}));
  EXPECT_TRUE(add({"FAIL"})) << "and again";
  EXPECT_THAT(watch_.events(), SizeIs(2));
}

TEST_F(Verdicts, WhatNeverWasGoodDidNotChange) {
  EXPECT_FALSE(add({"FAIL", "FAIL", "EAGER_FAILED"}));
  EXPECT_FALSE(add({"PASS"}));
  EXPECT_THAT(watch_.events(), IsEmpty());
  EXPECT_TRUE(add({"FAIL"}));
  EXPECT_EQ(event(0).last_before, 3u);
}

TEST_F(Verdicts, SaysHowOftenItFlips) {
  add({"PASS", "FAIL"});
  EXPECT_EQ(event(0).flips, 1u);
  EXPECT_EQ(event(0).of, 2u);
  add({"PASS"});
  add({"FAIL"});
  ASSERT_THAT(watch_.events(), SizeIs(2));
  EXPECT_EQ(event(1).flips, 3u);
  EXPECT_EQ(event(1).of, 4u);
  EXPECT_TRUE(event(1).is_flaky());
  add(std::vector<std::string>(kFlakyNights, "PASS"));
  add({"FAIL"});
  ASSERT_THAT(watch_.events(), SizeIs(3));
  EXPECT_EQ(event(2).flips, 1u);
  EXPECT_EQ(event(2).of, kFlakyNights);
  EXPECT_FALSE(event(2).is_flaky());
}

}  // namespace
}  // namespace benchhud::analysis
