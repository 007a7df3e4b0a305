// What a result's samples say: from the arrays as they are stored to one number with its interval.
//
// Samples are in the order of the repetitions and as they came: a null or NaN of the file is NaN
// here, infinities are kept. Times are in seconds.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {

/// What a reader of an estimate should know about it.
struct EstimateFlags {
  /// There was but one sample, so what is called steady is a first repetition, compilation
  /// included.
  bool no_warmup_dropped = false;
  /// Fewer than five steady samples: the interval is wide or covers less than it should.
  bool few_samples = false;
  /// Some steady samples were null, NaN, infinite, zero or negative, and were left out.
  bool unusable_samples = false;

  bool operator==(const EstimateFlags&) const = default;
};

struct Estimate {
  double value = 0;
  /// Within the run: how well this run's own repetitions pin down its median. It says nothing about
  /// how runs differ from night to night, which is usually more.
  std::optional<Interval> interval;
  std::size_t n = 0;               ///< Steady samples that were used.
  std::size_t warmup_dropped = 0;  ///< Samples dropped from the front, usable or not.
  std::size_t unusable = 0;        ///< Samples after the warm-up that were left out.
  EstimateFlags flags;
};

/// How many of a result's `count` first samples are warm-up (the first contains compilation, the
/// next two fill caches): 3 where at least 4 exist, 1 where 2 or 3, none of 1.
std::size_t warmup_count(std::size_t count);

/// The samples after the warm-up that are usable as a time (finite and positive), in order.
std::vector<double> steady_samples(std::span<const double> per_iter_time);

/// The steady time: the median of `steady_samples`, with the distribution-free interval of
/// `median_interval` at 95 %. None where no usable sample is left.
std::optional<Estimate> steady(std::span<const double> per_iter_time);

/// Any metric's median over its finite samples, first repetitions included (only times have a
/// warm-up), with the distribution-free interval of `median_interval` at 95 %; in the metric's own
/// unit. None where no sample is finite.
std::optional<Estimate> metric_median(std::span<const double> samples);

/// A mean with the deviation that the upstream report gives it.
struct MeanEstimate {
  double mean = 0;
  double sd = 0;
  std::size_t n = 0;
};

/// The upstream report's execution time: the mean of total_time[3:] and its sample standard
/// deviation (divisor n - 1; 0 where one value is left). Bit for bit numpy's figures. None for
/// fewer than four values and where one of total_time[3:] is not finite.
std::optional<MeanEstimate> upstream_exec(std::span<const double> total_time);

/// The upstream report's compile time: total_time[0] - mean(total_time[1:]), which noise can make
/// negative. None for fewer than two values and where one is not finite.
std::optional<double> upstream_compile(std::span<const double> total_time);

/// What PyTorch/XLA's own counters say of compilation.
struct CompileTime {
  double compile = 0;             ///< Seconds in repetition 0.
  double recompile = 0;           ///< Seconds in all later repetitions together.
  std::size_t recompiled_in = 0;  ///< Later repetitions that compiled anything.
  std::size_t unusable = 0;       ///< Later repetitions without a usable figure.
};

/// From `xla_CompileTime_time_s`, one value a repetition, cleared before each. Repetition 0 is
/// where compilation belongs; what later ones spend is recompilation (a changed graph or shape, or
/// the second trace that XLA often needs). None where repetition 0 has no finite value of at least
/// 0, and where the sums overflow.
std::optional<CompileTime> xla_compile(std::span<const double> compile_time);

}  // namespace benchhud::analysis
