#include "analysis/changes/repetition_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

#include "analysis/statistics/summary.h"
#include "analysis/statistics/unimodality.h"

namespace benchhud::analysis {
namespace {

constexpr std::size_t kFewestRepetitions = 30;
// Of where nine tenths of all repetitions lie, half: how far out others still tell of the shape.
constexpr double kFarthestHalves = 4;
// Widths of the kernel that are tried, in deviations that a normal distribution as wide would have.
constexpr std::array kWidths = {0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.22, 0.33, 0.5};
constexpr double kHalfToDeviation = 1 / 1.6449;  // of a normal distribution
constexpr std::size_t kCellsPerWidth = 2;
constexpr std::size_t kKernelCells = 5 * kCellsPerWidth;  // on either side
// How many of all repetitions may lie anywhere, in tails.
constexpr double kTails = 0.02;
constexpr double kUnlikely = -40;  // the logarithm of what is lost beside 1

// How values lie around a level, counted in cells.
class Shape {
 public:
  // `sorted`: the values; `half`: of where nine tenths of them lie, half.
  Shape(std::span<const double> sorted, double half, double width)
      : half_(half), cell_(width / kCellsPerWidth), least_(sorted.front()), most_(sorted.back()) {
    const double margin = half_ + static_cast<double>(kKernelCells + 1) * cell_;
    low_ = least_ - margin;
    const double high = most_ + margin;
    const auto cells = static_cast<std::size_t>(std::ceil((high - low_) / cell_)) + 1;
    for (std::size_t i = 0; i < kernel_.size(); ++i) {
      const double off = static_cast<double>(i) / kCellsPerWidth;
      kernel_[i] = std::exp(-off * off / 2) / (width * std::sqrt(2 * std::numbers::pi));
    }
    density_.resize(cells);
    for (const double value : sorted) add(value, 1);
    size_ = static_cast<double>(sorted.size());
  }

  // The logarithm of how well each of the values, which the shape was made of, is told by the rest.
  double fit(std::span<const double> sorted) const {
    double sum = 0;
    for (const double value : sorted) {
      const std::ptrdiff_t cell = cell_of(value);
      sum += std::log(density_[static_cast<std::size_t>(cell)] - kernel_[0] +
                      std::exp(log_tails(cell)));
    }
    return sum;
  }

  // The posterior mean of a night's shift, and its variance. `values`: of the night, around its
  // level; they are part of the shape. `known`: levels there are, around the night's, which is one
  // of them: the shift may be up to half of where nine tenths of all repetitions lie from any that
  // they can be on.
  std::pair<double, double> shift_of(std::span<const double> values,
                                     std::span<const double> known) {
    if (logarithms_.empty()) {
      for (std::size_t i = 0; i < density_.size(); ++i) logarithms_.push_back(logarithm(i));
    }
    // The night itself is no witness.
    for (const double value : values) add(value, -1);
    for (const double value : values) take_logarithms_near(value);
    const std::vector<std::ptrdiff_t> shifts = shifts_near(levels_for(values, known));
    std::vector<double> fits(shifts.size());
    for (const double value : values) {
      const std::ptrdiff_t cell = cell_of(value);
      for (std::size_t i = 0; i < shifts.size(); ++i) fits[i] += logarithm_at(cell - shifts[i]);
    }
    for (const double value : values) add(value, 1);
    for (const double value : values) take_logarithms_near(value);

    const double best = *std::max_element(fits.begin(), fits.end());
    double all = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      if (fits[i] - best < kUnlikely) continue;
      const double by = static_cast<double>(shifts[i]) * cell_;
      const double likely = std::exp(fits[i] - best);
      all += likely;
      sum += likely * by;
      squares += likely * by * by;
    }
    const double mean = sum / all;
    return {mean, std::max(0.0, squares / all - mean * mean)};
  }

 private:
  // In cells from the first one; what is farther out than can be counted is as far out.
  static std::ptrdiff_t whole(double cells) {
    constexpr double kFarthestCell = 1e15;
    return static_cast<std::ptrdiff_t>(
        std::floor(std::clamp(cells, -kFarthestCell, kFarthestCell)));
  }
  std::ptrdiff_t cell_of(double value) const { return whole((value - low_) / cell_); }

  // Those that a night may be on, going by the middle of its repetitions, and its own.
  std::vector<double> levels_for(std::span<const double> values,
                                 std::span<const double> known) const {
    const double middle = median(values);
    std::vector<double> levels;
    for (const double level : known) {
      const double off = middle - level;
      if (level == 0 || (off >= least_ - half_ && off <= most_ + half_)) levels.push_back(level);
    }
    return levels;
  }

  // In cells, ascending. `known`: ascending, one at least.
  std::vector<std::ptrdiff_t> shifts_near(std::span<const double> known) const {
    std::vector<std::ptrdiff_t> shifts;
    for (const double level : known) {
      const std::ptrdiff_t middle = whole(level / cell_ + 0.5), reach = whole(half_ / cell_);
      auto shift = middle - reach;
      if (!shifts.empty()) shift = std::max(shift, shifts.back() + 1);
      for (; shift <= middle + reach; ++shift) shifts.push_back(shift);
    }
    return shifts;
  }

  // Those near a value's cell, where its kernel is.
  std::pair<std::size_t, std::size_t> near(std::size_t cell) const {
    return {cell - std::min(cell, kKernelCells),
            std::min(cell + kKernelCells, density_.size() - 1)};
  }

  // What is too far out for the shape was not counted and is not taken away.
  void add(double value, double count) {
    if (value < least_ || value > most_) return;
    const auto cell = static_cast<std::size_t>(cell_of(value));
    const auto [first, last] = near(cell);
    for (std::size_t i = first; i <= last; ++i) {
      density_[i] += count * kernel_[i < cell ? cell - i : i - cell];
    }
  }

  // The logarithm of how many lie anywhere, as Laplace's distribution has it: what lies farther out
  // than anything before tells as clearly to which side, however far out it is.
  double log_tails(std::ptrdiff_t cell) const {
    const double off = low_ + (static_cast<double>(cell) + 0.5) * cell_;
    return std::log(kTails * size_ / (2 * half_)) - std::abs(off) / half_;
  }

  // Rounding leaves less than nothing where all was taken away.
  double logarithm(std::size_t cell) const {
    return std::log(std::max(density_[cell], 0.0) +
                    std::exp(log_tails(static_cast<std::ptrdiff_t>(cell))));
  }

  void take_logarithms_near(double value) {
    if (value < least_ || value > most_) return;
    const auto [first, last] = near(static_cast<std::size_t>(cell_of(value)));
    for (std::size_t i = first; i <= last; ++i) logarithms_[i] = logarithm(i);
  }

  double logarithm_at(std::ptrdiff_t cell) const {
    const bool is_within = cell >= 0 && cell < static_cast<std::ptrdiff_t>(logarithms_.size());
    return is_within ? logarithms_[static_cast<std::size_t>(cell)] : log_tails(cell);
  }

  double half_, cell_;
  double least_, most_;                            // of the values
  double size_ = 0;                                // how many there are
  double low_ = 0;                                 // where the first cell begins
  std::array<double, kKernelCells + 1> kernel_{};  // by cells from its middle
  std::vector<double> density_;                    // in counts, as log_tails()
  std::vector<double> logarithms_;                 // of both together
};

std::vector<double> values_around(const std::vector<double>& values, double level) {
  std::vector<double> off;
  off.reserve(values.size());
  for (const double value : values) off.push_back(value - level);
  return off;
}

std::vector<double> around_levels(Repetitions repetitions, std::span<const double> levels) {
  std::vector<double> all;
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    for (const double value : repetitions[i]) all.push_back(value - levels[i]);
  }
  return all;
}

bool are_repeated(Repetitions repetitions) {
  std::size_t repeated = 0, all = 0;
  for (const auto& night : repetitions) {
    repeated += night.size() > 1 ? 1 : 0;
    all += night.size();
  }
  return all >= kFewestRepetitions && 2 * repeated >= repetitions.size();
}

bool have_humps(std::span<const double> values) {
  const auto critical = critical_dip(values.size());
  return critical && dip(values) > *critical;
}

// How far apart different values are, as the median has it: what a clock rounded to.
double tick_of(std::span<const double> sorted) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] > sorted[i - 1]) gaps.push_back(sorted[i] - sorted[i - 1]);
  }
  return gaps.empty() ? 0 : median(gaps);
}

Shape best_shape(std::span<const double> sorted, double half) {
  const double narrowest = tick_of(sorted);
  std::optional<Shape> best;
  double best_fit = -std::numeric_limits<double>::infinity();
  for (const double share : kWidths) {
    const double width = std::max(share * half * kHalfToDeviation, narrowest);
    Shape shape(sorted, half, width);
    const double fit = shape.fit(sorted);
    if (best && fit <= best_fit) continue;
    best = std::move(shape);
    best_fit = fit;
  }
  return *best;
}

}  // namespace

std::optional<std::vector<Night>> nights_by_shape(Repetitions repetitions,
                                                  std::span<const double> levels) {
  if (!are_repeated(repetitions)) return std::nullopt;
  std::vector<double> all = around_levels(repetitions, levels);
  std::sort(all.begin(), all.end());
  const double low = quantile_of_sorted(all, 0.05), high = quantile_of_sorted(all, 0.95);
  const double half = (high - low) / 2;
  if (!(half > 0) || !have_humps(all)) return std::nullopt;
  std::erase_if(all, [&](double value) {
    return value < low - kFarthestHalves * half || value > high + kFarthestHalves * half;
  });
  Shape shape = best_shape(all, half);
  std::vector<double> known(levels.begin(), levels.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::vector<Night> nights;
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    const auto [shift, variance] =
        shape.shift_of(values_around(repetitions[i], levels[i]), values_around(known, levels[i]));
    nights.push_back({levels[i] + shift, variance, repetitions[i].size()});
  }
  return nights;
}

double scatter_of(Repetitions repetitions, std::span<const double> levels) {
  const std::vector<double> all = around_levels(repetitions, levels);
  return all.size() < 2 ? 0 : sample_sd(all);
}

}  // namespace benchhud::analysis
