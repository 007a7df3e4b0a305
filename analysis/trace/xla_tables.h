// Tables of XLA's operators: each by itself, by category, framework operator and module, with their
// share of the device's time, their rates and what bounds them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/xla_profile.h"

namespace benchhud::analysis {

/// What an operator is bound by: the resource that it uses most, of those whose peak the file says.
/// Its compute rate and the bandwidth of the device's memories are compared with their peaks.
struct XlaBound {
  std::string_view resource;  ///< "compute", "hbm", "cmem_read", …
  double utilization = 0;     ///< of the resource's peak, 1: all of it
};

/// None where the device's peak compute rate or bandwidth of its main memory, or the operator's
/// FLOPs or bytes, are not known, or it uses nothing, or more than there is: an operator that
/// starts a copy (`copy-start`) has the cost of what goes on when it has ended. `executions`: how
/// many the cost must be of.
std::optional<XlaBound> xla_bound(const trace::XlaPeaks& peaks, const trace::XlaCost& cost,
                                  std::int64_t executions, std::int64_t time_ps);

enum class XlaGrouping : std::uint8_t { kOperator, kCategory, kFrameworkOp, kModule };
/// "operator", "category", "framework_op", "module".
inline constexpr std::array<std::string_view, 4> kXlaGroupings = {"operator", "category",
                                                                  "framework_op", "module"};

/// An operator, or what operators of one device have in common: texts that they do not have in
/// common are 0, as are those that the file does not say.
struct XlaTableRow {
  trace::XlaOperator sums;
  std::int64_t operators = 0;
  /// Executions that the cost is of. An operator's cost is that of what it calls as well: of
  /// several operators only those within which is none have one, so that nothing is in it twice.
  std::int64_t costed = 0;
  /// Operators whose kernels make no executions that could be counted: occurrences are not known.
  std::int64_t without_occurrences = 0;
  /// By module: the module's runs, where the file says them.
  std::optional<std::int64_t> runs, run_ps;
  double share_of_span = 0;  ///< its self time in the device's span, idle time included
  double share_of_self = 0;  ///< … in the self time of all operators
  std::optional<XlaBound> bound;
  /// Its rates would be more than the device can do, so that there are none.
  bool is_beyond_peaks = false;

  /// None where the file does not say the cost of every execution.
  std::optional<std::int64_t> flops() const;
  std::optional<std::int64_t> bytes() const;
  /// FLOP/s and bytes/s over time(); FLOPs by byte.
  std::optional<double> flops_per_s() const;
  std::optional<double> bytes_per_s() const;
  std::optional<double> intensity() const;
  /// What rates are over: of one operator all of its time, as its cost is that of what it calls as
  /// well; of several their self times, which have no moment twice.
  std::int64_t time() const { return operators == 1 ? sums.time_ps : sums.self_ps; }
};

/// The rows of a device, or of all, each device's for themselves: the longest self time first.
std::vector<XlaTableRow> xla_table(const trace::XlaProfile& profile, XlaGrouping grouping,
                                   std::optional<std::uint32_t> device = {});

/// The kernels of a device, or of all: the longest together first.
std::vector<trace::XlaKernel> xla_kernels(const trace::XlaProfile& profile,
                                          std::optional<std::uint32_t> device = {});

/// The self time of all operators of each device, those that are in no row included, ps.
std::vector<std::int64_t> xla_self_times(const trace::XlaProfile& profile);

/// "tpu", "gpu", "cpu".
std::string_view name_of(trace::XlaDevice::Kind kind);

}  // namespace benchhud::analysis
