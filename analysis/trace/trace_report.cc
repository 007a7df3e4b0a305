#include "analysis/trace/trace_report.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/trace/time_spans.h"
#include "trace/xla_profile.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::Trace;
using trace::TraceNesting;
using trace::TraceSlice;

namespace {

void add_extent(const TraceContext& context, TraceReport* report) {
  std::vector<TimeSpan> busy;
  busy.reserve(context.trace().slices.size());
  bool is_first = true;
  std::int64_t end = 0;
  for (const TraceSlice& slice : context.trace().slices) {
    const SliceSide side = context.sides()[slice.label];
    if (side == SliceSide::kProfiler) continue;
    report->begin = is_first ? slice.start : std::min(report->begin, slice.start);
    end = is_first ? slice.end() : std::max(end, slice.end());
    is_first = false;
    const bool is_phase = is_compile_phase(context.trace().name(slice));
    if (is_host(side) && (side != SliceSide::kAnnotation || is_phase)) {
      busy.push_back({slice.start, slice.end()});
    }
  }
  report->span = difference_of(end, report->begin);
  report->host_busy = total(merged(std::move(busy)));
}

ProfilingNotes profiling_notes(const TraceContext& context) {
  const Trace& trace = context.trace();
  ProfilingNotes notes;
  for (const TraceSlice& slice : trace.slices) {
    const SliceSide side = context.sides()[slice.label];
    notes.python_frames += side == SliceSide::kPython;
    if (side == SliceSide::kOverhead) notes.overhead.add(slice.duration);
    if (side == SliceSide::kRuntime && trace.name(slice).ends_with("Synchronize")) {
      notes.synchronizations.add(slice.duration);
    }
    if (side == SliceSide::kMemcpy &&
        trace.name(slice).find("Pageable") != std::string_view::npos) {
      notes.pageable_copies.add(slice.duration);
    }
  }
  for (const DeviceSlice& device : context.device()) {
    if (device.launch == kNoSlice) continue;
    notes.graph_launched += context.name(device.launch).ends_with("GraphLaunch");
  }
  return notes;
}

}  // namespace

TraceReport trace_report(const Trace& trace) { return trace_report(trace, trace::nest(trace)); }

TraceReport trace_report(const Trace& trace, const TraceNesting& nesting) {
  return trace_report(TraceContext(trace, nesting));
}

TraceReport trace_report(const TraceContext& context) {
  const Trace& trace = context.trace();
  const TraceNesting& nesting = context.nesting();
  TraceReport report;
  add_extent(context, &report);
  report.max_depth = nesting.max_depth;
  report.overlaps = nesting.overlaps;
  report.problem_count = trace.problem_count;
  report.unclosed = trace.unclosed;

  const std::vector<std::uint32_t> operators = launching_operators(context);
  const std::vector<std::int64_t> device_times = device_time_of_slices(context, operators);
  report.activity = device_activity(trace, context.device());
  report.breakdown = device_breakdown(context);
  report.kernels = kernel_table(context, operators, kMostReportRows);
  report.launches = launch_stats(context, kMostReportRows);
  report.queues = launch_queues(context, kMostReportQueues, &report.queues_left_out);
  report.copies = copy_bandwidths(context, kMostReportRows, &report.copies_left_out);
  report.steps = step_breakdown(context, kMostReportRows);
  report.operators = operator_table(context, device_times, kMostReportRows);
  report.flows = count_flows(trace);
  report.autograd = autograd_links(context);

  const std::vector<CompiledRegion> regions = find_compiled_regions(trace, nesting);
  report.regions = compiled_regions(regions);
  report.frames = compiled_frames(context, regions);
  report.pairs = compiled_pairs(context, regions, report.autograd);
  report.code = compiled_code(context, regions, device_times);
  report.graph_breaks = graph_break_tree(context, regions, report.code);
  report.compile_time = compile_time(context);
  report.verdict = compile_verdict(context, report.regions, report.code, report.pairs, device_times,
                                   kMostReportRows);
  report.notes = profiling_notes(context);
  report.xla_iterations = xla_iterations(context, kMostReportIterations);
  report.xla_compiling = xla_compiling(context);
  if (trace.xla) report.dropped_events = trace.xla->dropped_events;

  // What has been counted need not be kept.
  report.code.operators = {};
  report.autograd.links = {};
  report.advice = trace_advice(report);
  return report;
}

}  // namespace benchhud::analysis
