#include "analysis/statistics/robust_segmentation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

// The least cost of the series so far if its last level lies in [low, high): a (level)² + b level +
// c, with the last change at `change`.
struct Piece {
  double low = 0, high = 0;
  double a = 0, b = 0, c = 0;
  std::size_t change = 0;

  double at(double level) const { return (a * level + b) * level + c; }

  // Most pieces rise or fall all the way: only what turns within it takes a division.
  double cheapest() const {
    if (a <= 0 || 2 * a * low + b >= 0) return low;
    if (2 * a * high + b <= 0) return high;
    return std::clamp(-b / (2 * a), low, high);
  }

  bool continues(const Piece& before) const {
    return low == before.high && a == before.a && b == before.b && c == before.c &&
           change == before.change;
  }
};

// The cost as a function of the last level.
class LevelCost {
 public:
  LevelCost(double low, double high) : pieces_{{low, high}} {}

  /// Adds what a value costs at each level.
  void add(double value, double weight, double cut) {
    const double reach = cut / std::sqrt(weight);
    next_.clear();
    const double from = value - reach, to = value + reach;
    const double linear = 2 * weight * value, square = weight * value * value, most = cut * cut;
    for (Piece& piece : pieces_) {
      // Most pieces lie on one side of where the value reaches, whole: which one is not to be
      // guessed, so both are reckoned without a branch.
      const bool is_inside = piece.low >= from && piece.high <= to;
      if (is_inside || piece.high <= from || piece.low >= to) {
        piece.a += is_inside ? weight : 0;
        piece.b -= is_inside ? linear : 0;
        piece.c += is_inside ? square : most;
        next_.push_back(piece);
        continue;
      }
      const std::array ends{piece.low, std::clamp(from, piece.low, piece.high),
                            std::clamp(to, piece.low, piece.high), piece.high};
      for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        Piece part = piece;
        part.low = ends[i];
        part.high = ends[i + 1];
        if (i == 1) {
          part.a += weight;
          part.b -= linear;
          part.c += square;
        } else {
          part.c += most;
        }
        put(part);
      }
    }
    pieces_.swap(next_);
  }

  struct Least {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t change = 0;
  };
  Least least() const {
    Least least;
    for (const Piece& piece : pieces_) {
      const double cost = piece.at(piece.cheapest());
      // A later change wins where costs are equal: pieces of equal cost differ by rounding only.
      if (cost < least.cost || (cost == least.cost && piece.change > least.change)) {
        least = {cost, piece.change};
      }
    }
    return least;
  }

  /// A change at `at` is possible for `cost`, whatever the level was before.
  void allow_change(std::size_t at, double cost) {
    next_.clear();
    for (const Piece& piece : pieces_) {
      const auto [from, to] = where_below(piece, cost);
      put({piece.low, from, 0, 0, cost, at});
      Piece kept = piece;
      kept.low = from;
      kept.high = to;
      put(kept);
      put({to, piece.high, 0, 0, cost, at});
    }
    pieces_.swap(next_);
  }

 private:
  // The part of the piece where it costs no more than `cost`; empty, at its end, if nowhere.
  static std::pair<double, double> where_below(const Piece& piece, double cost) {
    const std::pair whole(piece.low, piece.high), nowhere(piece.high, piece.high);
    // A parabola that is below at both ends is so between them: most are, and need no root.
    if (piece.at(piece.low) <= cost && piece.at(piece.high) <= cost) return whole;
    if (piece.a <= 0) return nowhere;
    const double discriminant = piece.b * piece.b - 4 * piece.a * (piece.c - cost);
    if (!(discriminant > 0)) return nowhere;
    const double root = std::sqrt(discriminant);
    const double from = std::clamp((-piece.b - root) / (2 * piece.a), piece.low, piece.high);
    const double to = std::clamp((-piece.b + root) / (2 * piece.a), piece.low, piece.high);
    return from < to ? std::pair(from, to) : nowhere;
  }

  void put(const Piece& piece) {
    if (!(piece.low < piece.high)) return;
    if (!next_.empty() && piece.continues(next_.back())) {
      next_.back().high = piece.high;
    } else {
      next_.push_back(piece);
    }
  }

  std::vector<Piece> pieces_, next_;
};

}  // namespace

std::vector<std::size_t> segment_robustly(std::span<const double> values,
                                          std::span<const double> weights, double cut,
                                          double penalty) {
  if (values.size() < 2) return {};
  // Squares of levels far from zero would lose what tells them apart.
  const double origin = values[values.size() / 2];
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double margin = std::max(*most - *least, std::numeric_limits<double>::min());
  LevelCost cost(*least - origin - margin, *most - origin + margin);
  // Of each beginning of the series the last change.
  std::vector<std::size_t> last_change(values.size() + 1, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    cost.add(values[i] - origin, weights[i], cut);
    const LevelCost::Least best = cost.least();
    last_change[i + 1] = best.change;
    cost.allow_change(i + 1, best.cost + penalty);
  }
  std::vector<std::size_t> changes;
  for (std::size_t at = last_change.back(); at > 0; at = last_change[at]) changes.push_back(at);
  std::reverse(changes.begin(), changes.end());
  return changes;
}

bool may_have_changes(std::span<const double> values, std::span<const double> weights, double cut,
                      double penalty) {
  const std::size_t n = values.size();
  if (n < 2) return false;
  const double middle = median(values);
  // How far off values are, times their weights: none more than `cut` deviations.
  std::vector<double> off(n);
  double off_sum = 0, weight_sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double most = cut / std::sqrt(weights[i]);
    off[i] = std::clamp(values[i] - middle, -most, most);
    off_sum += weights[i] * off[i];
    weight_sum += weights[i];
  }
  const double level = off_sum / weight_sum;
  std::vector<double> sums(n + 1), weight_sums(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    sums[i + 1] = sums[i] + weights[i] * (off[i] - level);
    weight_sums[i + 1] = weight_sums[i] + weights[i];
  }
  // What a run gains by a level of its own is its sum squared by its weight. All of them add up to
  // nothing, so both sides of a cut are off by the same sum.
  constexpr double kOfCut = 0.75, kOfRun = 0.55;
  for (std::size_t i = 1; i < n; ++i) {
    const double before = weight_sums[i], after = weight_sum - before;
    if (sums[i] * sums[i] * weight_sum > kOfCut * penalty * before * after) return true;
  }
  for (std::size_t length = 2; length <= n / 2; length += std::max<std::size_t>(1, length / 2)) {
    double most = 0;
    for (std::size_t i = 0; i + length <= n; ++i) {
      const double sum = sums[i + length] - sums[i];
      most =
          std::max(most, sum * sum - kOfRun * penalty * (weight_sums[i + length] - weight_sums[i]));
    }
    if (most > 0) return true;
  }
  return false;
}

}  // namespace benchhud::analysis
