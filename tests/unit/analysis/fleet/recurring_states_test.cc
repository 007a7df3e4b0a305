#include "analysis/fleet/recurring_states.h"

#include <gmock/gmock.h>

#include <random>
#include <vector>

namespace benchhud::analysis {
namespace {

class States : public testing::Test {
 protected:
  // Nights of 30 series; `is_second`: those that a second machine timed, by its effects.
  NightMatrix nights(const std::vector<bool>& is_second, double size = 0.15) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    effects_.clear();
    for (int i = 0; i < 30; ++i) effects_.push_back(size * normal(random) - size);
    rows_.assign(is_second.size(), {});
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      for (const double effect : effects_) {
        rows_[n].push_back(static_cast<float>(0.01 * normal(random) + (is_second[n] ? effect : 0)));
      }
    }
    return {rows_.begin(), rows_.end()};
  }
  std::optional<std::vector<bool>> find(const NightMatrix& nights) const {
    return find_state(nights, 30);
  }

  std::vector<std::vector<float>> rows_;
  std::vector<double> effects_;
};

TEST_F(States, MachinesThatTakeTurnsAreFound) {
  const std::vector<bool> turns = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0};
  const NightMatrix matrix = nights(turns);
  ASSERT_TRUE(find(matrix));
  EXPECT_EQ(*find(matrix), turns);
  const Effects effects = effects_of_state(matrix, turns, noise_without_turns(matrix, 30));
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(effects.effect[i], effects_[i], 0.04) << i;
}

TEST_F(States, ALastingChangeIsNoState) {
  std::vector<bool> later(20, false);
  for (std::size_t n = 12; n < 20; ++n) later[n] = true;
  EXPECT_FALSE(find(nights(later)));
}

TEST_F(States, OneNightIsNoState) {
  std::vector<bool> one(20, false);
  one[12] = true;
  EXPECT_FALSE(find(nights(one)));
}

TEST_F(States, QuietNightsHaveNone) {
  EXPECT_FALSE(find(nights(std::vector<bool>(30, false))));
  EXPECT_FALSE(find(nights(std::vector<bool>(4, false)))) << "so few";
  EXPECT_FALSE(find_state({}, 0));
}

}  // namespace
}  // namespace benchhud::analysis
