#include "analysis/fleet/usual_scatter.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <random>

namespace benchhud::analysis {
namespace {

TEST(MeanScatter, LearnsWhatSeriesHaveInCommon) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  MeanScatter independent(0.05), alike(0.05);
  for (int night = 0; night < 60; ++night) {
    const double own = normal(random) / std::sqrt(40.0), common = 0.5 * normal(random);
    independent.learn(std::array{MeanScatter::Mean{own, 40}});
    alike.learn(std::array{MeanScatter::Mean{own + common, 40}});
  }
  EXPECT_LT(independent.deviation(40), 0.25);
  EXPECT_GT(alike.deviation(40), 0.35);
}

TEST(MeanScatter, OneNightThatIsFarOffTeachesLittle) {
  MeanScatter scatter(0.05);
  for (int night = 0; night < 30; ++night) scatter.learn(std::array{MeanScatter::Mean{0.1, 40}});
  const double before = scatter.deviation(40);
  scatter.learn(std::array{MeanScatter::Mean{3, 40}});
  EXPECT_LT(scatter.deviation(40), 1.3 * before);
  scatter.learn({});
  EXPECT_LT(scatter.deviation(40), 1.3 * before) << "a night without series teaches nothing";
}

TEST(UsualDisagreement, IsStandardBesidePastNights) {
  UsualDisagreement usual;
  EXPECT_GT(usual.standard(4, 40), 3) << "assumed, where there are none";
  for (int night = 0; night < 60; ++night) usual.learn(3 + 0.2 * (night % 5 - 2));
  EXPECT_NEAR(usual.standard(3, 40), 0, 1.2);
  EXPECT_GT(usual.standard(6, 40), 4);
}

}  // namespace
}  // namespace benchhud::analysis
