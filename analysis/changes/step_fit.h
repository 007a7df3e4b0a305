// Two levels that a cut makes of nights: how they are measured, where the cut lies, and what else
// may explain the nights.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace benchhud::analysis {

/// Standard deviations beyond which a night is far off: it has no weight for its level.
inline constexpr double kFarOff = 4;
/// Standard deviations that a night is off by at most where it is asked how well a level fits.
inline constexpr double kFarthest = 3;

/// Nights, oldest first, each with one over its variance.
struct WeightedNights {
  std::span<const double> values, weights;  ///< as many

  std::size_t size() const { return values.size(); }
  WeightedNights between(std::size_t begin, std::size_t end) const {
    return {values.subspan(begin, end - begin), weights.subspan(begin, end - begin)};
  }
};

struct Level {
  double mean = 0;     ///< Tukey's biweight mean, each night by its weight
  double squares = 0;  ///< of the nights' distances from it, in standard deviations of each
  double weight = 0;   ///< of all nights: one over the variance of their mean
  std::size_t count = 0;
};
/// `nights`: one at least.
Level level_of(const WeightedNights& nights);

/// The level's mean where each night has the same weight. `values`: one at least.
double biweight_mean(std::span<const double> values, double weight);

/// Two levels that meet at a cut.
struct Step {
  Level before, after;

  /// The first night of `after`, of those that both are of.
  std::size_t at() const { return before.count; }
  double level(std::size_t night) const { return night < at() ? before.mean : after.mean; }
};

/// Where a cut lies, in nights.
struct Place {
  std::size_t at = 0;
  std::size_t earliest = 0, latest = 0;  ///< at 95 %
};
/// Where the nights change from one level to the other, `fewest` from either end at least: the cut
/// whose neighbourhood of kNear nights either way is the likeliest, all cuts being equally likely
/// beforehand. The likeliest single cut is further off more often, where noise makes several nearly
/// as likely. Distances from a level follow Student's t distribution. Of `step` the two
/// means count.
Place likeliest_place(const WeightedNights& nights, const Step& step, std::size_t fewest);
inline constexpr std::size_t kNear = 2;

/// Whether a straight line explains the nights better than the step does, by a tenth of the squares
/// that are left: the level creeps, and any cut of it would look like a change.
bool is_creeping(const WeightedNights& nights, const Step& step);

/// The nights' values with a lean taken out, as if all were what the last of them are by it: what
/// the next night is to be measured by. As they are where a straight line does not explain them
/// better than one level does, by as much.
std::vector<double> without_lean(const WeightedNights& nights);

/// How often as many of the shorter side's nights are far off the longer side's level as are, in
/// one of `places`, if that side's own nights are as often: spikes, not a level. 0 if the levels
/// are not far apart, or none of the longer side's nights is.
double spikes_p_value(const WeightedNights& nights, const Step& step, std::size_t places);

}  // namespace benchhud::analysis
