#include "schema/model/metric.h"

#include <array>

namespace benchhud::schema {
namespace {

using enum Direction;
using enum MetricFamily;

constexpr std::array kMetrics = {
    MetricInfo{"total_time", "s", kLowerIsBetter, kTime,
               "Wall time of all iterations of a repetition, the wait for the device included."},
    MetricInfo{"per_iter_time", "s", kLowerIsBetter, kTime,
               "Wall time of one iteration: total_time by the number of iterations."},
    MetricInfo{"trace_total_time", "s", kLowerIsBetter, kTracing,
               "Time until the calls of all iterations return, nothing waited for."},
    MetricInfo{"trace_per_iter_time", "s", kLowerIsBetter, kTracing,
               "Time until the call of one iteration returns, nothing waited for."},
    MetricInfo{"xla_CompileTime_time_s", "s", kLowerIsBetter, kCompile,
               "Time that XLA compiled during the repetition."},
    MetricInfo{"xla_CompileTime_number", "count", kLowerIsBetter, kCompile,
               "How often XLA compiled during the repetition."},
    MetricInfo{"xla_ExecuteTime_time_s", "s", kLowerIsBetter, kDevice,
               "Time that XLA's programs ran during the repetition."},
    MetricInfo{"xla_ExecuteTime_number", "count", kLowerIsBetter, kDevice,
               "How many of XLA's programs ran during the repetition."},
    MetricInfo{"total_cpu_time_s", "s", kLowerIsBetter, kDevice,
               "The profiler's sum of time on the CPU over all iterations of a repetition."},
    MetricInfo{"per_iter_cpu_time_s", "s", kLowerIsBetter, kDevice,
               "The profiler's sum of time on the CPU for one iteration."},
    MetricInfo{"total_cuda_time_s", "s", kLowerIsBetter, kDevice,
               "The profiler's sum of time on the GPU over all iterations of a repetition."},
    MetricInfo{"per_iter_cuda_time_s", "s", kLowerIsBetter, kDevice,
               "The profiler's sum of time on the GPU for one iteration."},
    MetricInfo{"dynamo_counters", "", kNeither, kCounters,
               "What TorchDynamo counted during the repetition: graphs, breaks, cache misses."},
    MetricInfo{"xla_unlowered_ops", "", kLowerIsBetter, kCounters,
               "Operations that fell back from the device to the CPU, each with its times."},
    MetricInfo{
        "inductor_ops", "", kNeither, kCounters,
        "Operations of the aten library that ran outside compiled code, each with its times."},
    MetricInfo{"hud:speedup", "", kHigherIsBetter, kTime,
               "Eager's median time by the backend's, as torch's dynamo runner or the PyTorch HUD "
               "wrote it."},
    MetricInfo{"abs_latency", "", kLowerIsBetter, kTime,
               "The backend's median time in ms, as torch's dynamo runner or the PyTorch HUD wrote "
               "it."},
    MetricInfo{"compilation_latency", "s", kLowerIsBetter, kCompile,
               "What compiling took, as torch's dynamo runner or the PyTorch HUD wrote it."},
};

constexpr MetricInfo kUnknownSeconds{
    "", "s", kLowerIsBetter, MetricFamily::kUnknown,
    "A time that the runner measured; this program knows no more."};
constexpr MetricInfo kUnknownCount{"", "count", kNeither, MetricFamily::kUnknown,
                                   "A count that the runner made; this program knows no more."};
constexpr MetricInfo kUnknownMetric{"", "", kNeither, MetricFamily::kUnknown,
                                    "A metric of the runner's that this program does not know."};

constexpr std::string_view kExecutionPrefix = "xla_ExecutionTime_";
constexpr std::string_view kExecutePrefix = "xla_ExecuteTime_";

}  // namespace

std::string_view family_name(MetricFamily family) {
  switch (family) {
    case kTime:
      return "time";
    case kTracing:
      return "tracing";
    case kCompile:
      return "compile";
    case kDevice:
      return "device";
    case kCounters:
      return "counters";
    case MetricFamily::kUnknown:
      break;
  }
  return "unknown";
}

std::span<const MetricInfo> known_metrics() { return kMetrics; }

const MetricInfo& metric_info(std::string_view name) {
  const std::string canonical = canonical_metric_name(name);
  for (const MetricInfo& metric : kMetrics) {
    if (metric.name == canonical) return metric;
  }
  if (canonical.ends_with("_time") || canonical.ends_with("_time_s")) return kUnknownSeconds;
  if (canonical.ends_with("_number")) return kUnknownCount;
  return kUnknownMetric;
}

std::string canonical_metric_name(std::string_view name) {
  if (!name.starts_with(kExecutionPrefix)) return std::string(name);
  std::string canonical(kExecutePrefix);
  canonical.append(name.substr(kExecutionPrefix.size()));
  return canonical;
}

}  // namespace benchhud::schema
