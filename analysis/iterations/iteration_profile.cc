#include "analysis/iterations/iteration_profile.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <utility>

#include "analysis/trace/label_class.h"
#include "analysis/trace/time_spans.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/xla_iterations.h"
#include "trace/xla_profile.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::Trace;
using trace::TraceSlice;
using Part = IterationPart;

namespace {

constexpr std::size_t kMeasuredParts = kIterationParts - 1;

constexpr std::string_view kNoHost = "The profile has no events of the host.";
constexpr std::string_view kNoDevice =
    "Nothing ran on a device: the host executes what it calls itself.";
constexpr std::string_view kNoCompilingRecords =
    "The profile has neither operators nor annotations of the host, which a compilation would be "
    "among.";
constexpr std::string_view kNoXlaMarks =
    "The profile has no compilation, and none of the marks that PyTorch/XLA leaves: whether it "
    "would show one is not known.";
constexpr std::string_view kNoTracingMarks =
    "The profile has none of the marks that PyTorch/XLA leaves where it traces.";
constexpr std::string_view kNoMarksOfWaiting =
    "The profile has none of the marks that PyTorch/XLA leaves, and no calls of a device's "
    "runtime.";
constexpr std::string_view kNoOperators = "The profile has no operators of the host.";
constexpr std::string_view kNoRuntimeCalls = "The profile has no calls of the device's runtime.";
constexpr std::string_view kNothingExecutes =
    "The profile shows nothing that is known to execute the model.";

// The marks of PyTorch/XLA are the names of its TraceMes, in torch_xla/csrc (xla_graph_executor.cpp
// and runtime/pjrt_computation_client.cpp, of IFRT likewise).
Part part_of_xla_mark(std::string_view name) {
  const auto is_any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_any({"DeviceBarrier", "TensorCollectionBarrier"}) || name.ends_with("::WaitDeviceOps")) {
    return Part::kWaiting;
  }
  const std::size_t client = name.rfind("ComputationClient::");
  if (client != name.npos) {
    const std::string_view call = name.substr(name.rfind("::") + 2);
    if (call.starts_with("Transfer") || call == "CopyToDevice" || call == "ReshardData") {
      return Part::kTransferring;
    }
    if (call.starts_with("Execute")) return Part::kTracing;
    return Part::kUnknown;
  }
  // What contains these, StepMarker and SyncTensorsGraph, may wait for the device as well.
  const bool traces = is_any({"CollectSyncTensors", "RunPostOrder", "ExtractIRAndPrepareXlaData_",
                              "ScheduleSyncTensorsGraph", "SyncTensorsGraphInternal",
                              "BuildInputOutputAlias", "ExecuteComputationWithBarrier"});
  return traces ? Part::kTracing : Part::kUnknown;
}

// Of slices of the host that stand for themselves, kUnknown for others.
Part part_of_label(std::string_view name, std::string_view category, SliceSide side,
                   std::string_view label_class, bool has_device) {
  if (label_class == "compile" || is_xla_compilation(name, category)) return Part::kCompiling;
  if (is_dynamo_lookup(name)) return Part::kTracing;
  // On a CPU nothing tells calling an operator from executing it.
  if (label_class == "operator" || label_class == "compiled") {
    return has_device ? Part::kTracing : Part::kUnknown;
  }
  if (side == SliceSide::kRuntime) {
    return is_synchronization(name) ? Part::kWaiting : Part::kTracing;
  }
  return side == SliceSide::kHost ? part_of_xla_mark(name) : Part::kUnknown;
}

// Whether nothing ran on a device, and that is known.
bool is_without_device(const TraceContext& context) {
  return context.device().empty() && context.unknowns().device.empty();
}

/// When each part of an iteration goes on.
struct PartSpans {
  std::array<std::vector<TimeSpan>, kMeasuredParts> of;
  bool has_host = false;
  bool has_runtime = false;  ///< calls of a device's runtime
  /// PyTorch's operators or annotations of the host, among which compilations would be.
  bool has_records = false;
  bool has_xla_marks = false;
  bool shows_tracing = false;  ///< by more than calls of a device's runtime
  std::vector<TimeSpan>& at(Part part) { return of[static_cast<std::size_t>(part)]; }
};

// What each label's slices are spent on, those of devices and find_executing_slices() aside.
std::vector<Part> parts_of_labels(const TraceContext& context) {
  const Trace& trace = context.trace();
  const bool has_device = !is_without_device(context);
  std::vector<Part> parts;
  parts.reserve(trace.labels.size());
  for (std::size_t i = 0; i < trace.labels.size(); ++i) {
    const trace::TraceLabel& label = trace.labels[i];
    const SliceSide side = context.sides()[i];
    if (!is_host(side) || side == SliceSide::kUnknown) {
      parts.push_back(Part::kUnknown);
    } else {
      const std::string_view name = trace.texts[label.name], category = trace.texts[label.category];
      parts.push_back(part_of_label(name, category, side,
                                    label_class(name, category, label.role).name, has_device));
    }
  }
  return parts;
}

PartSpans part_spans(const TraceContext& context, const std::vector<bool>& executing) {
  PartSpans spans;
  const std::vector<Part> parts = parts_of_labels(context);
  for (std::uint32_t i = 0; i < context.trace().slices.size(); ++i) {
    const TraceSlice& slice = context.slice(i);
    const SliceSide side = context.sides()[slice.label];
    spans.has_host = spans.has_host || (is_host(side) && side != SliceSide::kUnknown);
    spans.has_runtime = spans.has_runtime || side == SliceSide::kRuntime;
    const bool executes = !executing.empty() && executing[i];
    const Part part = executes ? Part::kExecuting : parts[slice.label];
    const bool is_mark =
        !executes && side == SliceSide::kHost && part != Part::kUnknown && part != Part::kCompiling;
    spans.has_records = spans.has_records || side == SliceSide::kOperator ||
                        (side == SliceSide::kAnnotation && !context.trace().xla);
    spans.has_xla_marks = spans.has_xla_marks || is_mark;
    spans.shows_tracing =
        spans.shows_tracing || (part == Part::kTracing && side != SliceSide::kRuntime);
    if (part != Part::kUnknown && slice.duration > 0) {
      add_span(&spans.at(part), {slice.start, slice.end()});
    }
  }
  for (const DeviceSlice& device : context.device()) {
    const TraceSlice& slice = context.slice(device.slice);
    if (slice.duration <= 0) continue;
    const bool copies = context.side(device.slice) == SliceSide::kMemcpy;
    add_span(&spans.at(copies ? Part::kTransferring : Part::kExecuting),
             {slice.start, slice.end()});
  }
  for (std::vector<TimeSpan>& one : spans.of) one = merged(std::move(one));
  return spans;
}

// From the first beginning to the last end, the profiler's own window aside.
std::optional<TimeSpan> whole_profile(const TraceContext& context) {
  std::optional<TimeSpan> whole;
  for (std::uint32_t i = 0; i < context.trace().slices.size(); ++i) {
    if (context.is_set_aside(i) || context.side(i) == SliceSide::kProfiler) continue;
    const TraceSlice& slice = context.slice(i);
    if (!whole) whole = {slice.start, slice.end()};
    whole->begin = std::min(whole->begin, slice.start);
    whole->end = std::max(whole->end, slice.end());
  }
  return whole;
}

std::vector<TimeSpan> find_iterations_of(const TraceContext& context, IterationProfile* profile) {
  std::vector<TimeSpan> spans;
  const auto found = xla_iterations(context, std::numeric_limits<std::size_t>::max());
  spans.reserve(found.iterations.size());
  for (const XlaIteration& one : found.iterations) {
    spans.push_back({one.begin, sum_of(one.begin, one.duration)});
  }
  if (!spans.empty()) {
    profile->found_by = name_of(found.found_by);
  } else if (context.trace().xla == nullptr) {
    for (const std::uint32_t step : profiler_steps(context.trace(), context.sides())) {
      spans.push_back({context.slice(step).start, context.slice(step).end()});
    }
    if (!spans.empty()) profile->found_by = "profiler_steps";
  }
  profile->count = std::ssize(spans);
  const bool is_marked = !spans.empty();
  if (!is_marked) {
    if (const auto whole = whole_profile(context)) spans.push_back(*whole);
  }
  for (const TimeSpan& span : spans) {
    profile->length = sum_of(profile->length, difference_of(span.end, span.begin));
  }
  for (std::size_t i = 0; is_marked && i < std::min(spans.size(), kMostIterations); ++i) {
    const auto& [begin, end] = spans[i];
    profile->iterations.push_back({begin, difference_of(end, begin), {}, {}});
  }
  return spans;
}

std::int64_t covered_by(const std::vector<TimeSpan>& iterations, const SpanIndex& index) {
  std::int64_t sum = 0;
  for (const TimeSpan& one : iterations) sum = sum_of(sum, index.covered(one.begin, one.end));
  return sum;
}

std::int64_t covered_by(const IterationTimes& one, const SpanIndex& index) {
  return index.covered(one.begin, sum_of(one.begin, one.duration));
}

// The union of two sets of spans, both as merged() makes them.
std::vector<TimeSpan> united(std::vector<TimeSpan> a, const std::vector<TimeSpan>& b) {
  const auto middle = std::ssize(a);
  a.insert(a.end(), b.begin(), b.end());
  std::inplace_merge(
      a.begin(), a.begin() + middle, a.end(),
      [](const TimeSpan& one, const TimeSpan& other) { return one.begin < other.begin; });
  return merged(std::move(a));
}

// Why a part is not known of this profile; "" where it is.
std::string_view unknown_of(Part part, const TraceContext& context, const PartSpans& spans) {
  const bool is_on_device = !context.device().empty();
  const auto has = [&](Part one) { return !spans.of[static_cast<std::size_t>(one)].empty(); };
  const bool is_of_xla = context.trace().xla != nullptr;
  if (part == Part::kCompiling) {
    if (has(Part::kCompiling) || spans.has_records || spans.has_xla_marks) return "";
    if (!spans.has_host) return kNoHost;
    return is_of_xla ? kNoXlaMarks : kNoCompilingRecords;
  }
  if (!context.unknowns().device.empty()) return context.unknowns().device;
  switch (part) {
    case Part::kExecuting:
      return has(Part::kExecuting) ? "" : kNothingExecutes;
    case Part::kTransferring: {
      if (has(Part::kTransferring)) return "";
      if (!is_on_device) return kNoDevice;
      // A TPU's copies are its host's to show; other devices have streams for them.
      const bool is_tpu = std::ranges::any_of(context.device(), [&](const DeviceSlice& one) {
        return context.side(one.slice) == SliceSide::kDeviceOperator;
      });
      return is_tpu && !has(Part::kTracing) ? kNoTracingMarks : "";
    }
    case Part::kWaiting:
      if (has(Part::kWaiting)) return "";
      if (!spans.has_host) return kNoHost;
      if (!is_on_device) return kNoDevice;
      if (is_of_xla) return has(Part::kTracing) ? "" : kNoMarksOfWaiting;
      return spans.has_runtime ? "" : kNoRuntimeCalls;
    case Part::kTracing:
      if (spans.shows_tracing) return "";
      if (!spans.has_host) return kNoHost;
      if (is_of_xla) return kNoTracingMarks;
      return is_on_device ? kNoOperators : kNoDevice;
    default:
      return "";
  }
}

void add_parts(const TraceContext& context, const std::vector<TimeSpan>& iterations,
               const PartSpans& spans, IterationProfile* profile) {
  std::vector<TimeSpan> taken;
  std::int64_t rest = profile->length;
  for (std::size_t i = 0; i < kMeasuredParts; ++i) {
    const std::string_view unknown = unknown_of(static_cast<Part>(i), context, spans);
    IterationPartTime& part = profile->parts[i];
    const std::vector<TimeSpan>& all = spans.of[i];
    if (unknown.empty() || !all.empty()) part.with_overlap = covered_by(iterations, SpanIndex(all));
    if (!unknown.empty()) {
      part.unknown = unknown;
      continue;
    }
    const SpanIndex own(without(all, taken));
    part.time = covered_by(iterations, own);
    for (IterationTimes& one : profile->iterations) one.parts[i] = covered_by(one, own);
    rest = difference_of(rest, *part.time);
    taken = united(std::move(taken), all);
  }
  profile->of(Part::kUnknown).time = rest;
  for (IterationTimes& one : profile->iterations) {
    std::int64_t left = one.duration;
    for (const auto& part : one.parts) left = difference_of(left, part.value_or(0));
    one.parts[static_cast<std::size_t>(Part::kUnknown)] = left;
  }
}

void add_device(const TraceContext& context, const std::vector<TimeSpan>& iterations,
                IterationProfile* profile) {
  if (context.device().empty()) {
    const std::string& unknown = context.unknowns().device;
    profile->busy_unknown = unknown.empty() ? std::string(kNoDevice) : unknown;
    return;
  }
  std::vector<TimeSpan> work;
  std::map<KernelClass, std::int64_t> by_class;
  std::int64_t all = 0;
  for (const DeviceSlice& device : context.device()) {
    const TraceSlice& slice = context.slice(device.slice);
    add_span(&work, {slice.start, slice.end()});
    by_class[device.kind] = sum_of(by_class[device.kind], context.own_time(device));
    all = sum_of(all, context.own_time(device));
  }
  const SpanIndex busy(merged(std::move(work)));
  profile->busy = covered_by(iterations, busy);
  for (IterationTimes& one : profile->iterations) one.busy = covered_by(one, busy);
  const auto top =
      std::ranges::max_element(by_class, {}, [](const auto& of_class) { return of_class.second; });
  profile->top_class = name_of(top->first);
  profile->top_share = share_of(top->second, all);
}

// The time within the iterations of what framework_operators() adds up: each slice's part in them
// without the parts of what lies right within it.
std::int64_t operator_time_within(const TraceContext& context,
                                  const std::vector<TimeSpan>& iterations,
                                  const std::vector<bool>& executing) {
  const SpanIndex index(merged(iterations));
  std::int64_t sum = 0;
  const auto add = [&](std::uint32_t i, const auto& counts) {
    const std::uint32_t parent = context.parent(i);
    const bool is_within = parent != kNoSlice && counts(parent);
    const bool counts_itself = counts(i);
    if (counts_itself == is_within) return;
    const std::int64_t part = index.covered(context.slice(i).start, context.slice(i).end());
    sum = counts_itself ? sum_of(sum, part) : difference_of(sum, part);
  };
  if (!context.device().empty()) {
    const auto counts = [&](std::uint32_t i) { return is_device(context.side(i)); };
    for (const DeviceSlice& device : context.device()) add(device.slice, counts);
    return sum;
  }
  const auto counts = [&](std::uint32_t i) { return bool{executing[i]}; };
  for (std::uint32_t i = 0; i < context.trace().slices.size(); ++i) add(i, counts);
  return sum;
}

void take_larger(const std::optional<std::int64_t>& number, std::optional<std::int64_t>* largest) {
  if (number) largest->emplace(std::max(largest->value_or(0), *number));
}

void add_memory(const Trace& trace, IterationProfile* profile) {
  profile->memory = trace.memory;
  if (trace.xla) {
    for (const trace::XlaAllocator& one : trace.xla->allocators) {
      take_larger(one.peak_bytes, &profile->peak_memory);
    }
  }
  if (profile->peak_memory) {
    profile->peak_memory_of = PeakMemoryOf::kXlaAllocator;
    return;
  }
  const auto is_cpu = [](const trace::DeviceMemory& one) {
    return one.type == trace::DeviceMemory::kCpuType;
  };
  // What the host holds beside a device says nothing of the device's memory.
  const bool is_of_cpu = std::ranges::all_of(trace.memory.devices, is_cpu);
  for (const trace::DeviceMemory& one : trace.memory.devices) {
    if (is_cpu(one) != is_of_cpu) continue;
    take_larger(one.peak_allocated, &profile->peak_memory);
    take_larger(one.peak_reserved, &profile->peak_reserved);
  }
  if (profile->peak_memory) {
    profile->peak_memory_of = is_of_cpu ? PeakMemoryOf::kPytorchCpu : PeakMemoryOf::kPytorchDevice;
  }
}

}  // namespace

std::string_view name_of(IterationPart part) {
  constexpr std::array<std::string_view, kIterationParts> kNames = {
      "compiling", "executing", "transferring", "waiting", "tracing", "unknown"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string_view iteration_part_definition(IterationPart part) {
  constexpr std::array<std::string_view, kIterationParts> kDefinitions = {
      "The host turns graphs into programs: torch.compile's phases, Dynamo's reading of bytecode "
      "included, and XLA's compilations.",
      "The device computes: kernels, sets of memory, communication, a TPU's operators. Where "
      "nothing ran on a device the host executes: PyTorch's operators and compiled regions, or "
      "XLA's operators.",
      "Data is copied: a device's copies in any direction, and PyTorch/XLA's transfers on the "
      "host.",
      "The host waits for the device: synchronizing calls of its runtime, and PyTorch/XLA's "
      "barriers.",
      "The host prepares work: PyTorch's operators and compiled regions that give it out, calls of "
      "the runtime, TorchDynamo's guards; PyTorch/XLA's collecting, scheduling and giving out of "
      "graphs.",
      "None of these goes on, or the profile does not show it."};
  return kDefinitions[static_cast<std::size_t>(part)];
}

std::string_view name_of(PeakMemoryOf of) {
  constexpr std::array<std::string_view, kPeakMemoryKinds> kNames = {
      "xla_allocator", "pytorch_device", "pytorch_cpu"};
  return kNames[static_cast<std::size_t>(of)];
}

std::string_view words_of(PeakMemoryOf of) {
  constexpr std::array<std::string_view, kPeakMemoryKinds> kWords = {
      "allocated and reserved by an allocator of XLA", "allocated by PyTorch on a device",
      "allocated by PyTorch on the CPU since the profiler began"};
  return kWords[static_cast<std::size_t>(of)];
}

std::string_view found_by_words(std::string_view found_by) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords = {
      {{"profiler_steps", "steps of the profiler"},
       {"annotations", "annotated steps"},
       {"device_steps", "steps of the device"},
       {"step_marks", "step marks of PyTorch/XLA"},
       {"module_runs", "runs of the module that takes the most time"},
       {"whole_profile", "the whole profile"}}};
  const auto* const found =
      std::ranges::find(kWords, found_by, [](const auto& one) { return one.first; });
  return found == kWords.end() ? found_by : found->second;
}

IterationProfile iteration_profile(const TraceContext& context,
                                   const std::vector<std::uint32_t>& device_operators) {
  IterationProfile profile;
  const std::vector<TimeSpan> iterations = find_iterations_of(context, &profile);
  // What the host executes counts only where nothing ran on a device.
  std::vector<bool> executing;
  if (is_without_device(context)) executing = find_executing_slices(context);
  const PartSpans spans = part_spans(context, executing);
  add_parts(context, iterations, spans, &profile);
  add_device(context, iterations, &profile);
  profile.operators = framework_operators(context, device_operators, executing);
  if (profile.operators.where != FrameworkOperators::Where::kNowhere) {
    profile.operators.in_iterations = operator_time_within(context, iterations, executing);
  }
  if (profile.of(Part::kCompiling).time)
    profile.compiling = total(spans.of[static_cast<std::size_t>(Part::kCompiling)]);
  add_memory(context.trace(), &profile);
  return profile;
}

}  // namespace benchhud::analysis
