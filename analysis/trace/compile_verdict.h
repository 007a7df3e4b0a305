// Is torch.compile applied at all?
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/compiled_code.h"
#include "analysis/trace/compiled_pairs.h"
#include "analysis/trace/device_activity.h"
#include "analysis/trace/inductor_operators.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// Operators of one name that were called in compiled graphs instead of generated.
struct HandedBackRow {
  std::string name;
  TimeTotals time;                         ///< of the host
  std::int64_t device = 0;                 ///< ns on devices of what they launched
  Lowering lowering = Lowering::kUnknown;  ///< if generated, the backend was another
};

/// More than this part of the time outside of compiled code: applied only in part. Of devices' time
/// where there are devices, else of operators' on the host.
/// What a training step does around its model (loss, gradients' reset, logging) is less than that.
inline constexpr double kPartlyShare = 0.5;
/// At most this part of operators, of those whose Lowering is known, may be such that Inductor
/// generates. In compiled code a few are called where tracing ended in a fallback; beside compiled
/// code that left no mark a few are the program's own. Operators whose lowering is unknown count on
/// neither side: views and copies alone would outnumber both.
inline constexpr double kGeneratedShare = 0.1;

struct CompileVerdict {
  enum class Applied : std::uint8_t { kYes, kNo, kPartly, kCannotTell };
  Applied applied = Applied::kCannotTell;
  std::vector<std::string> evidence;  ///< sentences, the most telling first
  /// In compiled graphs, the longest on host and device together first.
  std::vector<HandedBackRow> handed_back;
  std::int64_t handed_back_left_out = 0;
  TimeTotals handed_back_all;
  TimeTotals handed_back_called;       ///< of those that Inductor always calls
  std::int64_t generated_kernels = 0;  ///< Inductor's Triton kernels on devices
};

/// Yes: compiled regions (PyTorch 2.2 and newer), compiled functions (2.0, where gradients are
/// required) or Inductor's Triton kernels ran. Partly: they did, but most operators ran outside of
/// them (kPartlyShare), or they only captured a graph whose operators then ran one by one. No:
/// operators ran, and none of these, though there were gradients, or kernels, or operators that
/// Inductor would have generated (more than kGeneratedShare). Cannot tell: nothing of that; PyTorch
/// before 2.2 leaves no mark of inference on a CPU. (After "Profiling to understand torch.compile
/// performance" of PyTorch's documentation.)
CompileVerdict compile_verdict(const TraceContext& context, const CompiledRegions& regions,
                               const CompiledCode& code, const CompiledPairs& pairs,
                               const std::vector<std::int64_t>& device_times, std::size_t most);

}  // namespace benchhud::analysis
