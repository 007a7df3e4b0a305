// Iterations of a profile of XLA, which PyTorch/XLA's benchmarks do not mark: from the program's
// own annotations, else from what the framework or the device does once in each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/time_spans.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

struct XlaIteration {
  std::int64_t begin = 0, duration = 0;  ///< ns, of the trace
  /// ns in which a device worked; none: the trace has nothing that a device did.
  std::optional<std::int64_t> busy;
};

struct XlaIterations {
  /// How they were found, in the order in which it is tried.
  enum class FoundBy : std::uint8_t {
    kNothing,      ///< there is nothing that happens once in each
    kAnnotations,  ///< StepTraceAnnotation, StepTrace: step_num, or _r
    kDeviceSteps,  ///< a TPU's line `Steps`
    kStepMarks,    ///< PyTorch/XLA's StepMarker, or the call that executes a graph of tensors
    kModuleRuns,   ///< runs of the module that takes the most time on a device
  };
  FoundBy found_by = FoundBy::kNothing;
  std::string name;   ///< of the annotation, the mark or the module
  std::string where;  ///< the device or thread that they were found on; "" where on several
  /// Marks or runs; those between which no whole iteration lies included.
  std::int64_t marks = 0;
  TimeTotals length;
  std::optional<std::int64_t> busy;      ///< of all, ns; none as in XlaIteration
  std::vector<XlaIteration> iterations;  ///< in the order of time, the first `most`
  std::int64_t left_out = 0;
};
/// "nothing", "annotations", "device_steps", "step_marks", "module_runs".
std::string_view name_of(XlaIterations::FoundBy found_by);

/// Between two marks is an iteration: what lies before the first and behind the last is none. Of
/// runs of a module each begins one, which ends where the next begins: what the last begins is not
/// whole, and no iteration, but where it is the only one; then the run itself is taken.
/// Of a trace that is no XPlane profile: none.
XlaIterations xla_iterations(const TraceContext& context, std::size_t most);

/// The iterations that the runs of one module make; `module`: its place in XlaProfile::modules.
std::vector<TimeSpan> iterations_of_runs(const trace::XlaProfile& profile, std::uint32_t module);

/// Whether a slice of that name and category is the host compiling with XLA.
bool is_xla_compilation(std::string_view name, std::string_view category);

/// The time in which the host compiled with XLA (ns): the union of its outermost compilations, and
/// how many those were.
struct XlaCompiling {
  std::int64_t count = 0, total = 0;
};
XlaCompiling xla_compiling(const TraceContext& context);

}  // namespace benchhud::analysis
