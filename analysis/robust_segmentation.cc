#include "analysis/robust_segmentation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/summary.h"

namespace benchhud::analysis {
namespace {

// The least cost of the series so far if its last level lies in [low, high): a (level)² + b level +
// c, with the last change at `change`.
struct Piece {
  double low = 0, high = 0;
  double a = 0, b = 0, c = 0;
  std::size_t change = 0;

  double at(double level) const { return (a * level + b) * level + c; }
  // Of the least cost, whether it may be as little as `cost`: told without the division.
  bool may_cost(double cost) const {
    if (2 * a * low + b >= 0) return at(low) <= cost;
    if (2 * a * high + b <= 0) return at(high) <= cost;
    return 4 * a * (c - cost) <= b * b;
  }
  double least() const {
    if (2 * a * low + b >= 0) return at(low);
    if (2 * a * high + b <= 0) return at(high);
    return c - b * b / (4 * a);
  }
  bool continues(const Piece& before) const {
    return c == before.c && a == before.a && b == before.b && change == before.change &&
           low == before.high;
  }
};

// The cost as a function of the last level.
class LevelCost {
 public:
  LevelCost(double low, double high, double cut) : cut_(cut), pieces_{{low, high}} {}

  struct Least {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t change = 0;
  };

  /// Adds what a value costs at each level, the one at `place`; before it a change is possible for
  /// `change_cost`, whatever the level was before.
  Least add(double value, double weight, std::size_t place, double change_cost) {
    const Value added{value, weight, cut_ / std::sqrt(weight)};
    least_ = {};
    next_.clear();
    for (const Piece& piece : pieces_) {
      const auto [from, to] = where_below(piece, change_cost);
      put({piece.low, from, 0, 0, change_cost, place}, added);
      put({from, to, piece.a, piece.b, piece.c, piece.change}, added);
      put({to, piece.high, 0, 0, change_cost, place}, added);
    }
    pieces_.swap(next_);
    return least_;
  }

 private:
  struct Value {
    double value, weight, reach;
  };

  // The part of the piece where it costs no more than `cost`; empty, at its end, if nowhere.
  static std::pair<double, double> where_below(const Piece& piece, double cost) {
    const std::pair everywhere(piece.low, piece.high), nowhere(piece.high, piece.high);
    // What is below at both ends is so between them; most pieces are.
    const bool starts_below = piece.at(piece.low) <= cost;
    const bool ends_below = piece.at(piece.high) <= cost;
    if (starts_below && ends_below) return everywhere;
    if (piece.a <= 0) return nowhere;
    const double discriminant = piece.b * piece.b - 4 * piece.a * (piece.c - cost);
    if (!(discriminant > 0)) return nowhere;
    const double root = std::sqrt(discriminant), half = 0.5 / piece.a;
    const double from =
        starts_below ? piece.low : std::clamp((-piece.b - root) * half, piece.low, piece.high);
    const double to =
        ends_below ? piece.high : std::clamp((-piece.b + root) * half, piece.low, piece.high);
    return from < to ? std::pair(from, to) : nowhere;
  }

  void put(const Piece& piece, const Value& added) {
    if (!(piece.low < piece.high)) return;
    const double from = added.value - added.reach, to = added.value + added.reach;
    // Most pieces lie on one side of where the value reaches, whole.
    if (piece.low >= from && piece.high <= to) {
      keep_near(piece, added);
    } else if (piece.high <= from || piece.low >= to) {
      keep_far(piece);
    } else {
      Piece part = piece;
      part.high = std::clamp(from, piece.low, piece.high);
      if (part.low < part.high) keep_far(part);
      part.low = part.high;
      part.high = std::clamp(to, piece.low, piece.high);
      if (part.low < part.high) keep_near(part, added);
      part.low = part.high;
      part.high = piece.high;
      if (part.low < part.high) keep_far(part);
    }
  }

  void keep_near(const Piece& piece, const Value& added) {
    const double by = added.weight * added.value;
    keep({piece.low, piece.high, piece.a + added.weight, piece.b - 2 * by,
          piece.c + by * added.value, piece.change});
  }

  void keep_far(const Piece& piece) {
    keep({piece.low, piece.high, piece.a, piece.b, piece.c + cut_ * cut_, piece.change});
  }

  void keep(const Piece& piece) {
    if (!next_.empty() && piece.continues(next_.back())) {
      next_.back().high = piece.high;
    } else {
      next_.push_back(piece);
    }
    if (!piece.may_cost(least_.cost)) return;
    const double cost = piece.least();
    // A later change wins where costs are equal: pieces of equal cost differ by rounding only.
    if (cost < least_.cost || (cost == least_.cost && piece.change > least_.change)) {
      least_ = {cost, piece.change};
    }
  }

  const double cut_;
  std::vector<Piece> pieces_, next_;
  Least least_;
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
  LevelCost cost(*least - origin - margin, *most - origin + margin, cut);
  // Of each beginning of the series the last change.
  std::vector<std::size_t> last_change(values.size() + 1, 0);
  double change_cost = std::numeric_limits<double>::infinity();  // before the first value
  for (std::size_t i = 0; i < values.size(); ++i) {
    const LevelCost::Least best = cost.add(values[i] - origin, weights[i], i, change_cost);
    last_change[i + 1] = best.change;
    change_cost = best.cost + penalty;
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
  constexpr double kOfCut = 0.65, kOfRun = 0.45;
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
