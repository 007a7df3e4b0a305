#include "analysis/statistics/robust_segmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::size_t> segment(const std::vector<double>& values, double cut = 3,
                                 double penalty = 10) {
  return segment_robustly(values, std::vector<double>(values.size(), 1.0), cut, penalty);
}

std::vector<double> levels(std::initializer_list<std::pair<double, int>> parts) {
  std::vector<double> values;
  for (const auto& [level, count] : parts) values.insert(values.end(), count, level);
  return values;
}

TEST(RobustSegmentation, CutsWhereTheLevelChanges) {
  EXPECT_THAT(segment(levels({{0, 20}, {10, 20}})), ElementsAre(20));
  EXPECT_THAT(segment(levels({{0, 8}, {10, 3}, {0, 9}})), ElementsAre(8, 11));
  EXPECT_THAT(segment(levels({{1e9, 20}, {1e9 + 10, 20}})), ElementsAre(20));
}

TEST(RobustSegmentation, OutliersAreNoLevels) {
  // One or two cost less than two changes, however far out.
  EXPECT_THAT(segment(levels({{0, 10}, {1e6, 1}, {0, 10}, {-50, 2}, {0, 10}})), IsEmpty());
  EXPECT_THAT(segment(levels({{0, 20}, {1e6, 1}})), IsEmpty());
}

TEST(RobustSegmentation, ShortOrConstantSeriesHaveNone) {
  EXPECT_THAT(segment({}), IsEmpty());
  EXPECT_THAT(segment({1}), IsEmpty());
  EXPECT_THAT(segment(levels({{3, 50}})), IsEmpty());
  EXPECT_THAT(segment({0, 0}), IsEmpty());
}

TEST(RobustSegmentation, ANightThatIsUnsureCountsLess) {
  const std::vector<double> values = levels({{0, 10}, {4, 3}});
  std::vector<double> weights(values.size(), 1.0);
  EXPECT_THAT(segment_robustly(values, weights, 3, 10), ElementsAre(10));
  std::fill(weights.begin() + 10, weights.end(), 0.05);
  EXPECT_THAT(segment_robustly(values, weights, 3, 10), IsEmpty());
}

// What a level explains worst, at the best of many levels.
double cost_of(const std::vector<double>& values, std::size_t begin, std::size_t end, double cut) {
  double least = std::numeric_limits<double>::infinity();
  for (double level = -8; level <= 8; level += 0.002) {
    double cost = 0;
    for (std::size_t i = begin; i < end; ++i) {
      cost += std::min((values[i] - level) * (values[i] - level), cut * cut);
    }
    least = std::min(least, cost);
  }
  return least;
}

TEST(RobustSegmentation, NoOtherCutCostsLess) {
  constexpr std::size_t kLength = 9;
  constexpr double kCut = 2, kPenalty = 3;
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> values;
    for (std::size_t i = 0; i < kLength; ++i) {
      values.push_back(static_cast<double>(random() % 9) - 4);
    }
    std::vector<std::vector<double>> part(kLength, std::vector<double>(kLength + 1));
    for (std::size_t begin = 0; begin < kLength; ++begin) {
      for (std::size_t end = begin + 1; end <= kLength; ++end) {
        part[begin][end] = cost_of(values, begin, end, kCut);
      }
    }
    const auto total = [&](const std::vector<std::size_t>& cuts) {
      double cost = kPenalty * static_cast<double>(cuts.size());
      std::size_t begin = 0;
      for (const std::size_t cut : cuts) {
        cost += part[begin][cut];
        begin = cut;
      }
      return cost + part[begin][kLength];
    };
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t chosen = 0; chosen < (1U << (kLength - 1)); ++chosen) {
      std::vector<std::size_t> cuts;
      for (std::size_t i = 1; i < kLength; ++i) {
        if (chosen >> (i - 1) & 1) cuts.push_back(i);
      }
      least = std::min(least, total(cuts));
    }
    EXPECT_NEAR(total(segment(values, kCut, kPenalty)), least, 1e-3) << round;
  }
}

// Noise with up to three steps and bumps of up to five deviations.
TEST(MayHaveChanges, TellsThemAndIsQuietOfNoise) {
  constexpr double kCut = 3.5;
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise;
  int cut = 0, missed = 0, quiet = 0, told = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t length = 8 + random() % 100;
    std::vector<double> values(length);
    for (double& value : values) value = noise(random);
    const std::size_t changes = random() % 4;
    for (std::size_t k = 0; k < changes; ++k) {
      const std::size_t at = random() % length;
      const std::size_t end = random() % 2 == 0 ? length : std::min(length, at + 1 + random() % 20);
      const double by = static_cast<double>(random() % 1000) / 100 - 5;
      for (std::size_t i = at; i < end; ++i) values[i] += by;
    }
    const std::vector<double> weights(length, 1.0);
    const double penalty = 5 * std::log(static_cast<double>(length));
    const bool may = may_have_changes(values, weights, kCut, penalty);
    if (!segment_robustly(values, weights, kCut, penalty).empty()) {
      ++cut;
      missed += may ? 0 : 1;
    } else if (changes == 0) {
      ++quiet;
      told += may ? 1 : 0;
    }
  }
  EXPECT_GT(cut, 800);
  EXPECT_LE(missed, 1);
  EXPECT_GT(quiet, 400);
  EXPECT_LT(told, quiet / 5);
}

TEST(MayHaveChanges, ShortAndConstantSeriesHaveNone) {
  EXPECT_FALSE(may_have_changes({}, {}, 3, 10));
  const std::vector<double> values(50, 3.0), weights(50, 1.0);
  EXPECT_FALSE(may_have_changes(values, weights, 3, 10));
}

}  // namespace
}  // namespace benchhud::analysis
