#include "analysis/alerts/timing_change_detector.h"

#include <gmock/gmock.h>

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "analysis/changes/noise_class.h"

namespace benchhud::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr auto kLower = schema::Direction::kLowerIsBetter;

/// A watch that is fed night by night, and confirms every candidate as if it were alone.
class Watched {
 public:
  explicit Watched(std::uint64_t seed = 1, double noise = 0.01)
      : watch(ChangeRules{}, kLower), noise_(noise), random_(seed) {}

  /// A night around `value`; returns whether anything changed.
  bool night(double value) {
    const double level = std::log(value) + noise_ * normal_(random_);
    const bool changed = watch.add({level, 1e-6, 8}, number_);
    for (std::size_t i = 0; i < watch.changes().size() && confirms; ++i) {
      if (watch.changes()[i].is_candidate()) watch.decide(i, number_, 0.01);
    }
    ++number_;
    return changed;
  }
  Watched& nights(int count, double value) {
    for (int i = 0; i < count; ++i) night(value);
    return *this;
  }
  std::vector<WatchedChange> current() const {
    std::vector<WatchedChange> some;
    for (const WatchedChange& change : watch.changes()) {
      if (!change.withdrawn) some.push_back(change);
    }
    return some;
  }
  std::vector<WatchedChange> confirmed() const {
    std::vector<WatchedChange> some;
    for (const WatchedChange& change : current()) {
      if (change.confirmed) some.push_back(change);
    }
    return some;
  }

  TimingChangeDetector watch;
  bool confirms = true;

 private:
  double noise_;
  std::size_t number_ = 0;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

TEST(TimingChangeDetector, TheEndOfAnExcursionIsNoChangeWhenItsBeginningIsNoLongerInView) {
  Watched series;
  series.nights(60, 1).nights(5, 1.04);
  series.nights(static_cast<int>(TimingChangeDetector::kWindow) + 20, 1);
  for (const WatchedChange& change : series.watch.changes()) {
    EXPECT_LT(change.first_seen, 90u) << "seen while its nights were young, or not at all";
  }
}

TEST(TimingChangeDetector, AStepIsSuspectAtOnceAndACandidateFromTheThirdNight) {
  Watched series;
  series.confirms = false;
  series.nights(30, 1);
  ASSERT_THAT(series.current(), IsEmpty());
  for (int night = 1; night <= 12; ++night) {
    EXPECT_TRUE(series.night(1.3)) << night;
    const auto changes = series.watch.changes();
    ASSERT_THAT(changes, SizeIs(1)) << "the same change every night, the " << night << ". of it";
    EXPECT_EQ(changes[0].first_seen, 30u);
    EXPECT_EQ(changes[0].onset, 30u);
    EXPECT_LE(changes[0].earliest, 30u);
    EXPECT_GE(changes[0].latest, 30u);
    EXPECT_NEAR(changes[0].point.effect, 0.3, 0.03);
    EXPECT_EQ(changes[0].is_candidate(), night >= 3) << night;
    EXPECT_FALSE(changes[0].withdrawn || changes[0].confirmed || changes[0].recovered);
  }
  series.watch.decide(0, std::nullopt, 0.3);
  EXPECT_TRUE(series.watch.changes()[0].is_candidate());
  EXPECT_EQ(series.watch.changes()[0].q_value, 0.3);
  series.watch.decide(0, 42, 0.02);
  EXPECT_FALSE(series.watch.changes()[0].is_candidate());
  EXPECT_EQ(series.watch.changes()[0].confirmed, 42u);
}

TEST(TimingChangeDetector, OneNightThatIsOffIsWithdrawnTheNextNight) {
  Watched series;
  series.nights(40, 1).nights(1, 1.3);
  ASSERT_THAT(series.current(), SizeIs(1));
  series.nights(1, 1);
  EXPECT_THAT(series.current(), IsEmpty());
  ASSERT_THAT(series.watch.changes(), SizeIs(1));
  EXPECT_EQ(series.watch.changes()[0].withdrawn, 41u);
  series.nights(60, 1);
  EXPECT_THAT(series.current(), IsEmpty());
}

TEST(TimingChangeDetector, AChangeIsOverWhenTheLevelBeforeItIsBack) {
  Watched series;
  series.nights(30, 1).nights(15, 1.3);
  ASSERT_THAT(series.confirmed(), SizeIs(1));
  series.nights(1, 1);
  ASSERT_THAT(series.current(), SizeIs(2));
  EXPECT_EQ(series.current()[1].recovery_of, 0u);
  EXPECT_FALSE(series.current()[0].recovered) << "one night does not make it sure";
  series.nights(2, 1);
  EXPECT_EQ(series.current()[0].recovered, 46u);
  series.nights(150, 1);
  EXPECT_EQ(series.current()[0].recovered, 46u) << "also when both are out of view";
  EXPECT_THAT(series.confirmed(), SizeIs(2));
}

TEST(TimingChangeDetector, ANightThatLooksLikeARecoveryAndIsNone) {
  Watched series;
  series.nights(30, 1).nights(15, 1.3).nights(1, 1).nights(10, 1.3);
  ASSERT_THAT(series.current(), SizeIs(1));
  EXPECT_FALSE(series.current()[0].recovered);
}

// The third step has the level of the first again, and is no recovery of the second, which was one.
TEST(TimingChangeDetector, WhatComesBackAfterARecoveryIsAChangeOfItsOwn) {
  Watched series;
  series.nights(30, 1).nights(15, 1.3).nights(15, 1).nights(10, 1.3);
  const auto changes = series.confirmed();
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_TRUE(changes[0].recovered);
  EXPECT_EQ(changes[1].recovery_of, 0u);
  EXPECT_FALSE(changes[2].recovery_of);
  EXPECT_FALSE(changes[2].recovered);
  EXPECT_EQ(changes[2].onset, 60u);
}

TEST(TimingChangeDetector, OnlyWhatLeadsTheOtherWayLeadsBack) {
  Watched series;
  series.nights(30, 1).nights(12, 1.3).nights(12, 0.75).nights(12, 1);
  const auto changes = series.confirmed();
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_FALSE(changes[0].recovered) << "what it got faster is another thing";
  EXPECT_FALSE(changes[2].recovery_of == std::optional<std::size_t>(0))
      << "a slowdown undoes no slowdown";
}

TEST(TimingChangeDetector, AnImprovementThatLastedIsNotLostInSilence) {
  Watched lasting;
  lasting.nights(30, 1).nights(40, 0.8).nights(10, 1);
  ASSERT_THAT(lasting.confirmed(), SizeIs(2));
  EXPECT_TRUE(lasting.confirmed()[0].recovered);
  EXPECT_FALSE(lasting.confirmed()[1].recovery_of);
  Watched brief;
  brief.nights(30, 1).nights(8, 0.8).nights(10, 1);
  ASSERT_THAT(brief.confirmed(), SizeIs(2));
  EXPECT_EQ(brief.confirmed()[1].recovery_of, 0u);
  Watched mended;
  mended.nights(30, 1).nights(40, 1.25).nights(10, 1);
  ASSERT_THAT(mended.confirmed(), SizeIs(2));
  EXPECT_EQ(mended.confirmed()[1].recovery_of, 0u) << "what was slower for long is faster again";
}

TEST(TimingChangeDetector, ANewEnvironmentIsNoChange) {
  Watched series;
  series.nights(30, 1);
  series.watch.restart();
  series.nights(30, 1.3);
  EXPECT_THAT(series.current(), IsEmpty());
  EXPECT_THAT(series.confirmed(), IsEmpty());
  series.nights(3, 1.7);
  ASSERT_THAT(series.current(), SizeIs(1));
  EXPECT_EQ(series.current()[0].onset, 60u);
}

TEST(TimingChangeDetector, LevelsOfAnotherEnvironmentAreNotLedBackTo) {
  Watched series;
  series.nights(30, 1).nights(15, 1.3);
  series.watch.restart();
  series.nights(30, 1.3).nights(10, 1);
  const auto changes = series.confirmed();
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_FALSE(changes[0].recovered);
  EXPECT_FALSE(changes[1].recovery_of);
}

// Nothing that comes can make anybody sure of it.
TEST(TimingChangeDetector, ASuspectDoesNotOutliveItsEnvironment) {
  Watched series;
  series.nights(30, 1).nights(1, 1.3);
  ASSERT_THAT(series.current(), SizeIs(1));
  series.watch.restart();
  series.nights(5, 1.3);
  EXPECT_THAT(series.current(), IsEmpty());
}

TEST(TimingChangeDetector, ACandidateThatWasNeverSureGoesWhenItIsOutOfView) {
  Watched series;
  series.confirms = false;
  series.nights(30, 1).nights(60, 1.3);
  EXPECT_THAT(series.current(), SizeIs(1));
  series.nights(60, 1.3);
  EXPECT_THAT(series.current(), IsEmpty());
}

TEST(TimingChangeDetector, TwoStepsThatAreNearEachOtherAreTwo) {
  Watched series(1, 0.002);
  series.nights(40, 1).nights(3, 1.2).nights(12, 1.5);
  const auto changes = series.confirmed();
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].onset, 40u);
  EXPECT_NEAR(changes[0].point.effect, 0.2, 0.02);
  EXPECT_EQ(changes[1].onset, 43u);
  EXPECT_NEAR(changes[1].point.effect, 0.25, 0.02);
}

// How many nights a search has seen shows when it was: its noise is of those nights.
TEST(TimingChangeDetector, QuietNightsAreNotSearchedAndStepsAreFoundAtOnceAllTheSame) {
  int searches = 0, nights = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Watched series(seed);
    series.nights(60, 1);
    double before = series.watch.noise().deviation;
    for (int i = 0; i < 100; ++i, ++nights) {
      series.nights(1, 1);
      const double now = series.watch.noise().deviation;
      searches += now != before ? 1 : 0;
      before = now;
    }
    series.nights(1, 1.15);
    ASSERT_FALSE(series.current().empty()) << seed;
    EXPECT_EQ(series.current().back().onset, 160u) << seed;
    EXPECT_EQ(series.current().back().first_seen, 160u) << seed;
  }
  EXPECT_LT(searches, nights / 8);
  EXPECT_GE(searches, nights / 100) << "the routine ones at least";
}

// It gets 8 % slower so slowly that no night stands out.
TEST(TimingChangeDetector, SlowChangesAreFoundByTheRoutine) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Watched series(seed);
    series.nights(60, 1);
    for (int i = 1; i <= 16; ++i) series.nights(1, 1 + i * 0.005);
    series.nights(30, 1.08);
    found += series.confirmed().empty() ? 0 : 1;
  }
  EXPECT_GE(found, 9);
}

TEST(TimingChangeDetector, WhatStandsIsOfTheNightsSinceARestart) {
  Watched series(3);
  series.nights(40, 1).nights(20, 1.2);
  EXPECT_EQ(series.watch.current().first.size(), 60u);
  ASSERT_EQ(series.watch.current().second.found.size(), 1u);
  EXPECT_EQ(series.watch.current().second.found[0].at, 40u);
  series.watch.restart();
  series.nights(40, 1.5);
  EXPECT_TRUE(series.watch.current().second.found.empty()) << "no change, but a new environment";
  const auto [levels, none] = series.watch.current();
  EXPECT_EQ(noise_class_of_levels(levels, none), NoiseClass::kStable);
  series.nights(20, 1.2);
  const auto [levels_after, changes] = series.watch.current();
  EXPECT_EQ(levels_after.size(), 60u);
  ASSERT_EQ(changes.found.size(), 1u);
  EXPECT_EQ(changes.found[0].at, 40u);
}

TEST(TimingChangeDetector, TheSameNightsGiveTheSameChanges) {
  const auto story = [] {
    Watched series(5, 0.02);
    series.nights(50, 1).nights(30, 1.12).nights(1, 2).nights(40, 1.1).nights(60, 0.9);
    std::vector<double> numbers;
    for (const WatchedChange& change : series.watch.changes()) {
      numbers.insert(numbers.end(),
                     {change.point.effect, change.point.p_value, static_cast<double>(change.onset),
                      static_cast<double>(change.withdrawn.value_or(9999))});
    }
    return numbers;
  };
  EXPECT_EQ(story(), story());
  EXPECT_GT(story().size(), 4u);
}

TEST(TimingChangeDetector, AConfirmedChangeIsNotTakenBackBecauseOfOneNight) {
  Watched series(3, 0.02);
  series.nights(40, 1).nights(6, 1.12);
  ASSERT_THAT(series.confirmed(), SizeIs(1));
  series.nights(1, 0.9).nights(1, 1.4).nights(60, 1.12);
  ASSERT_FALSE(series.confirmed().empty());
  EXPECT_NEAR(static_cast<double>(series.confirmed()[0].onset), 40, 2);
  EXPECT_FALSE(series.confirmed()[0].recovered);
}

}  // namespace
}  // namespace benchhud::analysis
