// What a line of results says of its repetitions' time, by what it means.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/results/reader.h"

namespace benchhud::analysis {

/// Samples are one a repetition, as they came: null and NaN are NaN, infinities are kept. Empty
/// where the line does not have the metric. Times are in seconds, of all iterations together.
struct TimingFacts {
  bool has_xla = false;         ///< XLA runs it (torch_xla or, with has_torch_xla2, JAX)
  bool has_dynamo = false;      ///< torch.compile
  bool has_torch_xla2 = false;  ///< torch_xla2: JAX compiles, and torch_xla's metrics know nothing
  bool on_cpu = false;          ///< the accelerator is the CPU: there is no device beside the host
  std::optional<std::int64_t> repeat;              ///< repetitions that were asked for
  std::optional<std::int64_t> iterations_per_run;  ///< calls in a repetition

  std::vector<double> total_time;      ///< total_time, else per_iter_time times the iterations
  std::vector<double> trace_time;      ///< trace_total_time, else trace_per_iter_time likewise
  std::vector<double> compile_time;    ///< xla_CompileTime_time_s
  std::vector<double> compile_number;  ///< xla_CompileTime_number
  std::vector<double> execute_time;    ///< xla_ExecuteTime_time_s
  std::vector<double> execute_number;  ///< xla_ExecuteTime_number
  std::vector<double> cuda_time;       ///< total_cuda_time_s, else per_iter_cuda_time_s likewise
  /// The metrics of the line that only a profiler gives, by name.
  std::vector<std::string> profiler_metrics;

  /// The runner was started with --pure-wall-time: it then writes trace times of exactly 0, and
  /// total_time is the least of many calls, timed by events of the device. What is counted over all
  /// those calls cannot be set against it.
  bool pure_wall_time = false;

  /// Whether something compiles the model.
  bool compiles() const { return has_xla || has_dynamo || has_torch_xla2; }
};

/// From a timing line's metrics. A metric that did not count what it is called is taken for absent:
/// xla_ExecuteTime of 0 in every repetition (replicated executions are counted elsewhere), a GPU's
/// time of 0, and all that torch_xla counts under torch_xla2, where JAX does the work.
TimingFacts timing_facts(const schema::ExperimentView& experiment,
                         std::span<const schema::StoredMeasurement> measurements,
                         std::optional<std::int64_t> repeat,
                         std::optional<std::int64_t> iterations_per_run);

/// What compile_time() needs of a timing line's metrics where only those of a result's own row are
/// at hand. `compile_time` is xla_CompileTime_time_s.
TimingFacts compile_facts(const schema::ExperimentView& experiment, std::vector<double> total_time,
                          std::vector<double> compile_time);

/// Whether the first repetition took more than twice as long as the median of the others.
bool has_slow_start(const TimingFacts& facts);

/// The sample of a repetition if it is finite and not below zero.
std::optional<double> usable_sample(std::span<const double> samples, std::size_t repetition);

}  // namespace benchhud::analysis
