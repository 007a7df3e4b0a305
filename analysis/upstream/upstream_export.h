// What the benchmark runner's own result_analyzer.py computes from the metrics of a line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/model/types.h"

namespace benchhud::analysis {

/// numpy before 1.25 calls its functions amin and amax, and the columns are named after them.
enum class ExtremeNames { kAmin, kMin };

/// A column of one line. Without a value: not applicable, which upstream writes as the integer -1.
struct ExportValue {
  std::string column;
  std::optional<double> value;
};

/// For each metric of numbers `amin_`, `median_` and `amax_` over all samples and, without the
/// first, `mean_` and `std_` (of the population), in the metrics' order; then `dynamo_compile_time`
/// and `xla_compile_time`, the largest total_time less the median one, where total_time is there. A
/// null sample is a NaN. Nested metrics and empty ones have no columns. trace_per_iter_time is not
/// applicable without xla, and a compile time not without its compiler. Units are the metrics' own.
std::vector<ExportValue> upstream_export(std::span<const schema::Measurement> metrics, bool has_xla,
                                         bool has_dynamo, ExtremeNames names);

}  // namespace benchhud::analysis
