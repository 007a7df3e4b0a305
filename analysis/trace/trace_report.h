// Everything that a trace tells, in one piece of bounded size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/trace/autograd_links.h"
#include "analysis/trace/compile_verdict.h"
#include "analysis/trace/compiled_code.h"
#include "analysis/trace/compiled_frames.h"
#include "analysis/trace/compiled_pairs.h"
#include "analysis/trace/compiled_regions.h"
#include "analysis/trace/copy_bandwidth.h"
#include "analysis/trace/device_activity.h"
#include "analysis/trace/device_breakdown.h"
#include "analysis/trace/graph_break_tree.h"
#include "analysis/trace/kernel_table.h"
#include "analysis/trace/launch_queue.h"
#include "analysis/trace/launch_stats.h"
#include "analysis/trace/operator_table.h"
#include "analysis/trace/step_breakdown.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_advice.h"
#include "analysis/trace/trace_compile_time.h"
#include "analysis/trace/trace_flows.h"
#include "analysis/trace/xla_iterations.h"
#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

/// Rows of each table of a report; what is beyond is counted. A hostile trace has a million names.
inline constexpr std::size_t kMostReportRows = 100;
inline constexpr std::size_t kMostReportQueues = 16;
inline constexpr std::size_t kMostReportIterations = 1000;

/// What the profiler and the host say of the measurement itself.
struct ProfilingNotes {
  std::int64_t python_frames = 0;   ///< slices of Python functions (with_stack)
  TimeTotals overhead;              ///< the profiler's own work, as it says
  TimeTotals synchronizations;      ///< calls of the runtime in which the host waits for a device
  std::int64_t graph_launched = 0;  ///< device slices that came out of CUDA or HIP graphs
  std::int64_t cuda_graph_launches = 0;  ///< calls that launched CUDA graphs
  std::int64_t cuda_driver = 0;          ///< as Trace::cuda_driver; 0: not known
  TimeTotals pageable_copies;            ///< between a device and memory that is not pinned
};

struct TraceReport {
  /// From the first beginning to the last end of slices, the profiler's window aside, ns.
  std::int64_t begin = 0, span = 0;
  /// ns in which the host did anything that the trace shows: the union of operators, annotations
  /// of compilation, runtime calls and the like, user annotations and steps aside.
  std::int64_t host_busy = 0;
  std::int64_t max_depth = 0, overlaps = 0;
  DeviceActivity activity;
  DeviceBreakdown breakdown;
  KernelTable kernels;
  LaunchStats launches;
  std::vector<LaunchQueue> queues;
  std::int64_t queues_left_out = 0;
  std::vector<CopyRow> copies;
  std::int64_t copies_left_out = 0;
  StepBreakdown steps;
  OperatorTable operators;
  FlowCounts flows;
  AutogradLinks autograd;
  CompiledRegions regions;
  GraphBreakTree graph_breaks;
  CompiledFrames frames;
  CompiledPairs pairs;
  CompiledCode code;  ///< without its operators, which are many
  TraceCompileTime compile_time;
  CompileVerdict verdict;
  ProfilingNotes notes;
  XlaIterations xla_iterations;
  XlaCompiling xla_compiling;
  std::int64_t dropped_events = 0;               ///< that the profiler says it dropped
  std::int64_t problem_count = 0, unclosed = 0;  ///< of the trace
  std::vector<Advice> advice;
};

/// Time grows with the number of slices times its logarithm.
TraceReport trace_report(const trace::Trace& trace);
/// Of a trace that is nested already.
TraceReport trace_report(const trace::Trace& trace, const trace::TraceNesting& nesting);
TraceReport trace_report(const TraceContext& context);
/// `operators`: as launching_operators() gives them.
TraceReport trace_report(const TraceContext& context, const std::vector<std::uint32_t>& operators);

}  // namespace benchhud::analysis
