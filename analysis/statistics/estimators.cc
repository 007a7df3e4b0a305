#include "analysis/statistics/estimators.h"

#include <algorithm>
#include <cmath>

namespace benchhud::analysis {
namespace {

constexpr std::size_t kWarmup = 3;
constexpr std::size_t kFewSamples = 5;

bool is_time(double value) { return std::isfinite(value) && value > 0; }

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

std::size_t warmup_count(std::size_t count) {
  if (count > kWarmup) return kWarmup;
  return count > 1 ? 1 : 0;
}

std::vector<double> steady_samples(std::span<const double> per_iter_time) {
  const auto rest = per_iter_time.subspan(warmup_count(per_iter_time.size()));
  std::vector<double> usable;
  usable.reserve(rest.size());
  std::copy_if(rest.begin(), rest.end(), std::back_inserter(usable), is_time);
  return usable;
}

namespace {

/// Of the usable ones of `all` samples, of which there is one at least.
Estimate median_estimate(std::span<const double> usable, std::size_t all) {
  Estimate estimate;
  estimate.value = median(usable);
  estimate.interval = median_interval(usable, 0.95);
  estimate.n = usable.size();
  estimate.unusable = all - usable.size();
  estimate.flags.few_samples = usable.size() < kFewSamples;
  estimate.flags.unusable_samples = estimate.unusable > 0;
  return estimate;
}

}  // namespace

std::optional<Estimate> steady(std::span<const double> per_iter_time) {
  const std::vector<double> samples = steady_samples(per_iter_time);
  if (samples.empty()) return std::nullopt;
  const std::size_t dropped = warmup_count(per_iter_time.size());
  Estimate estimate = median_estimate(samples, per_iter_time.size() - dropped);
  estimate.warmup_dropped = dropped;
  estimate.flags.no_warmup_dropped = dropped == 0;
  return estimate;
}

std::optional<Estimate> metric_median(std::span<const double> samples) {
  std::vector<double> usable;
  usable.reserve(samples.size());
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(usable),
               [](double sample) { return std::isfinite(sample); });
  if (usable.empty()) return std::nullopt;
  return median_estimate(usable, samples.size());
}

std::optional<MeanEstimate> upstream_exec(std::span<const double> total_time) {
  if (total_time.size() <= kWarmup) return std::nullopt;
  const auto rest = total_time.subspan(kWarmup);
  if (!all_finite(rest)) return std::nullopt;
  return MeanEstimate{mean(rest), rest.size() > 1 ? sample_sd(rest) : 0.0, rest.size()};
}

std::optional<double> upstream_compile(std::span<const double> total_time) {
  if (total_time.size() < 2 || !all_finite(total_time)) return std::nullopt;
  const double difference = total_time[0] - mean(total_time.subspan(1));
  if (!std::isfinite(difference)) return std::nullopt;
  return difference;
}

std::optional<CompileTime> xla_compile(std::span<const double> compile_time) {
  const auto usable = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  if (compile_time.empty() || !usable(compile_time[0])) return std::nullopt;
  CompileTime result;
  result.compile = compile_time[0];
  for (double seconds : compile_time.subspan(1)) {
    if (!usable(seconds)) {
      ++result.unusable;
    } else if (seconds > 0) {
      result.recompile += seconds;
      ++result.recompiled_in;
    }
  }
  if (!std::isfinite(result.recompile)) return std::nullopt;
  return result;
}

}  // namespace benchhud::analysis
