#include "analysis/fleet/recurring_states.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "analysis/changes/night_series.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kMostLookedAt = 1000;  // series
constexpr std::size_t kFewestForStates = 8, kFewestSwitches = 3;
constexpr double kGap = 4.5, kGapOfFewNights = 30;  // standard deviations; that over the nights
constexpr double kMostOff = 4;                      // standard deviations

using Rows = std::vector<std::vector<double>>;  // by night

// Of a series the standard deviation of a night; infinite where it has no two nights in a row.
double noise_of(const NightMatrix& nights, std::size_t series) {
  constexpr double kQuarterToDeviation = 1 / 0.4506;  // 25 % of |a − b| of normal a and b
  thread_local std::vector<double> differences;
  differences.clear();
  for (std::size_t n = 1; n < nights.size(); ++n) {
    const double difference = std::abs(nights[n][series] - nights[n - 1][series]);
    if (std::isfinite(difference)) differences.push_back(difference);
  }
  if (differences.empty()) return std::numeric_limits<double>::infinity();
  return std::max(quantile(differences, 0.25) * kQuarterToDeviation, kLeastNoise);
}

// Nights in standard deviations, each cut about the median; and the differences of neighbours.
std::pair<Rows, Rows> standardised(const NightMatrix& nights, std::size_t series) {
  const std::size_t step = (series + kMostLookedAt - 1) / kMostLookedAt;
  Rows values(nights.size());
  std::vector<double> known;
  for (std::size_t i = 0; i < series; i += step) {
    known.clear();
    for (const auto night : nights) {
      if (std::isfinite(night[i])) known.push_back(night[i]);
    }
    const double middle = known.empty() ? 0 : median(known);
    const double noise = noise_of(nights, i);
    for (std::size_t n = 0; n < nights.size(); ++n) {
      const double off = (nights[n][i] - middle) / noise;
      values[n].push_back(std::isfinite(off) ? std::clamp(off, -kMostOff, kMostOff) : 0);
    }
  }
  Rows differences;
  for (std::size_t n = 1; n < values.size(); ++n) {
    differences.push_back(values[n]);
    for (std::size_t i = 0; i < values[n].size(); ++i) differences.back()[i] -= values[n - 1][i];
  }
  return {std::move(values), std::move(differences)};
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The leading right singular vector of the rows, by power iteration from the largest row.
std::vector<double> leading_direction(const Rows& rows) {
  constexpr int kIterations = 40;
  const auto largest =
      std::ranges::max_element(rows, {}, [](const auto& row) { return dot(row, row); });
  std::vector<double> direction = *largest;
  for (int k = 0; k < kIterations; ++k) {
    const double length = std::sqrt(dot(direction, direction));
    if (length == 0) return direction;
    std::vector<double> next(direction.size(), 0);
    for (const auto& row : rows) {
      const double along = dot(row, direction) / length;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += along * row[i];
    }
    direction = std::move(next);
  }
  const double length = std::sqrt(dot(direction, direction));
  for (double& one : direction) one /= std::max(length, 1e-300);
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

std::optional<std::vector<bool>> find_state(const NightMatrix& nights, std::size_t series) {
  if (nights.size() < kFewestForStates || series == 0) return std::nullopt;
  const auto [values, differences] = standardised(nights, series);
  const std::vector<double> direction = leading_direction(differences);
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
