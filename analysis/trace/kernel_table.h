// What ran on devices, by name and by the operator behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/device_activity.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// The operator behind each of TraceContext::device(), as the index of its slice; kNoSlice: nothing
/// says which. The one that has the device slice's `External id`, if it is around the call that
/// launched it or that call is not in the trace; else the innermost around the call. Traces in
/// which most ids lead to operators that are not around the call (PyTorch wrote such in 2022 and
/// 2023) have ids of another kind: there only calls count.
std::vector<std::uint32_t> launching_operators(const TraceContext& context);

/// ns on devices of what each slice of the host launched, itself or by what lies within it, by the
/// slice's index. `operators`: as launching_operators() gives them.
std::vector<std::int64_t> device_time_of_slices(const TraceContext& context,
                                                const std::vector<std::uint32_t>& operators);

/// A kernel shorter than this cannot keep a device busy, for launching the next takes the host
/// about as long, ns.
inline constexpr std::int64_t kShortKernel = 10'000;

struct KernelRow {
  std::string name;
  DeviceSlice::Kind kind = DeviceSlice::Kind::kOther;
  TimeTotals time;
  /// Of the time of all rows, which may run at once: all shares add up to 1.
  double share = 0;
};

struct LaunchingOperatorRow {
  std::string name;  ///< "": nothing says which
  TimeTotals time;   ///< of what it launched
  double share = 0;  ///< as KernelRow's
};

/// Kernels, copies and sets, the longest together first.
struct KernelTable {
  std::vector<KernelRow> rows;
  std::int64_t rows_left_out = 0;
  TimeTotals left_out;  ///< what those make
  std::vector<LaunchingOperatorRow> operators;
  std::int64_t operators_left_out = 0;
  TimeTotals operators_left_out_time;
  TimeTotals all;
  std::int64_t kernels = 0;        ///< without copies and sets
  std::int64_t short_kernels = 0;  ///< of those, shorter than kShortKernel
};

/// At most `most` rows of each list.
KernelTable kernel_table(const TraceContext& context, const std::vector<std::uint32_t>& operators,
                         std::size_t most);

}  // namespace benchhud::analysis
