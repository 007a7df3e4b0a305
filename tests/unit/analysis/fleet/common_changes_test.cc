#include "analysis/fleet/common_changes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace benchhud::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Ten models on three backends, of 1 % noise; `added` is done to a night's levels.
class CommonChanges : public testing::Test {
 protected:
  static constexpr std::size_t kModels = 10, kBackends = 3;

  static CommonChangeDetector new_detector() {
    CommonChangeDetector detector;
    for (std::size_t m = 0; m < kModels; ++m) {
      for (std::size_t b = 0; b < kBackends; ++b) detector.add_series(m, b);
    }
    return detector;
  }
  using Added = std::function<double(std::size_t model, std::size_t backend)>;
  void nights(int count, const Added& added = [](auto, auto) { return 0.0; }) {
    for (int i = 0; i < count; ++i) {
      std::vector<CommonChangeDetector::Value> values;
      for (std::size_t k = 0; k < kModels * kBackends; ++k) {
        values.push_back({k, 1 + 0.01 * normal_(random_) + added(k / kBackends, k % kBackends)});
      }
      detector_.add(night_++, values);
    }
  }
  std::vector<CommonChange> of_stage(CommonStage stage) const {
    std::vector<CommonChange> some;
    for (const CommonChange& change : detector_.changes()) {
      if (change.stage == stage) some.push_back(change);
    }
    return some;
  }
  std::string story() const {
    std::string text;
    for (const CommonChange& change : detector_.changes()) {
      text += std::to_string(static_cast<int>(change.scope)) + " stage " +
              std::to_string(static_cast<int>(change.stage)) + " onset " +
              std::to_string(change.onset) + " pooled " + std::to_string(change.effects.pooled) +
              "\n";
    }
    return text;
  }
  // What is left of a series on the last night.
  double judged(std::size_t model, std::size_t backend) const {
    return detector_.judged().back().levels[model * kBackends + backend];
  }

  CommonChangeDetector detector_ = new_detector();

 private:
  std::size_t night_ = 0;
  std::mt19937_64 random_{1};
  std::normal_distribution<double> normal_;
};

TEST_F(CommonChanges, QuietNightsHaveNone) {
  nights(100);
  EXPECT_THAT(of_stage(CommonStage::kConfirmed), IsEmpty()) << story();
  EXPECT_THAT(of_stage(CommonStage::kRecovered), IsEmpty()) << story();
}

TEST_F(CommonChanges, ASlowerMachineIsOneFromTheFirstNightsOn) {
  nights(20);
  nights(2, [](auto, auto) { return 0.06; });
  const auto found = of_stage(CommonStage::kConfirmed);
  ASSERT_THAT(found, SizeIs(1)) << story();
  EXPECT_EQ(found[0].scope, CommonScope::kMachine);
  EXPECT_EQ(found[0].onset, 20u);
  EXPECT_EQ(found[0].direction, 1);
  EXPECT_NEAR(found[0].effects.pooled, 0.06, 0.01);
  nights(20, [](auto, auto) { return 0.06; });
  EXPECT_THAT(of_stage(CommonStage::kConfirmed), SizeIs(1)) << story();
  EXPECT_NEAR(judged(3, 1), 1, 0.04) << "without what the machine did";
}

// Where a night is much like the one before it, the evidence of nights that are off in all grows
// sooner than that of a common step.
TEST_F(CommonChanges, ASlowerMachineIsOneWhereNightsAreAlike) {
  // Of twelve hundred nights chance alone may reach what it reaches once in a hundred.
  std::size_t by_chance = 0, in_three_nights = 0;
  for (std::uint64_t fleet = 0; fleet < 20; ++fleet) {
    detector_ = new_detector();
    std::mt19937_64 random(fleet);
    std::normal_distribution<double> normal;
    std::vector<double> wandered(kModels * kBackends);
    const auto slower_by = [&](double step) {
      return [&, step](std::size_t model, std::size_t backend) {
        double& own = wandered[model * kBackends + backend];
        own = 0.9 * own + 0.02 * normal(random);
        return own + step;
      };
    };
    nights(60, slower_by(0));
    by_chance += of_stage(CommonStage::kConfirmed).size();
    nights(3, slower_by(0.06));
    for (const CommonChange& change : of_stage(CommonStage::kConfirmed)) {
      in_three_nights += change.scope == CommonScope::kMachine;
    }
  }
  EXPECT_LE(by_chance, 1u);
  EXPECT_GE(in_three_nights, 18u) << "of 20";
}

TEST_F(CommonChanges, FiveNightsOfHistoryAreEnough) {
  nights(6);
  nights(3, [](auto, auto) { return 0.3; });
  ASSERT_THAT(of_stage(CommonStage::kConfirmed), SizeIs(1)) << story();
}

TEST_F(CommonChanges, OneBadNightRecovers) {
  nights(20);
  nights(1, [](std::size_t model, std::size_t backend) {
    return (model + backend) % 3 == 0 ? 0 : 0.3;
  });
  ASSERT_THAT(of_stage(CommonStage::kConfirmed), SizeIs(1)) << story();
  nights(3);
  ASSERT_THAT(of_stage(CommonStage::kRecovered), SizeIs(1)) << story();
  EXPECT_EQ(of_stage(CommonStage::kRecovered)[0].end, 21u);
}

TEST_F(CommonChanges, ABackendBesideTheOthersIsTheBackends) {
  nights(20);
  nights(3, [](std::size_t, std::size_t backend) { return backend == 2 ? 0.08 : 0; });
  const auto found = of_stage(CommonStage::kConfirmed);
  ASSERT_THAT(found, SizeIs(1)) << story();
  EXPECT_EQ(found[0].scope, CommonScope::kBackend);
  EXPECT_EQ(found[0].backend, 2u);
  EXPECT_THAT(found[0].members, SizeIs(kModels));
}

TEST_F(CommonChanges, AModelsOwnStepIsNoCommonChangeAndIsLeft) {
  nights(20);
  nights(10, [](std::size_t model, std::size_t) { return model == 4 ? 0.3 : 0; });
  EXPECT_THAT(of_stage(CommonStage::kConfirmed), IsEmpty()) << story();
  EXPECT_NEAR(judged(4, 0), 1.3, 0.05);
  EXPECT_NEAR(judged(5, 0), 1, 0.05);
}

TEST_F(CommonChanges, TwoModelsOfManyAreNotTheMachine) {
  nights(20);
  // The third has a change of its own, without which too few have moved.
  nights(10, [](std::size_t model, std::size_t backend) {
    return model == 4 ? 0.18 : model == 7 ? 0.11 : model == 8 && backend == 0 ? 0.05 : 0;
  });
  for (const CommonChange& change : of_stage(CommonStage::kConfirmed)) {
    EXPECT_NE(change.scope, CommonScope::kMachine) << story();
  }
  EXPECT_NEAR(judged(4, 1), 1.18, 0.05);
  EXPECT_NEAR(judged(7, 1), 1.11, 0.05);
}

TEST_F(CommonChanges, AModelsOwnStepStandsOutOfASlowerMachine) {
  nights(20);
  nights(5, [](std::size_t model, std::size_t) { return 0.1 + (model == 4 ? 0.3 : 0); });
  ASSERT_THAT(of_stage(CommonStage::kConfirmed), SizeIs(1)) << story();
  EXPECT_NEAR(judged(4, 0), 1.3, 0.06);
  EXPECT_NEAR(judged(5, 0), 1, 0.06);
}

TEST_F(CommonChanges, NightsSinceTheOnsetAreJudgedAgain) {
  nights(20);
  nights(1, [](std::size_t, std::size_t backend) { return backend == 1 ? 0.05 : 0; });
  std::size_t first = 0;
  for (int i = 0; i < 4 && of_stage(CommonStage::kConfirmed).empty(); ++i) {
    nights(1, [](std::size_t, std::size_t backend) { return backend == 1 ? 0.05 : 0; });
    first = detector_.judged().front().night;
  }
  ASSERT_THAT(of_stage(CommonStage::kConfirmed), SizeIs(1)) << story();
  EXPECT_LE(first, 20u);
}

TEST_F(CommonChanges, MachinesThatTakeTurnsAreNoEventForLong) {
  const auto second = [](std::size_t model, std::size_t backend) {
    return -0.15 + 0.02 * static_cast<double>(model) - 0.03 * static_cast<double>(backend);
  };
  for (int turn = 0; turn < 8; ++turn) {
    nights(2 + turn % 3);
    nights(1 + turn % 2, second);
  }
  const double on_second = judged(7, 1);
  nights(2);
  EXPECT_NEAR(judged(7, 1), on_second, 0.05) << "as if it had been one machine";
  EXPECT_THAT(of_stage(CommonStage::kConfirmed), IsEmpty()) << story();
}

TEST_F(CommonChanges, WithoutSeriesEnoughNothingIsTold) {
  CommonChangeDetector few;
  for (std::size_t m = 0; m < 2; ++m) few.add_series(m, 0);
  for (std::size_t n = 0; n < 40; ++n) {
    const double level = n < 30 ? 1 : 2;
    few.add(n, std::vector<CommonChangeDetector::Value>{{0, level}, {1, level}});
    EXPECT_FLOAT_EQ(static_cast<float>(few.judged().back().levels[0]), static_cast<float>(level));
  }
  EXPECT_THAT(few.changes(), IsEmpty());
}

TEST_F(CommonChanges, ANewEnvironmentBeginsAnew) {
  nights(20);
  detector_.restart();
  nights(10, [](auto, auto) { return 0.5; });
  EXPECT_THAT(of_stage(CommonStage::kConfirmed), IsEmpty()) << story();
}

TEST_F(CommonChanges, ANewEnvironmentDuringAChangeLeavesTheNextNightsJudged) {
  nights(20);
  nights(2, [](auto, auto) { return 0.3; });
  ASSERT_THAT(of_stage(CommonStage::kConfirmed), SizeIs(1)) << story();
  detector_.restart();
  nights(10);
  nights(2, [](auto, auto) { return 0.3; });
  EXPECT_THAT(of_stage(CommonStage::kConfirmed), SizeIs(2)) << "the next one is seen: " << story();
}

}  // namespace
}  // namespace benchhud::analysis
