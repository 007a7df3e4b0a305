// The metrics that the runner writes: what each is called, counts and means.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace benchhud::schema {

/// Which way a metric moves when things get better.
enum class Direction : std::uint8_t { kLowerIsBetter, kHigherIsBetter, kNeither };

/// What a metric tells about; the pages group metrics by it.
enum class MetricFamily : std::uint8_t {
  kTime,      ///< wall time of the timed iterations
  kTracing,   ///< time until the call returns, the device not waited for
  kCompile,   ///< compiling
  kDevice,    ///< times of the profiler, by device
  kCounters,  ///< how often something happened
  kUnknown,   ///< a metric that this program has no entry for
};

/// The family's name in JSON: `time`, `tracing`, `compile`, `device`, `counters`, `unknown`.
std::string_view family_name(MetricFamily family);

struct MetricInfo {
  std::string_view name;  ///< canonical
  std::string_view unit;  ///< `s`, `count`, or "" where samples have none
  Direction direction;
  MetricFamily family;
  std::string_view explanation;  ///< one sentence
};

/// All metrics known, in the order in which pages list them.
std::span<const MetricInfo> known_metrics();

/// The entry for a metric by its canonical name or an alias of it. A metric without one gets an
/// entry of family kUnknown with an empty name; unit and direction are then guessed from the
/// name's ending (`_time`, `_time_s`: seconds, lower is better; `_number`: a count).
const MetricInfo& metric_info(std::string_view name);

/// The name under which a metric is stored. `xla_ExecutionTime_*`, as the users' document has it,
/// is `xla_ExecuteTime_*`; any other name is itself.
std::string canonical_metric_name(std::string_view name);

}  // namespace benchhud::schema
