#include "analysis/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>

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

  Series young(0.002);
  const Changes two = find_changes(young.add(50, 1).add(2, 2).nights());
  EXPECT_THAT(two.found, IsEmpty());

  Series lone(0.01);
  lone.add(50, 1).add(1, 5).add(50, 1);
  EXPECT_THAT(find_changes(lone.nights()).found, IsEmpty());
  EXPECT_THAT(find_changes(std::vector<Night>(3)).found, IsEmpty());
}

// The series of shared/data/changepoint: another program's nightly tests, with steps put into them.
class RealSeries : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::path folder = std::filesystem::path(BENCHHUD_TEST_DATA);
    for (int up = 0; up < 6 && !std::filesystem::exists(folder / "shared"); ++up) {
      folder = folder.parent_path();
    }
    folder_ = folder / "shared/data/changepoint/sap_hana";
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << "shared/data/changepoint is not here";
  }

  // A group of measurements a build.
  const std::vector<std::vector<double>>& builds(const std::string& name) {
    auto& known = builds_[name];
    if (!known.empty()) return known;
    std::ifstream in(folder_ / "small" / name);
    std::map<long, std::vector<double>> by_build;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      long index = 0, build = 0;
      double value = 0;
      if (std::sscanf(line.c_str(), "%ld,%ld,%lf", &index, &build, &value) == 3) {
        by_build[build].push_back(value);
      }
    }
    for (auto& [build, values] : by_build) known.push_back(std::move(values));
    return known;
  }

  std::vector<Night> nights(const std::string& name, std::size_t at = SIZE_MAX, double step = 0) {
    std::vector<Night> nights;
    for (std::vector<double> values : builds(name)) {
      if (nights.size() >= at) {
        for (double& value : values) value *= 1 + step;
      }
      nights.push_back(*night_of(values));
    }
    return nights;
  }

  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::vector<double>>> builds_;
};

TEST_F(RealSeries, StepsAreFoundAndNothingElse) {
  const auto cases = nlohmann::json::parse(std::ifstream(folder_ / "injected.json"));
  int hits = 0, others = 0;
  std::set<std::string> names;
  for (const auto& one : cases["offline"]) {
    const std::string name = one["series"];
    names.insert(name);
    const auto at = one["build_index"].get<std::size_t>();
    bool is_hit = false;
    for (const ChangePoint& change : find_changes(nights(name, at, one["step"])).found) {
      if (change.effect <= 0) continue;
      const bool is_near = std::max(change.at, at) - std::min(change.at, at) <= 2;
      others += is_hit || !is_near;
      is_hit |= is_near;
    }
    hits += is_hit;
  }
  const double precision = hits / static_cast<double>(hits + others);
  const double recall = hits / static_cast<double>(cases["offline"].size());
  EXPECT_GT(2 * precision * recall / (precision + recall), 0.80);
  EXPECT_GT(precision, 0.95);
  for (const std::string& name : names) {
    for (const ChangePoint& change : find_changes(nights(name)).found) {
      EXPECT_LE(change.effect, 0) << name << " at " << change.at;
    }
  }
}

}  // namespace
}  // namespace benchhud::analysis
