#include "analysis/timing/timing_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

using schema::StoredMeasurement;

constexpr std::array<std::string_view, 6> kProfilerMetrics = {
    "total_cpu_time_s",     "per_iter_cpu_time_s", "total_cuda_time_s",
    "per_iter_cuda_time_s", "inductor_ops",        "xla_unlowered_ops"};

class Samples {
 public:
  explicit Samples(std::span<const StoredMeasurement> measurements) : measurements_(measurements) {}

  std::vector<double> of(std::string_view metric) const {
    for (const auto& stored : measurements_) {
      if (stored.measurement.metric == metric) return stored.measurement.samples;
    }
    return {};
  }

  /// Samples of a metric of all iterations; where it is absent, those of its like for one iteration
  /// times their number.
  std::vector<double> of_all(std::string_view total, std::string_view per_iteration,
                             std::optional<std::int64_t> iterations) const {
    auto samples = of(total);
    if (!samples.empty() || !iterations || *iterations < 1) return samples;
    samples = of(per_iteration);
    for (double& sample : samples) sample *= static_cast<double>(*iterations);
    return samples;
  }

 private:
  const std::span<const StoredMeasurement> measurements_;
};

bool all_zero(const std::vector<double>& samples) {
  return !samples.empty() &&
         std::all_of(samples.begin(), samples.end(), [](double sample) { return sample == 0; });
}

}  // namespace

TimingFacts compile_facts(const schema::ExperimentView& experiment, std::vector<double> total_time,
                          std::vector<double> compile_time) {
  TimingFacts facts;
  facts.has_xla = experiment.xla.has_value();
  facts.has_dynamo = experiment.dynamo.has_value();
  facts.has_torch_xla2 = experiment.torch_xla2.has_value();
  facts.on_cpu = experiment.accelerator == "cpu";
  facts.total_time = std::move(total_time);
  if (!facts.has_torch_xla2) facts.compile_time = std::move(compile_time);
  return facts;
}

TimingFacts timing_facts(const schema::ExperimentView& experiment,
                         std::span<const StoredMeasurement> measurements,
                         std::optional<std::int64_t> repeat,
                         std::optional<std::int64_t> iterations_per_run) {
  const Samples samples(measurements);
  TimingFacts facts =
      compile_facts(experiment, samples.of_all("total_time", "per_iter_time", iterations_per_run),
                    samples.of("xla_CompileTime_time_s"));
  facts.repeat = repeat;
  facts.iterations_per_run = iterations_per_run;
  facts.trace_time = samples.of_all("trace_total_time", "trace_per_iter_time", iterations_per_run);
  facts.pure_wall_time = all_zero(facts.trace_time);
  if (facts.pure_wall_time) facts.trace_time.clear();
  if (!facts.has_torch_xla2) {
    facts.compile_number = samples.of("xla_CompileTime_number");
    facts.execute_time = samples.of("xla_ExecuteTime_time_s");
    facts.execute_number = samples.of("xla_ExecuteTime_number");
  }
  if (all_zero(facts.execute_time)) {
    facts.execute_time.clear();
    facts.execute_number.clear();
  }
  facts.cuda_time = samples.of_all("total_cuda_time_s", "per_iter_cuda_time_s", iterations_per_run);
  if (all_zero(facts.cuda_time) || facts.on_cpu) facts.cuda_time.clear();
  for (const auto& stored : measurements) {
    const auto& metric = stored.measurement.metric;
    if (std::find(kProfilerMetrics.begin(), kProfilerMetrics.end(), metric) !=
            kProfilerMetrics.end() &&
        stored.measurement.shape != schema::SampleShape::kNull) {
      facts.profiler_metrics.push_back(metric);
    }
  }
  return facts;
}

bool has_slow_start(const TimingFacts& facts) {
  const auto first = usable_sample(facts.total_time, 0);
  std::vector<double> others;
  for (std::size_t i = 1; i < facts.total_time.size(); ++i) {
    if (const auto other = usable_sample(facts.total_time, i)) others.push_back(*other);
  }
  return first && !others.empty() && *first > 2 * median(others);
}

std::optional<double> usable_sample(std::span<const double> samples, std::size_t repetition) {
  if (repetition >= samples.size()) return std::nullopt;
  const double sample = samples[repetition];
  if (!std::isfinite(sample) || sample < 0) return std::nullopt;
  return sample;
}

}  // namespace benchhud::analysis
