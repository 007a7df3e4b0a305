#include "analysis/statistics/unimodality.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

/// A step of the distribution function, in counts: it jumps from `below` to `above` at `x`.
struct Step {
  double x = 0;
  double below = 0;
  double above = 0;
};

/// Equal values are values that a clock rounded: they are spread evenly over its tick, so that the
/// ticks do not pass for humps.
void spread_ties(std::vector<double>* sorted) {
  double tick = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < sorted->size(); ++i) {
    const double gap = (*sorted)[i] - (*sorted)[i - 1];
    if (gap > 0) tick = std::min(tick, gap);
  }
  for (std::size_t first = 0, end = 0; first < sorted->size(); first = end) {
    const double value = (*sorted)[first];
    while (end < sorted->size() && (*sorted)[end] == value) ++end;
    const auto count = static_cast<double>(end - first);
    for (std::size_t i = first; count > 1 && i < end; ++i) {
      (*sorted)[i] = value + tick * ((static_cast<double>(i - first) + 0.5) / count - 0.5);
    }
  }
}

std::vector<Step> steps_of(std::vector<double> sorted) {
  spread_ties(&sorted);
  std::vector<Step> steps(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    steps[i] = {sorted[i], static_cast<double>(i), static_cast<double>(i + 1)};
  }
  return steps;
}

/// A hull's corners, as places among the steps, from left to right.
using Corners = std::vector<std::size_t>;

/// Of the convex functions under the steps' feet, or of the concave ones over their heads, the
/// nearest, between two steps.
class Hull {
 public:
  enum class Side { kConvexBelow, kConcaveAbove };

  Hull(const std::vector<Step>& steps, Side side, std::size_t first, std::size_t last)
      : steps_(steps), side_(side) {
    for (std::size_t i = first; i <= last; ++i) {
      while (corners_.size() >= 2 && !turns(corners_[corners_.size() - 2], corners_.back(), i)) {
        corners_.pop_back();
      }
      corners_.push_back(i);
    }
  }

  const Corners& corners() const { return corners_; }

  double y(std::size_t step) const {
    return side_ == Side::kConvexBelow ? steps_[step].below : steps_[step].above;
  }
  /// The hull's height at a step between the corners `from` and `to`.
  double height(std::size_t step, std::size_t from, std::size_t to) const {
    const double width = steps_[to].x - steps_[from].x;
    if (step == from || !(width > 0)) return y(from);
    const double part = (steps_[step].x - steps_[from].x) / width;
    return y(from) + (y(to) - y(from)) * part;
  }

 private:
  /// Whether the path over three steps bends the hull's way.
  bool turns(std::size_t a, std::size_t b, std::size_t c) const {
    const double cross =
        (steps_[b].x - steps_[a].x) * (y(c) - y(a)) - (y(b) - y(a)) * (steps_[c].x - steps_[a].x);
    return side_ == Side::kConvexBelow ? cross > 0 : cross < 0;
  }

  const std::vector<Step>& steps_;
  const Side side_;
  Corners corners_;
};

/// Where the two hulls are farthest apart, and the corners that enclose it.
struct Widest {
  double distance = 0;
  std::size_t low = 0;   // of the convex hull
  std::size_t high = 0;  // of the concave one
};

Widest widest(const Hull& convex, const Hull& concave) {
  Widest found;
  found.low = convex.corners().front();
  found.high = concave.corners().back();
  const Corners& below = convex.corners();
  const Corners& above = concave.corners();
  // Both lists begin and end at the same steps; the distance is greatest at a corner of either.
  std::size_t i = 0, j = 0;
  const auto offer = [&](double distance, std::size_t low, std::size_t high) {
    if (distance > found.distance) found = {distance, low, high};
  };
  for (; i < below.size(); ++i) {
    while (j + 1 < above.size() && above[j] < below[i]) ++j;
    const std::size_t left = j == 0 || above[j] == below[i] ? j : j - 1;
    offer(concave.height(below[i], above[left], above[j]) - convex.y(below[i]), below[i], above[j]);
  }
  i = 0;
  for (j = 0; j < above.size(); ++j) {
    while (i + 1 < below.size() && below[i + 1] <= above[j]) ++i;
    const std::size_t right = std::min(i + 1, below.size() - 1);
    const double height =
        below[i] == above[j] ? convex.y(below[i]) : convex.height(above[j], below[i], below[right]);
    offer(concave.y(above[j]) - height, below[i], above[j]);
  }
  return found;
}

/// How far the steps stand off a hull, between two of its corners: from the convex hull to the
/// steps' heads, from the concave one to their feet.
double farthest(const std::vector<Step>& steps, const Hull& hull, Hull::Side side, std::size_t from,
                std::size_t to) {
  double distance = 0;
  const Corners& corners = hull.corners();
  for (std::size_t k = 0; k + 1 < corners.size(); ++k) {
    if (corners[k] < from || corners[k + 1] > to) continue;
    for (std::size_t i = corners[k]; i <= corners[k + 1]; ++i) {
      const double height = hull.height(i, corners[k], corners[k + 1]);
      distance = std::max(distance, side == Hull::Side::kConvexBelow ? steps[i].above - height
                                                                     : height - steps[i].below);
    }
  }
  return distance;
}

// The dip that 1 % of samples of a uniform distribution exceed, times the root of n.
struct Tabled {
  double n = 0;
  double scaled_dip = 0;
};
constexpr Tabled kCriticalDips[] = {
    {8, 0.4892},   {9, 0.4923},   {10, 0.5043},   {11, 0.5105},   {12, 0.5145},
    {13, 0.5179},  {14, 0.5219},  {15, 0.5263},   {17, 0.5316},   {20, 0.5393},
    {25, 0.5491},  {30, 0.5561},  {40, 0.5652},   {60, 0.5790},   {100, 0.5904},
    {200, 0.6030}, {500, 0.6149}, {1000, 0.6224}, {2000, 0.6262},
};

}  // namespace

double dip(std::span<const double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() == sorted.back()) return 0;
  const std::vector<Step> steps = steps_of(std::move(sorted));
  // The hump lies between two steps that close in on each other: left of it the distribution
  // function is compared with the convex hull, right of it with the concave one.
  std::size_t low = 0, high = steps.size() - 1;
  double twice_dip = 1;
  while (true) {
    const Hull convex(steps, Hull::Side::kConvexBelow, low, high);
    const Hull concave(steps, Hull::Side::kConcaveAbove, low, high);
    const Widest at = widest(convex, concave);
    if (at.distance <= twice_dip) break;
    twice_dip = std::max({twice_dip, farthest(steps, convex, Hull::Side::kConvexBelow, low, at.low),
                          farthest(steps, concave, Hull::Side::kConcaveAbove, at.high, high)});
    if (at.low == low && at.high == high) break;
    low = at.low;
    high = at.high;
  }
  return twice_dip / (2 * static_cast<double>(samples.size()));
}

std::optional<double> critical_dip(std::size_t n) {
  const auto count = static_cast<double>(n);
  if (count < std::begin(kCriticalDips)->n) return std::nullopt;
  const auto* above = std::find_if(std::begin(kCriticalDips), std::end(kCriticalDips),
                                   [&](const Tabled& row) { return row.n >= count; });
  // Beyond the table the scaled dip hardly grows any more.
  if (above == std::end(kCriticalDips)) return std::prev(above)->scaled_dip / std::sqrt(count);
  if (above->n == count) return above->scaled_dip / std::sqrt(count);
  const Tabled& below = *std::prev(above);
  const double part = std::log(count / below.n) / std::log(above->n / below.n);
  return std::lerp(below.scaled_dip, above->scaled_dip, part) / std::sqrt(count);
}

std::optional<TwoGroups> two_groups(std::span<const double> samples) {
  const std::size_t n = samples.size();
  if (n < 2) return std::nullopt;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double center = mean(sorted);
  const double all = static_cast<double>(n) * center;
  // The squares within the groups are least where those between their means are greatest.
  std::size_t cut = 1;
  double most = -1, low_sum = 0;
  for (std::size_t i = 1; i < n; ++i) {
    low_sum += sorted[i - 1];
    const auto low_count = static_cast<double>(i), high_count = static_cast<double>(n - i);
    const double apart = (all - low_sum) / high_count - low_sum / low_count;
    const double between = low_count * high_count * apart * apart;
    if (between > most) {
      most = between;
      cut = i;
    }
  }
  const std::span<const double> low(sorted.data(), cut), high(sorted.data() + cut, n - cut);
  return TwoGroups{median_of_sorted(low), median_of_sorted(high), low.size(), high.size()};
}

}  // namespace benchhud::analysis
