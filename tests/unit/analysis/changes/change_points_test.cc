#include "analysis/changes/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

#include "tests/eval/step_scores.h"
#include "tests/unit/places.h"

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Series {
 public:
  explicit Series(double noise, std::uint64_t seed = 1) : noise_(noise), random_(seed) {}

  Series& add(int nights, double value) {
    for (int i = 0; i < nights; ++i) {
      std::vector<double> samples;
      const double night = value * std::exp(noise_ * normal_(random_));
      for (int k = 0; k < 8; ++k) samples.push_back(night * std::exp(0.002 * normal_(random_)));
      nights_.push_back(*night_of(samples));
    }
    return *this;
  }
  std::vector<Night>& nights() { return nights_; }

 private:
  double noise_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::vector<Night> nights_;
};

TEST(NightOf, IsTheLowerQuartileOfTheLogarithms) {
  const auto night = night_of(std::vector<double>{1, std::exp(1.0), std::exp(2.0), std::exp(3.0),
                                                  std::exp(4.0), 0, -1, std::nan("")});
  ASSERT_TRUE(night);
  EXPECT_DOUBLE_EQ(night->level, 1);
  EXPECT_EQ(night->count, 5u);
  EXPECT_NEAR(night->variance, 1.86 * 2.5 / 5, 1e-12);
  EXPECT_EQ(night_of(std::vector<double>{2})->variance, 0);
  EXPECT_FALSE(night_of(std::vector<double>{0, std::nan("")}));
}

TEST(NightOf, OfAnySignIsTheMedianAsAShareOfWhatIsUsual) {
  EXPECT_EQ(typical_magnitude(std::vector<double>{0, -8, 2, 0, 4}), 4);
  EXPECT_EQ(typical_magnitude(std::vector<double>{0, -0.0}), 1);
  EXPECT_EQ(typical_magnitude({}), 1);
  const std::vector<std::vector<double>> repetitions = {
      shares_of(std::vector<double>{-8, 0, 4, 12, 16, std::nan("")}, 4)};
  const SummarizedSeries series = medians_of(repetitions);
  EXPECT_EQ(series.level, NightStatistic::kMedian);
  ASSERT_THAT(series.nights, SizeIs(1));
  const Night& night = series.nights[0];
  EXPECT_DOUBLE_EQ(night.level, 1);
  EXPECT_EQ(night.count, 5u);
  EXPECT_NEAR(night.variance, 1.57 * 5.7 / 5, 1e-12);
  EXPECT_THAT(shares_of(std::vector<double>{-1e300}, 1e-300), ElementsAre(-1e12));
  EXPECT_THAT(shares_of(std::vector<double>{std::nan("")}, 1), IsEmpty());
}

TEST(NightsOf, AreMediansWhereQuartilesScatterMore) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  // Samples that are only ever disturbed one way.
  std::vector<std::vector<double>> hastened, disturbed;
  for (std::size_t i = 0; i < 80; ++i) {
    hastened.emplace_back();
    disturbed.emplace_back();
    for (int k = 0; k < 8; ++k) {
      const double by = std::max(0.0, normal(random));
      hastened.back().push_back(std::exp(0.01 * normal(random) - by * by));
      disturbed.back().push_back(std::exp(0.01 * normal(random) + by * by));
    }
  }
  const auto of = [](const auto& nights) {
    std::vector<std::vector<double>> logarithms;
    for (const auto& night : nights) logarithms.push_back(logarithms_of(night));
    return nights_of(logarithms);
  };
  const SummarizedSeries medians = of(hastened), quartiles = of(disturbed);
  EXPECT_EQ(medians.level, NightStatistic::kMedian);
  EXPECT_EQ(medians.nights.size(), 80u);
  EXPECT_EQ(medians.nights[1].count, 8u);
  EXPECT_EQ(quartiles.level, NightStatistic::kLowerQuartile);
  EXPECT_EQ(quartiles.nights[5], *night_of(disturbed[5]));
  EXPECT_EQ(night_statistic_name(NightStatistic::kMedian), "median");
  EXPECT_EQ(night_statistic_name(NightStatistic::kLowerQuartile), "lower_quartile");
  EXPECT_EQ(night_statistic_name(NightStatistic::kShape), "shape");
  EXPECT_THAT(of(std::vector<std::vector<double>>()).nights, IsEmpty());
}

TEST(FindChanges, WeighsNightsByWhatEachIsKnownToVary) {
  // Every second night knows nothing: its level is anywhere near. The others know theirs.
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<Night> nights;
  for (int i = 0; i < 60; ++i) {
    const double deviation = i % 2 == 0 ? 0.01 : 0.15;
    nights.push_back({(i < 40 ? 0 : 0.08) + deviation * normal(random), deviation * deviation, 3});
  }
  EXPECT_THAT(find_changes(nights).found, IsEmpty());
  ChangeRules rules;
  rules.is_variance_known = true;
  const Changes changes = find_changes(nights, rules);
  ASSERT_THAT(changes.found, SizeIs(1));
  EXPECT_NEAR(static_cast<double>(changes.found[0].at), 40, 1);
  EXPECT_NEAR(changes.found[0].effect, std::expm1(0.08), 0.02);
}

TEST(FindChanges, ANightThatIsNotSureOfItselfIsNoSuspect) {
  std::vector<Night> nights;
  for (int i = 0; i < 60; ++i) nights.push_back({i % 2 == 0 ? -0.01 : 0.01, 1e-4, 3});
  ChangeRules rules;
  rules.is_variance_known = true;
  nights.push_back({0.2, 1e-4, 3});
  ASSERT_THAT(find_changes(nights, rules).found, SizeIs(1));
  nights.back().variance = 0.02;
  EXPECT_THAT(find_changes(nights, rules).found, IsEmpty());
}

TEST(NoiseOf, SeesThroughChangesAndCorrelation) {
  Series plain(0.02);
  plain.add(150, 1).add(150, 3).add(100, 1.5);
  EXPECT_NEAR(noise_of(plain.nights()).deviation, 0.02, 0.005);
  EXPECT_LT(noise_of(plain.nights()).correlation, 0.2);

  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<Night> alike;
  double level = 0;
  for (int i = 0; i < 500; ++i) {
    level = 0.6 * level + 0.8 * 0.02 * normal(random);
    alike.push_back({level, 0, 1});
  }
  EXPECT_NEAR(noise_of(alike).correlation, 0.6, 0.12);
  EXPECT_NEAR(noise_of(alike).deviation, 0.02, 0.005);
  EXPECT_EQ(noise_of(std::vector<Night>(40)).deviation, kLeastNoise);
}

TEST(FindChanges, TellsWhereHowMuchAndHowSure) {
  Series series(0.01);
  const Changes changes = find_changes(series.add(60, 1).add(40, 1.1).nights());
  ASSERT_THAT(changes.found, SizeIs(1));
  const ChangePoint& change = changes.found[0];
  EXPECT_EQ(change.at, 60u);
  EXPECT_LE(change.earliest, 60u);
  EXPECT_GE(change.latest, 60u);
  EXPECT_LE(change.latest - change.earliest, 2u);
  EXPECT_NEAR(change.effect, 0.1, 0.01);
  EXPECT_LT(change.interval.low, 0.1);
  EXPECT_GT(change.interval.high, 0.1);
  EXPECT_LT(change.p_value, 1e-10);
  EXPECT_EQ(change.nights_before, 60u);
  EXPECT_EQ(change.nights_after, 40u);
}

TEST(FindChanges, BothWaysAndMoreThanOne) {
  Series series(0.005);
  series.add(30, 1).add(30, 0.9).add(30, 1.2);
  const Changes changes = find_changes(series.nights());
  ASSERT_THAT(changes.found, SizeIs(2));
  EXPECT_NEAR(changes.found[0].effect, -0.1, 0.01);
  EXPECT_NEAR(changes.found[1].effect, 1.0 / 3, 0.01);
}

TEST(FindChanges, SaysWhyOneIsNotTold) {
  Series small(0.001);
  const Changes drift = find_changes(small.add(50, 1).add(50, 1.015).nights());
  EXPECT_THAT(drift.found, IsEmpty());
  ASSERT_THAT(drift.rejected, SizeIs(1));
  EXPECT_EQ(drift.rejected[0].reason, Rejection::kTooSmall);

  // Two nights are too few for what is confirmed; they are told as a suspect instead.
  Series young(0.002);
  const Changes two = find_changes(young.add(50, 1).add(2, 2).nights());
  ASSERT_THAT(two.found, SizeIs(1));
  EXPECT_EQ(two.found[0].state, ChangeState::kSuspect);
  ASSERT_THAT(two.rejected, SizeIs(1));
  EXPECT_EQ(two.rejected[0].reason, Rejection::kTooFewNights);
  EXPECT_EQ(two.rejected[0].change.at, two.found[0].at);

  Series lone(0.01);
  lone.add(50, 1).add(1, 5).add(50, 1);
  EXPECT_THAT(find_changes(lone.nights()).found, IsEmpty());
  EXPECT_THAT(find_changes(std::vector<Night>(3)).found, IsEmpty());
}

TEST(FindChanges, WhatCreepsIsNoChangeAndAStepInItIsOne) {
  // 30 % in 120 nights, evenly: wherever it is cut, both sides differ.
  const auto creeping = [](std::uint64_t seed, double step) {
    Series series(0.01, seed);
    for (int i = 0; i < 120; ++i) series.add(1, std::exp(0.0025 * i) * (i < 60 ? 1 : 1 + step));
    return find_changes(series.nights());
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Changes even = creeping(seed, 0);
    EXPECT_THAT(even.found, IsEmpty()) << seed;
    EXPECT_TRUE(std::ranges::any_of(even.rejected, [](const RejectedChange& rejected) {
      return rejected.reason == Rejection::kCreeping;
    })) << seed;
    const Changes stepped = creeping(seed, 0.5);
    ASSERT_FALSE(stepped.found.empty()) << seed;
    EXPECT_EQ(stepped.found.back().state, ChangeState::kConfirmed) << seed;
    EXPECT_TRUE(std::ranges::any_of(stepped.found, [](const ChangePoint& change) {
      return change.at == 60;
    })) << seed;
  }
  EXPECT_EQ(rejection_name(Rejection::kCreeping), "creeping");
}

TEST(FindChanges, NightsThatAreKnownBetterTellMore) {
  // Every third night has thirty samples, the others one: of 2 %, which they share, and 30 % of
  // their own. Seen alone, or among nights that tell next to nothing.
  int weighted = 0, unweighted = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<Night> nights;
    for (std::size_t i = 0; i < 90; ++i) {
      const std::size_t count = i % 3 == 0 ? 30 : 1;
      const double own = 0.3 / std::sqrt(static_cast<double>(count));
      const double level = (i < 45 ? 0 : 0.25) + 0.02 * normal(random) + own * normal(random);
      nights.push_back({level, count > 1 ? own * own : 0, count});
    }
    weighted += find_changes(nights).found.empty() ? 0 : 1;
    for (Night& night : nights) night = {night.level, 0, 1};
    unweighted += find_changes(nights).found.empty() ? 0 : 1;
  }
  EXPECT_GT(weighted, unweighted + 5) << weighted << " " << unweighted;
}

TEST(FindChanges, SuspectsTheLastNights) {
  for (const int count : {1, 2}) {
    for (const double factor : {1.2, 0.8}) {
      Series young(0.01);
      const Changes changes = find_changes(young.add(50, 1).add(count, factor).nights());
      ASSERT_THAT(changes.found, SizeIs(1)) << count << " " << factor;
      const ChangePoint& suspect = changes.found[0];
      EXPECT_EQ(suspect.state, ChangeState::kSuspect);
      EXPECT_EQ(suspect.at, 50u);
      EXPECT_EQ(suspect.nights_before, 50u);
      EXPECT_EQ(suspect.nights_after, static_cast<std::size_t>(count));
      EXPECT_NEAR(suspect.effect, factor - 1, 0.04);
      EXPECT_LT(suspect.interval.low, factor - 1);
      EXPECT_GT(suspect.interval.high, factor - 1);
    }
  }
  // Three are enough to confirm it.
  Series older(0.01);
  const Changes changes = find_changes(older.add(50, 1).add(3, 1.2).nights());
  ASSERT_THAT(changes.found, SizeIs(1));
  EXPECT_EQ(changes.found[0].state, ChangeState::kConfirmed);
  // It may follow another change.
  Series second(0.01);
  const Changes both = find_changes(second.add(40, 1).add(20, 1.3).add(1, 1.6).nights());
  ASSERT_THAT(both.found, SizeIs(2));
  EXPECT_EQ(both.found[0].state, ChangeState::kConfirmed);
  EXPECT_EQ(both.found[1].state, ChangeState::kSuspect);
  EXPECT_NEAR(both.found[1].effect, 1.6 / 1.3 - 1, 0.04);
}

TEST(FindChanges, SuspectsNothingWhereNightsAreOftenOff) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Series spiky(0.01, seed);
    for (int i = 0; i < 4; ++i) spiky.add(24, 1).add(1, 1.4);
    EXPECT_THAT(find_changes(spiky.nights()).found, IsEmpty()) << seed;
  }
  // Nor where there was hardly a night before, nor for so little.
  Series first(0.01);
  EXPECT_THAT(find_changes(first.add(4, 1).add(1, 1.4).nights()).found, IsEmpty());
  Series small(0.001);
  EXPECT_THAT(find_changes(small.add(50, 1).add(2, 1.015).nights()).found, IsEmpty());
  // Two nights on different sides are no new level.
  Series apart(0.01);
  const auto changes = find_changes(apart.add(50, 1).add(1, 1.3).add(1, 0.7).nights());
  for (const ChangePoint& change : changes.found) EXPECT_EQ(change.at, 51u);
}

TEST(FindChanges, ASuspectIsNoSurerThanSoFewNightsCanBe) {
  // However far off: one of 51 nights is the farthest anyway, by chance, on either side.
  for (const int before : {20, 50, 200}) {
    const int most = std::min(before, 100);  // that are looked at
    Series one(0.01), two(0.01);
    const Changes single = find_changes(one.add(before, 1).add(1, 9).nights());
    ASSERT_THAT(single.found, SizeIs(1));
    EXPECT_DOUBLE_EQ(single.found[0].p_value, 2.0 / (most + 1));
    const Changes pair = find_changes(two.add(before, 1).add(2, 9).nights());
    ASSERT_THAT(pair.found, SizeIs(1));
    EXPECT_DOUBLE_EQ(pair.found[0].p_value, 2.0 * 2 / (most + 2) / (most + 1));
  }
}

TEST(FindChanges, StepsBeyondWhatAProbabilityCanTell) {
  // Against so little noise a step of a thousand has a p-value too small for a double.
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<Night> nights;
  for (int i = 0; i < 108; ++i) nights.push_back({(i < 54 ? 0 : 1000) + 1e-4 * normal(random)});
  const Changes changes = find_changes(nights);
  ASSERT_THAT(changes.found, SizeIs(1));
  EXPECT_GT(changes.found[0].p_value, 0);
  EXPECT_LT(changes.found[0].p_value, 1e-200);
}

// The series of shared/data/changepoint: another program's nightly tests, with steps put into them.
TEST(RealSeries, StepsAreFoundAndNothingElse) {
  const auto folder = shared_folder() / "data/changepoint/sap_hana";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "shared/data/changepoint is not here";
  const eval::StepScore score = eval::score_steps(eval::read_steps(folder));
  EXPECT_GT(score.all.f1(), 0.80);
  EXPECT_GT(score.all.precision(), 0.95);
  EXPECT_THAT(score.flagged, IsEmpty());
}

// Of noise without a step, at the rate that is allowed; of a step that few nights leave doubtful.
TEST(ChangePoints, SuspectsInFewNights) {
  const ChangeRules rules = {.suspects_in_few_nights = true};
  int more = 0;
  constexpr int kSeries = 4000;
  for (int seed = 0; seed < kSeries; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 0.02);
    std::vector<Night> nights(12);
    for (Night& night : nights) night.level = normal(random);
    if (find_changes(nights, rules).found.size() > find_changes(nights).found.size()) ++more;
  }
  EXPECT_LE(more, kSeries * 2 / 1000);
  std::vector<Night> nights;
  for (const double value : {51.2, 49.7, 50.9, 52.8, 50.1, 51.9, 45.3, 44.6, 45.1, 44.2}) {
    nights.push_back({std::log(value), 0, 1});
  }
  EXPECT_TRUE(find_changes(nights).found.empty());
  const auto found = find_changes(nights, rules).found;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at, 6u);
  EXPECT_EQ(found[0].state, ChangeState::kSuspect);
}

}  // namespace
}  // namespace benchhud::analysis
