#include "analysis/alerts/drift_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace benchhud::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class Creeping {
 public:
  /// Nights of a level that grows by `slope` a night.
  Creeping& add(int nights, double slope, double step = 0) {
    level_ += step;
    for (int i = 0; i < nights; ++i) {
      level_ += slope;
      series_.add({level_ + 0.01 * normal_(random_), 0, 8}, number_);
      for (std::size_t k = 0; k < series_.changes().size() && confirms; ++k) {
        if (series_.changes()[k].is_candidate()) series_.decide(k, number_, 0);
      }
      ++number_;
      changed_ =
          watch_.look(series_, schema::Direction::kLowerIsBetter, pinned_, wander) || changed_;
    }
    return *this;
  }
  Creeping& pin(std::size_t number) {
    pinned_.push_back(number);
    return *this;
  }
  std::span<const WatchedDrift> drifts() const { return watch_.drifts(); }
  const TimingChangeDetector& series() const { return series_; }

  double wander = 0;      ///< of the fleet
  bool confirms = false;  ///< whether every candidate is sure

 private:
  std::mt19937_64 random_{7};
  std::normal_distribution<double> normal_;
  double level_ = 0;
  std::size_t number_ = 0;
  bool changed_ = false;
  TimingChangeDetector series_{ChangeRules()};
  DriftDetector watch_;
  std::vector<std::size_t> pinned_;
};

TEST(DriftDetector, WhereLevelsWanderAnywayItTakesMore) {
  Creeping calm;
  calm.add(250, 0.0006);
  ASSERT_FALSE(calm.drifts().empty());
  Creeping wandering;
  wandering.wander = 0.3;
  wandering.add(250, 0.0006);
  EXPECT_THAT(wandering.drifts(), IsEmpty());
}

TEST(DriftDetector, TellsWhatNoSingleNightDid) {
  Creeping series;
  series.add(250, 0.0006);
  double explained = 0;
  for (const WatchedChange& change : series.series().changes()) {
    if (!change.withdrawn) explained += change.point.after - change.point.before;
  }
  double drifted = 0;
  for (const WatchedDrift& drift : series.drifts()) drifted += drift.after - drift.before;
  // Steps that a creeping series was cut into, and drift, come to what it crept.
  EXPECT_GT(explained + drifted, 0.08);
  EXPECT_LT(explained + drifted, 0.2);
}

TEST(DriftDetector, KeepsQuietAboutNoiseAndKnownChanges) {
  Creeping quiet;
  EXPECT_THAT(quiet.add(400, 0).drifts(), IsEmpty());
  Creeping step;
  step.confirms = true;
  step.add(100, 0).add(200, 0, 0.2);
  EXPECT_THAT(step.series().changes(), SizeIs(1));
  EXPECT_THAT(step.drifts(), IsEmpty());
  Creeping faster;
  EXPECT_THAT(faster.add(300, -0.0006).drifts(), IsEmpty());
}

TEST(DriftDetector, ComparesWithPinnedNights) {
  Creeping series;
  series.add(30, -0.003).pin(40).add(30, 0).add(200, 0.0004);
  ASSERT_FALSE(series.drifts().empty());
  for (const WatchedDrift& drift : series.drifts()) EXPECT_GT(drift.after, drift.before);
}

TEST(DriftDetector, IsOverWhenHalfOfItIsGone) {
  Creeping series;
  series.add(300, 0.0003).add(50, 0);
  ASSERT_THAT(series.drifts(), SizeIs(1));
  EXPECT_FALSE(series.drifts().front().recovered);
  series.add(250, -0.0004);
  EXPECT_TRUE(series.drifts().front().recovered);
}

}  // namespace
}  // namespace benchhud::analysis
