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
  const Trace& trace = context.trace();
  std::vector<bool> is_busy;  // by label
  is_busy.reserve(trace.labels.size());
  for (std::size_t i = 0; i < trace.labels.size(); ++i) {
    const SliceSide side = context.sides()[i];
    const trace::TraceLabel& label = trace.labels[i];
    is_busy.push_back(is_host(side) &&
                      (side != SliceSide::kAnnotation ||
                       is_compile_phase(trace.texts[label.name], trace.texts[label.category])));
  }
  auto set_aside = context.set_aside().begin();
  for (std::uint32_t i = 0; i < trace.slices.size(); ++i) {
    const TraceSlice& slice = trace.slices[i];
    if (set_aside != context.set_aside().end() && *set_aside == i) {
      ++set_aside;
      continue;
    }
    if (context.sides()[slice.label] == SliceSide::kProfiler) continue;
    report->begin = is_first ? slice.start : std::min(report->begin, slice.start);
    end = is_first ? slice.end() : std::max(end, slice.end());
    is_first = false;
    if (is_busy[slice.label]) busy.push_back({slice.start, slice.end()});
  }
  report->span = difference_of(end, report->begin);
  report->host_busy = total(merged(std::move(busy)));
}

enum class Note : std::uint8_t {
  kNone,
  kPython,
  kOverhead,
  kSynchronization,
  kCudaGraph,
  kPageableCopy
};

Note note_of(std::string_view name, SliceSide side) {
  if (side == SliceSide::kPython) return Note::kPython;
  if (side == SliceSide::kOverhead) return Note::kOverhead;
  if (side == SliceSide::kRuntime) {
    if (is_synchronization(name)) return Note::kSynchronization;
    if (name.starts_with("cudaGraphLaunch") || name.starts_with("cuGraphLaunch")) {
      return Note::kCudaGraph;
    }
  }
  const bool is_pageable =
      side == SliceSide::kMemcpy && name.find("Pageable") != std::string_view::npos;
  return is_pageable ? Note::kPageableCopy : Note::kNone;
}

ProfilingNotes profiling_notes(const TraceContext& context) {
  const Trace& trace = context.trace();
  ProfilingNotes notes;
  notes.cuda_driver = trace.cuda_driver;
  std::vector<Note> of_labels;
  of_labels.reserve(trace.labels.size());
  for (std::size_t i = 0; i < trace.labels.size(); ++i) {
    of_labels.push_back(note_of(trace.texts[trace.labels[i].name], context.sides()[i]));
  }
  for (const TraceSlice& slice : trace.slices) {
    switch (of_labels[slice.label]) {
      case Note::kNone:
        break;
      case Note::kPython:
        ++notes.python_frames;
        break;
      case Note::kOverhead:
        notes.overhead.add(slice.duration);
        break;
      case Note::kSynchronization:
        notes.synchronizations.add(slice.duration);
        break;
      case Note::kCudaGraph:
        ++notes.cuda_graph_launches;
        break;
      case Note::kPageableCopy:
        notes.pageable_copies.add(slice.duration);
        break;
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
  return trace_report(context, launching_operators(context));
}

TraceReport trace_report(const TraceContext& context, const std::vector<std::uint32_t>& operators) {
  const Trace& trace = context.trace();
  const TraceNesting& nesting = context.nesting();
  TraceReport report;
  add_extent(context, &report);
  report.max_depth = nesting.max_depth;
  report.overlaps = nesting.overlaps;
  report.problem_count = trace.problem_count;
  report.unclosed = trace.unclosed;

  const std::vector<std::int64_t> device_times = device_time_of_slices(context, operators);
  report.activity = device_activity(context);
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
