#include "analysis/changes/noise_class.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "tests/eval/made_up_noise.h"

namespace benchhud::analysis {
namespace {

std::string_view class_of(const std::vector<Night>& nights) {
  return noise_class_name(noise_class(nights, find_changes(nights)));
}

// Nights by so much, and what else they are.
template <class Level>
std::vector<Night> nights(std::size_t count, double noise, Level level, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Night> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back({level(i) + noise * normal(random)});
  return made;
}
constexpr auto kOneLevel = [](std::size_t) { return 0.0; };

TEST(NoiseClass, EachOne) {
  EXPECT_EQ(class_of(nights(60, 0.01, kOneLevel)), "stable");
  EXPECT_EQ(class_of(nights(60, 0.08, kOneLevel)), "high_deviation");
  EXPECT_EQ(class_of(nights(60, 0.005, [](std::size_t i) { return i * 7 % 10 < 4 ? 0.1 : 0.0; })),
            "bimodal");
  EXPECT_EQ(class_of(nights(60, 0.01, [](std::size_t i) { return i % 20 == 13 ? 0.5 : 0.0; })),
            "spiky");
  EXPECT_EQ(class_of(nights(60, 0.01, [](std::size_t i) { return 0.001 * i; })), "drifting");
}

TEST(NoiseClass, OfSeriesThatWereMadeUpAsSuch) {
  for (const auto& [kind, name] : {std::pair(eval::NoiseKind::kGaussian, "stable"),
                                   std::pair(eval::NoiseKind::kBimodal, "bimodal"),
                                   std::pair(eval::NoiseKind::kSpiky, "spiky")}) {
    std::size_t hits = 0;
    for (std::uint64_t number = 0; number < 40; ++number) {
      hits += class_of(eval::made_up_series(kind, 400, number)) == name ? 1 : 0;
    }
    EXPECT_GE(hits, 36u) << name;
  }
}

TEST(NoiseClass, AChangeOfLevelIsNoNoise) {
  EXPECT_EQ(class_of(nights(60, 0.01, [](std::size_t i) { return i < 30 ? 0.0 : 0.3; })), "stable");
  // The last level alone drifts or does not.
  const auto before = [](std::size_t i) { return i < 40 ? 0.002 * i : 0.5; };
  EXPECT_EQ(class_of(nights(80, 0.005, before)), "stable");
  const auto behind = [](std::size_t i) { return i < 40 ? 0.5 : 0.0008 * i; };
  EXPECT_EQ(class_of(nights(80, 0.004, behind)), "drifting");
}

TEST(NoiseClass, FewNightsTellNoMoreThanTheirDeviation) {
  EXPECT_EQ(noise_class({}, {}), NoiseClass::kStable);
  const auto spiky = [](std::size_t i) { return i % 3 == 1 ? 0.5 : 0.0; };
  EXPECT_EQ(class_of(nights(7, 0.001, spiky)), "high_deviation");
  EXPECT_EQ(class_of(nights(7, 0.001, [](std::size_t i) { return 0.01 * i; })), "stable");
  EXPECT_EQ(class_of(nights(100, 0, kOneLevel)), "stable");
}

TEST(NoiseClass, EachHasANameAndAMeaningOfItsOwn) {
  std::set<std::string_view> names, meanings;
  for (const NoiseClass noise : {NoiseClass::kBimodal, NoiseClass::kSpiky, NoiseClass::kDrifting,
                                 NoiseClass::kHighDeviation, NoiseClass::kStable}) {
    names.insert(noise_class_name(noise));
    meanings.insert(noise_class_meaning(noise));
  }
  EXPECT_EQ(names.size(), 5u);
  EXPECT_EQ(meanings.size(), 5u);
  EXPECT_FALSE(names.contains("") || meanings.contains(""));
}

}  // namespace
}  // namespace benchhud::analysis
