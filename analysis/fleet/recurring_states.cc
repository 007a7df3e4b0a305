#include "analysis/fleet/recurring_states.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "analysis/changes/night_series.h"
#include "analysis/statistics/lanes.h"
#include "analysis/statistics/sorting_network.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kMostLookedAt = 1000;  // series
constexpr std::size_t kFewestForStates = 8, kFewestSwitches = 3;
constexpr double kGap = 4.5, kGapOfFewNights = 30;  // standard deviations; that over the nights
constexpr double kMostOff = 4;                      // standard deviations

using Rows = std::vector<std::vector<double>>;  // by night

// From the 25 % quantile of absolute differences.
double noise_by(double quarter) {
  constexpr double kQuarterToDeviation = 1 / 0.4506;  // 25 % of |a − b| of normal a and b
  return std::max(quarter * kQuarterToDeviation, kLeastNoise);
}

// Of a series the standard deviation of a night; infinite where it has no two nights in a row.
double noise_of(const NightMatrix& nights, std::size_t series) {
  thread_local std::vector<double> differences;
  differences.clear();
  for (std::size_t n = 1; n < nights.size(); ++n) {
    const double difference = std::abs(nights[n][series] - nights[n - 1][series]);
    if (std::isfinite(difference)) differences.push_back(difference);
  }
  if (differences.empty()) return std::numeric_limits<double>::infinity();
  return noise_by(quantile(differences, 0.25));
}

// Between the two of sorted values that are nearest to the share; as quantile_of_sorted() of
// summary.h. `count`: one at least.
double quantile_of_lane(const FloatLanes* sorted, std::size_t lane, std::size_t count,
                        double share) {
  const double place = share * static_cast<double>(count - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::array<double, 2> near{sorted[below][lane],
                                   sorted[std::min(below + 1, count - 1)][lane]};
  return quantile_of_sorted(near, place - static_cast<double>(below));
}

// Nights in standard deviations, each cut about the median. Some series at once.
Rows standardised(const NightMatrix& nights, std::span<const std::size_t> series) {
  constexpr double kOfDifferences = 0.25;
  const FloatLanes none{}, one = none + 1;
  const FloatLanes beyond = none + std::numeric_limits<float>::infinity();
  Rows values(nights.size(), std::vector<double>(series.size()));
  std::vector<FloatLanes> levels(nights.size()), sorted(nights.size());
  const auto count_and_sort = [&](std::size_t count) {
    FloatLanes known{};
    for (std::size_t n = 0; n < count; ++n) {
      const auto is_known = sorted[n] - sorted[n] == none;
      sorted[n] = is_known ? sorted[n] : beyond;
      known += is_known ? one : none;
    }
    sort_by_network(sorted.data(), count);
    return known;
  };
  for (std::size_t first = 0; first < series.size(); first += kFloatLanes) {
    const auto some = series.subspan(first, std::min(kFloatLanes, series.size() - first));
    for (std::size_t n = 0; n < nights.size(); ++n) {
      for (std::size_t s = 0; s < some.size(); ++s) levels[n][s] = nights[n][some[s]];
    }
    std::ranges::copy(levels, sorted.begin());
    const FloatLanes known = count_and_sort(nights.size());
    std::array<double, kFloatLanes> middle{}, noise{};
    for (std::size_t s = 0; s < some.size(); ++s) {
      const auto count = static_cast<std::size_t>(known[s]);
      if (count == 0) continue;
      middle[s] = std::midpoint(double{sorted[(count - 1) / 2][s]}, double{sorted[count / 2][s]});
    }
    for (std::size_t n = 1; n < nights.size(); ++n) {
      const FloatLanes difference = levels[n] - levels[n - 1];
      sorted[n - 1] = difference < none ? -difference : difference;
    }
    const FloatLanes differences = count_and_sort(nights.size() - 1);
    for (std::size_t s = 0; s < some.size(); ++s) {
      const auto count = static_cast<std::size_t>(differences[s]);
      noise[s] = count == 0 ? std::numeric_limits<double>::infinity()
                            : noise_by(quantile_of_lane(sorted.data(), s, count, kOfDifferences));
    }
    for (std::size_t n = 0; n < nights.size(); ++n) {
      for (std::size_t s = 0; s < some.size(); ++s) {
        const double off = (levels[n][s] - middle[s]) / noise[s];
        values[n][first + s] = std::isfinite(off) ? std::clamp(off, -kMostOff, kMostOff) : 0;
      }
    }
  }
  return values;
}

Rows differences_of(const Rows& values) {
  Rows differences;
  for (std::size_t n = 1; n < values.size(); ++n) {
    differences.push_back(values[n]);
    for (std::size_t i = 0; i < values[n].size(); ++i) differences.back()[i] -= values[n - 1][i];
  }
  return differences;
}

// Several sums at a time, which need not wait for each other.
double dot(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t kSums = 4;
  DoubleLanes sums[kSums]{};
  std::size_t i = 0;
  for (; i + kSums * kDoubleLanes <= a.size(); i += kSums * kDoubleLanes) {
    for (std::size_t k = 0; k < kSums; ++k) {
      sums[k] += lanes_of<DoubleLanes>(&a[i + k * kDoubleLanes]) *
                 lanes_of<DoubleLanes>(&b[i + k * kDoubleLanes]);
    }
  }
  const DoubleLanes lanes = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return std::inner_product(a.begin() + static_cast<std::ptrdiff_t>(i), a.end(),
                            b.begin() + static_cast<std::ptrdiff_t>(i), lanes[0] + lanes[1]);
}

// The leading right singular vector of the rows, by power iteration from the largest row. It is a
// sum of rows, of which there are fewer than columns: what each of them counts for is iterated.
std::vector<double> leading_direction(const Rows& rows) {
  constexpr int kIterations = 40;
  const std::size_t count = rows.size();
  Rows products(count, std::vector<double>(count));
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t k = 0; k <= r; ++k) products[r][k] = products[k][r] = dot(rows[r], rows[k]);
  }
  std::size_t largest = 0;
  for (std::size_t r = 1; r < count; ++r) {
    if (products[r][r] > products[largest][largest]) largest = r;
  }
  std::vector<double> counts(count, 0), along(count);
  counts[largest] = 1;
  const auto go_along = [&] {
    for (std::size_t r = 0; r < count; ++r) along[r] = dot(products[r], counts);
    return std::sqrt(std::max(dot(along, counts), 0.0));
  };
  double length = go_along();
  for (int k = 0; k < kIterations && length > 0; ++k) {
    for (std::size_t r = 0; r < count; ++r) counts[r] = along[r] / length;
    length = go_along();
  }
  std::vector<double> direction(rows.front().size(), 0);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < direction.size(); ++i) {
      direction[i] += counts[r] * rows[r][i] / std::max(length, 1e-300);
    }
  }
  return direction;
}

struct Split {
  double at = 0, low = 0, high = 0;  // of the scores: those above `at` are high; the two means
};

Split best_split(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  const auto count = static_cast<double>(scores.size());
  Split best;
  double most = -1, below = 0;
  for (std::size_t k = 1; k < scores.size(); ++k) {
    below += scores[k - 1];
    const auto low_count = static_cast<double>(k);
    const double low = below / low_count, high = (sum - below) / (count - low_count);
    const double between = low_count * (count - low_count) * (high - low) * (high - low);
    if (between <= most) continue;
    most = between;
    best = {scores[k - 1], low, high};
  }
  return best;
}

std::size_t switches(const std::vector<bool>& is_in) {
  std::size_t count = 0;
  for (std::size_t n = 1; n < is_in.size(); ++n) count += is_in[n] != is_in[n - 1] ? 1 : 0;
  return count;
}

}  // namespace

std::vector<double> noise_without_turns(const NightMatrix& nights, std::size_t series) {
  std::vector<double> noise(series);
  for (std::size_t i = 0; i < series; ++i) noise[i] = noise_of(nights, i);
  return noise;
}

std::vector<std::size_t> looked_at_for_states(std::size_t series) {
  const std::size_t step = (series + kMostLookedAt - 1) / kMostLookedAt;
  std::vector<std::size_t> looked_at;
  for (std::size_t i = 0; i < series; i += step) looked_at.push_back(i);
  return looked_at;
}

std::optional<std::vector<bool>> find_state(const NightMatrix& nights, std::size_t series) {
  if (nights.size() < kFewestForStates || series == 0) return std::nullopt;
  const Rows values = standardised(nights, looked_at_for_states(series));
  const std::vector<double> direction = leading_direction(differences_of(values));
  std::vector<double> scores;
  for (const auto& night : values) scores.push_back(dot(night, direction));
  const Split split = best_split(scores);
  std::vector<bool> is_high;
  double squares = 0;
  for (const double score : scores) {
    is_high.push_back(score > split.at);
    const double off = score - (is_high.back() ? split.high : split.low);
    squares += off * off;
  }
  const auto count = static_cast<double>(nights.size());
  const double within = std::sqrt(squares / count);
  if (switches(is_high) < kFewestSwitches ||
      split.high - split.low < (kGap + kGapOfFewNights / count) * within) {
    return std::nullopt;
  }
  if (2 * std::ranges::count(is_high, true) > std::ssize(is_high)) is_high.flip();
  return is_high;
}

Effects effects_of_state(const NightMatrix& nights, const std::vector<bool>& is_in,
                         std::span<const double> noise) {
  std::vector<Shift> shifts(noise.size());
  std::vector<double> differences;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    differences.clear();
    for (std::size_t n = 1; n < nights.size(); ++n) {
      if (is_in[n] == is_in[n - 1]) continue;
      const double difference = nights[n][i] - nights[n - 1][i];
      if (std::isfinite(difference)) differences.push_back(is_in[n] ? difference : -difference);
    }
    if (differences.empty()) continue;
    shifts[i].size = median(differences);
    shifts[i].variance =
        std::numbers::pi * noise[i] * noise[i] / static_cast<double>(differences.size());
  }
  return shrunk_effects(shifts);
}

}  // namespace benchhud::analysis
