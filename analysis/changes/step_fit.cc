#include "analysis/changes/step_fit.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

#include "analysis/statistics/boost_math_policy.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr int kRounds = 3;           // until a robust mean no longer moves
constexpr int kLineRounds = 5;       // … and a robust line
constexpr double kHuber = 1.5;       // standard deviations beyond which a night pulls no harder
constexpr double kBetterLine = 0.9;  // of a step's squares
// Degrees of freedom of the distribution that a night's distance from its level has, where a place
// is looked for: with heavier tails than a normal one, so that a night far from both levels tells
// little, but tells of levels far from each other which of them it is nearer to.
constexpr double kTail = 5;
constexpr double kOutside = 0.025;  // of what is likely, on either side of a place's interval

using Binomial = boost::math::binomial_distribution<double, DoublePolicy>;

// A night's distance from a level, in standard deviations.
double off_by(const WeightedNights& nights, std::size_t i, double level) {
  return (nights.values[i] - level) * std::sqrt(nights.weights[i]);
}

double bounded_square(double off, double most) { return std::min(off * off, most * most); }

struct Line {
  double origin = 0, slope = 0;
  double at(std::size_t i) const { return origin + slope * static_cast<double>(i); }
};

// Weighted least squares with Huber's weights.
Line robust_line(const WeightedNights& nights) {
  Line line;
  for (int round = 0; round < kLineRounds; ++round) {
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
    const double origin = nights.values[0];  // squares of what is far from zero would lose digits
    for (std::size_t i = 0; i < nights.size(); ++i) {
      double weight = nights.weights[i];
      const double off = std::abs(off_by(nights, i, line.at(i)));
      if (round > 0 && off > kHuber) weight *= kHuber / off;
      const double x = static_cast<double>(i), y = nights.values[i] - origin;
      w += weight;
      wx += weight * x;
      wy += weight * y;
      wxx += weight * x * x;
      wxy += weight * x * y;
    }
    const double spread = wxx - wx * wx / w;
    line.slope = spread > 0 ? (wxy - wx * wy / w) / spread : 0;
    line.origin = origin + (wy - line.slope * wx) / w;
  }
  return line;
}

double squares_left(const WeightedNights& nights, const Line& line) {
  double squares = 0;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    squares += bounded_square(off_by(nights, i, line.at(i)), kFarthest);
  }
  return squares;
}

}  // namespace

Level level_of(const WeightedNights& nights) {
  Level level;
  level.count = nights.size();
  level.mean = median(nights.values);
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < nights.size(); ++i) {
      const double off = off_by(nights, i, level.mean) / kFarOff;
      if (std::abs(off) >= 1) continue;
      const double weight = nights.weights[i] * (1 - off * off) * (1 - off * off);
      sum += weight * nights.values[i];
      weights += weight;
    }
    if (weights > 0) level.mean = sum / weights;
  }
  for (std::size_t i = 0; i < nights.size(); ++i) {
    level.squares += bounded_square(off_by(nights, i, level.mean), kFarthest);
    level.weight += nights.weights[i];
  }
  return level;
}

double biweight_mean(std::span<const double> values, double weight) {
  double mean = median(values);
  const double root = std::sqrt(weight);
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0, weights = 0;
    for (const double value : values) {
      const double off = (value - mean) * root / kFarOff;
      const double near = std::abs(off) >= 1 ? 0 : 1 - off * off;
      const double own = weight * near * near;
      sum += own * value;
      weights += own;
    }
    if (weights > 0) mean = sum / weights;
  }
  return mean;
}

Place likeliest_place(const WeightedNights& nights, const Step& step, std::size_t fewest) {
  // Of the cuts `fewest` from either end, by how far they are from the first of them: the logarithm
  // of how likely each is, beside a common constant.
  std::vector<double> likely{0};
  for (std::size_t i = fewest; i + fewest < nights.size(); ++i) {
    const double after = off_by(nights, i, step.after.mean);
    const double before = off_by(nights, i, step.before.mean);
    const double ratio = (kTail + after * after) / (kTail + before * before);
    likely.push_back(likely.back() + (kTail + 1) / 2 * std::log(ratio));
  }
  const double most_likely = *std::max_element(likely.begin(), likely.end());
  double all = 0;
  for (double& one : likely) all += one = std::exp(one - most_likely);

  // The likelier night decides between neighbourhoods that differ by rounding only.
  constexpr double kOfItself = 1e-3;
  std::size_t best = 0;
  double best_mass = -1;
  for (std::size_t i = 0; i < likely.size(); ++i) {
    const auto first = likely.begin() + static_cast<std::ptrdiff_t>(i - std::min(i, kNear));
    const auto last =
        likely.begin() + static_cast<std::ptrdiff_t>(std::min(i + kNear + 1, likely.size()));
    const double mass = std::accumulate(first, last, kOfItself * likely[i]);
    if (mass > best_mass) {
      best = i;
      best_mass = mass;
    }
  }
  std::size_t earliest = 0, latest = likely.size() - 1;
  for (double mass = likely[earliest]; mass < kOutside * all; mass += likely[++earliest]) {
  }
  for (double mass = likely[latest]; mass < kOutside * all; mass += likely[--latest]) {
  }
  return {fewest + best, fewest + std::min(earliest, best), fewest + std::max(latest, best)};
}

bool is_creeping(const WeightedNights& nights, const Step& step) {
  double of_step = 0;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    of_step += bounded_square(off_by(nights, i, step.level(i)), kFarthest);
  }
  return squares_left(nights, robust_line(nights)) < kBetterLine * of_step;
}

std::vector<double> without_lean(const WeightedNights& nights) {
  std::vector<double> values(nights.values.begin(), nights.values.end());
  const Line line = robust_line(nights);
  if (squares_left(nights, line) >= kBetterLine * level_of(nights).squares) return values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += line.slope * static_cast<double>(values.size() - i);
  }
  return values;
}

double spikes_p_value(const WeightedNights& nights, const Step& step, std::size_t places) {
  const bool is_after_shorter = step.after.count <= step.before.count;
  const Level& level = is_after_shorter ? step.before : step.after;
  const double by = (step.after.mean - step.before.mean) * (is_after_shorter ? 1 : -1);
  const double usual =
      std::sqrt((step.before.weight + step.after.weight) / static_cast<double>(nights.size()));
  if (std::abs(by) * usual < kFarOff) return 0;
  const auto far_off = [&](std::size_t begin, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      count += off_by(nights, i, level.mean) * (by < 0 ? -1 : 1) > kFarOff ? 1 : 0;
    }
    return count;
  };
  const std::size_t left = far_off(0, step.at()), right = far_off(step.at(), nights.size());
  const std::size_t expected = is_after_shorter ? left : right;
  const std::size_t together = is_after_shorter ? right : left;
  const std::size_t shorter = std::min(step.before.count, step.after.count);
  if (expected == 0) return 0;
  const double share = static_cast<double>(expected) / static_cast<double>(level.count);
  if (share >= 1) return 1;
  const Binomial binomial(static_cast<double>(shorter), share);
  const double p_value =
      together == 0
          ? 1
          : boost::math::cdf(boost::math::complement(binomial, static_cast<double>(together) - 1));
  return std::min(1.0, static_cast<double>(places) * p_value);
}

}  // namespace benchhud::analysis
