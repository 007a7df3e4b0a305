// Time by the framework's operators (`aten::mm`), whatever compiled and ran them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// Whether one of Inductor's Triton kernels is called so, or a row of several of them.
bool is_triton_name(std::string_view name);

/// What profiles call an operator, as PyTorch calls it: of a path the last part
/// (`Linear[fc1]/aten__addmm`), without the type behind a colon and the number behind a dot that
/// XLA adds, with `::` for the `__` behind one of PyTorch's namespaces. Of one of Inductor's Triton
/// kernels its name without the number at its end (`triton_poi_fused_add_relu`), which changes with
/// the graph. Other names are as they are.
std::string framework_operator_name(std::string_view name);

/// By slice whether the host executes in it where nothing ran on a device: PyTorch's operators and
/// compiled regions but for what is within a compilation, which runs operators on tensors without
/// data; or XLA's operators.
std::vector<bool> find_executing_slices(const TraceContext& context);

struct FrameworkOperator {
  std::string name;
  std::int64_t time = 0;   ///< ns, without what lies within
  std::int64_t count = 0;  ///< of executions on the host, of kernels on a device
};

/// Of a whole profile: on devices if anything is known to have run on one, else on the host.
struct FrameworkOperators {
  enum class Where : std::uint8_t { kNowhere, kDevice, kHost };
  static constexpr std::size_t kMostRows = 1000;

  Where where = Where::kNowhere;        ///< kNowhere: it is not known what ran
  std::vector<FrameworkOperator> rows;  ///< the most time first, by name where it is the same
  FrameworkOperator rest;               ///< what is in no row because there are too many
  FrameworkOperator without_operator;   ///< what no operator is known of
  std::string unknown;                  ///< why there is such a time: a sentence, or ""
  std::int64_t total = 0;               ///< ns of all
  std::int64_t in_iterations = 0;       ///< ns of that within the iterations
  /// Whose times are added up here: devices of the profile, or 1, the host.
  std::int64_t device_count = 1;
  /// Inductor's Triton kernels have all of them a row by their own names, or are in `rest`: none is
  /// in `without_operator`.
  bool names_triton_kernels = false;
};
/// "nowhere", "device", "host".
std::string_view name_of(FrameworkOperators::Where where);

/// Of a device's kernels the operator that launched them, and of Inductor's Triton kernels the
/// kernel itself, which has several operators in it. Of XLA's operators the framework's that the
/// profile names. On the host PyTorch's own.
/// `device_operators`: as launching_operators() gives them. `executing`: as find_executing_slices()
/// does, of use where nothing ran on a device. `in_iterations` is left at 0.
FrameworkOperators framework_operators(const TraceContext& context,
                                       const std::vector<std::uint32_t>& device_operators,
                                       const std::vector<bool>& executing);

}  // namespace benchhud::analysis
