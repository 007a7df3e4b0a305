// What a profiler counted: PyTorch's key_averages() tables, PyTorch/XLA's metrics report, dynamo's
// counters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchhud::schema {

/// What could not be read of a dump.
struct DumpProblem {
  std::int64_t line = 0;  ///< counted from 1
  std::string reason;
};

/// A column of an operator table, by its header.
struct OperatorColumn {
  enum class Kind : std::uint8_t { kText, kTime, kPercent, kBytes, kNumber };
  std::string name;  ///< "Self CPU"
  Kind kind = Kind::kText;
};

struct OperatorCell {
  std::string text;  ///< as printed, without the spaces around
  /// kTime: ns; kPercent: of a hundred; kBytes: bytes. None for `--` and for texts.
  std::optional<double> value;
};

/// A table of torch.profiler's key_averages(): a row an operator, columns by the profiler's
/// settings.
struct OperatorTable {
  std::vector<OperatorColumn> columns;
  std::vector<std::vector<OperatorCell>> rows;  ///< each as long as `columns`
  /// "Self CPU time total" and its like below the table, ns.
  std::vector<std::pair<std::string, double>> totals;

  /// The column of that name, if there is one.
  std::optional<std::size_t> column(std::string_view name) const;
};

/// A value of PyTorch/XLA's metrics report.
struct MetricValue {
  enum class Kind : std::uint8_t { kTime, kBytes, kNumber };
  Kind kind = Kind::kNumber;
  double value = 0;  ///< ns, bytes or a number
  std::string text;  ///< as printed
};

struct XlaMetric {
  std::string name;
  std::int64_t total_samples = 0;
  std::optional<MetricValue> accumulator;
  std::optional<MetricValue> value_rate;                    ///< a second
  std::optional<double> rate;                               ///< samples a second
  std::vector<std::pair<double, MetricValue>> percentiles;  ///< by percent
};

/// torch_xla.debug.metrics.metrics_report().
struct MetricsReport {
  std::vector<XlaMetric> metrics;
  std::vector<std::pair<std::string, std::int64_t>> counters;
};

/// torch._dynamo.utils.counters: what dynamo and the compilers behind it counted.
struct DynamoCounters {
  struct Group {
    std::string name;                                            ///< "graph_break"
    std::vector<std::pair<std::string, std::int64_t>> counters;  ///< in the dump's order
  };
  std::vector<Group> groups;  ///< in the dump's order, those without counters too
};

}  // namespace benchhud::schema
