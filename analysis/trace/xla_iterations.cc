#include "analysis/trace/xla_iterations.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "analysis/trace/time_spans.h"
#include "trace/xla_profile.h"

namespace benchhud::analysis {

using trace::Trace;
using trace::TraceSlice;
using trace::XlaProfile;
using FoundBy = XlaIterations::FoundBy;

namespace {

// What PyTorch/XLA does once in an iteration, the surest first.
constexpr std::array<std::string_view, 5> kStepMarks = {
    "StepMarker", "SyncLiveTensorsGraph", "SyncTensorsGraph", "SyncTensorsGraphInternal",
    "ScheduleSyncTensorsGraph"};

struct FoundIterations {
  FoundBy by = FoundBy::kNothing;
  std::string_view name;
  std::string where = {};
  std::int64_t marks = 0;
  std::vector<TimeSpan> spans = {};
};

bool begins_before(const TimeSpan& a, const TimeSpan& b) { return a.begin < b.begin; }

std::string place_of(const Trace& trace, std::uint32_t thread) {
  const trace::TraceThread& of = trace.threads[thread];
  return of.process_name + " " + of.name;
}

// The largest of some groups of spans; of equally large ones the first.
template <class Groups>
auto largest(Groups& groups) {
  return std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
}

// Steps of one name, of which a step that several threads are in is one: theirs overlap. Those of
// another epoch have the same numbers, and are other steps. `steps`: in the order of time.
std::vector<TimeSpan> numbered_steps(const std::vector<trace::XlaStep>& steps, std::uint32_t name) {
  std::vector<TimeSpan> spans;
  std::map<std::int64_t, std::size_t> last;  // of each number, in `spans`
  for (const trace::XlaStep& step : steps) {
    if (step.name != name || !step.number) continue;
    const auto [found, is_new] = last.try_emplace(*step.number, spans.size());
    if (!is_new && step.begin < spans[found->second].end) {
      TimeSpan& span = spans[found->second];
      span.end = std::max(span.end, step.end);
      continue;
    }
    found->second = spans.size();
    spans.push_back({step.begin, step.end});
  }
  return spans;
}

std::optional<FoundIterations> by_annotations(const Trace& trace) {
  const std::vector<trace::XlaStep>& steps = trace.xla->steps;
  // A root without a number is a step only where nothing has one.
  std::map<std::uint32_t, std::vector<TimeSpan>> by_name;
  for (const trace::XlaStep& step : steps) {
    if (step.number) by_name.try_emplace(step.name);
  }
  for (auto& [name, spans] : by_name) spans = numbered_steps(steps, name);
  if (!by_name.empty()) {
    const auto found = largest(by_name);
    return FoundIterations{.by = FoundBy::kAnnotations,
                           .name = trace.texts[found->first],
                           .marks = std::ssize(found->second),
                           .spans = std::move(found->second)};
  }
  // Threads of one program annotate the same steps: those of one are taken, the outermost.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<TimeSpan>> by_thread;
  for (const trace::XlaStep& step : steps) {
    std::vector<TimeSpan>& spans = by_thread[{step.name, step.thread}];
    if (spans.empty() || step.end > spans.back().end) spans.push_back({step.begin, step.end});
  }
  if (by_thread.empty()) return std::nullopt;
  const auto found = largest(by_thread);
  const auto [name, thread] = found->first;
  FoundIterations made{.by = FoundBy::kAnnotations, .name = trace.texts[name]};
  if (thread < trace.threads.size()) made.where = place_of(trace, thread);
  made.marks = std::ssize(found->second);
  made.spans = std::move(found->second);
  return made;
}

// Slices of a thread each, of those that are wanted.
template <class IsWanted>
std::map<std::uint32_t, std::vector<TimeSpan>> spans_by_thread(const Trace& trace,
                                                               IsWanted is_wanted) {
  std::vector<bool> is_label_wanted(trace.labels.size());
  bool is_any = false;
  for (std::size_t i = 0; i < trace.labels.size(); ++i) {
    const trace::TraceLabel& label = trace.labels[i];
    is_label_wanted[i] = is_wanted(trace.texts[label.name], trace.texts[label.category]);
    is_any = is_any || is_label_wanted[i];
  }
  std::map<std::uint32_t, std::vector<TimeSpan>> found;
  if (!is_any) return found;
  for (const TraceSlice& slice : trace.slices) {
    if (is_label_wanted[slice.label]) found[slice.thread].push_back({slice.start, slice.end()});
  }
  for (auto& [thread, spans] : found) std::sort(spans.begin(), spans.end(), begins_before);
  return found;
}

std::optional<FoundIterations> by_device_steps(const Trace& trace) {
  auto by_thread = spans_by_thread(
      trace, [](std::string_view, std::string_view category) { return category == "step"; });
  if (by_thread.empty()) return std::nullopt;
  const auto found = largest(by_thread);
  return FoundIterations{.by = FoundBy::kDeviceSteps,
                         .name = "Steps",
                         .where = place_of(trace, found->first),
                         .marks = std::ssize(found->second),
                         .spans = std::move(found->second)};
}

std::optional<FoundIterations> by_step_marks(const Trace& trace) {
  std::optional<FoundIterations> lone;
  for (const std::string_view mark : kStepMarks) {
    auto by_thread = spans_by_thread(trace, [&](std::string_view name, std::string_view category) {
      return name == mark && category == "host";
    });
    if (by_thread.empty()) continue;
    const auto found = largest(by_thread);
    FoundIterations made{.by = FoundBy::kStepMarks,
                         .name = mark,
                         .where = place_of(trace, found->first),
                         .marks = std::ssize(found->second)};
    // The mark ends an iteration.
    for (std::size_t i = 1; i < found->second.size(); ++i) {
      const std::int64_t begin = found->second[i - 1].end, end = found->second[i].end;
      if (begin < end) made.spans.push_back({begin, end});
    }
    if (!made.spans.empty()) return made;
    if (!lone) lone = std::move(made);
  }
  return lone;
}

// Runs of the module that took the most time on any device, on that device.
std::optional<FoundIterations> by_module_runs(const Trace& trace) {
  const XlaProfile& profile = *trace.xla;
  const auto dominant = std::max_element(
      profile.modules.begin(), profile.modules.end(),
      [](const trace::XlaModule& a, const trace::XlaModule& b) { return a.total_ps < b.total_ps; });
  if (dominant == profile.modules.end() || dominant->runs == 0) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(dominant - profile.modules.begin());
  FoundIterations made{.by = FoundBy::kModuleRuns,
                       .name = trace.texts[dominant->name],
                       .where = profile.devices[dominant->device].name,
                       .marks = dominant->runs};
  made.spans = iterations_of_runs(profile, number);
  return made;
}

FoundIterations find_iterations(const Trace& trace) {
  // Marks between which there is no whole iteration count only where nothing else is found.
  FoundIterations lone;
  for (const auto find : {by_annotations, by_device_steps, by_step_marks, by_module_runs}) {
    auto found = find(trace);
    if (!found) continue;
    const bool tells = !found->spans.empty() && (lone.marks == 0 || found->marks > 1);
    if (tells) return *std::move(found);
    if (lone.marks == 0) lone = *std::move(found);
  }
  return lone;
}

// When a device worked: operators, kernels, copies and sets, of whatever device.
std::vector<TimeSpan> device_work(const Trace& trace) {
  std::vector<TimeSpan> work;
  constexpr std::array<std::string_view, 4> kWork = {"xla_op", "kernel", "gpu_memcpy",
                                                     "gpu_memset"};
  for (auto& [thread, spans] :
       spans_by_thread(trace, [&](std::string_view, std::string_view category) {
         return std::find(kWork.begin(), kWork.end(), category) != kWork.end();
       })) {
    work.insert(work.end(), spans.begin(), spans.end());
  }
  return work;
}

}  // namespace

std::string_view name_of(FoundBy found_by) {
  constexpr std::array<std::string_view, 5> kNames = {"nothing", "annotations", "device_steps",
                                                      "step_marks", "module_runs"};
  return kNames[static_cast<std::size_t>(found_by)];
}

std::vector<TimeSpan> iterations_of_runs(const XlaProfile& profile, std::uint32_t module) {
  std::vector<TimeSpan> spans;
  for (const trace::XlaRun& run : profile.runs) {
    if (run.module != module) continue;
    if (!spans.empty()) spans.back().end = run.begin;
    spans.push_back({run.begin, run.end});
  }
  // Where the iteration of the last run ends is not known.
  if (spans.size() > 1) spans.pop_back();
  return spans;
}

XlaIterations xla_iterations(const TraceContext& context, std::size_t most) {
  const Trace& trace = context.trace();
  XlaIterations made;
  if (!trace.xla) return made;
  const FoundIterations found = find_iterations(trace);
  made.found_by = found.by;
  made.name = found.name;
  made.where = found.where;
  made.marks = found.marks;
  if (found.spans.empty()) return made;
  std::vector<TimeSpan> all_work = merged(device_work(trace));
  const bool has_work = !all_work.empty();
  const SpanIndex work(std::move(all_work));
  if (has_work) made.busy = 0;
  for (const TimeSpan& span : found.spans) {
    XlaIteration one{span.begin, difference_of(span.end, span.begin), std::nullopt};
    made.length.add(one.duration);
    if (has_work) {
      one.busy = work.covered(span.begin, span.end);
      made.busy = sum_of(*made.busy, *one.busy);
    }
    if (made.iterations.size() < most) {
      made.iterations.push_back(one);
    } else {
      ++made.left_out;
    }
  }
  return made;
}

bool is_xla_compilation(std::string_view name, std::string_view category) {
  const bool is_compile = name == "backend_compile" || name.ends_with("::Compile") ||
                          name.ends_with("::CompileAndLoad");
  return is_compile && category == "host";
}

XlaCompiling xla_compiling(const TraceContext& context) {
  XlaCompiling made;
  if (!context.trace().xla) return made;
  std::vector<TimeSpan> all;
  for (auto& [thread, spans] : spans_by_thread(context.trace(), is_xla_compilation)) {
    std::int64_t end = 0;
    bool is_first = true;
    for (const TimeSpan& span : spans) {
      const bool is_outermost = is_first || span.end > end;
      made.count += is_outermost;
      if (is_outermost) end = span.end;
      is_first = false;
    }
    all.insert(all.end(), spans.begin(), spans.end());
  }
  made.total = total(merged(std::move(all)));
  return made;
}

}  // namespace benchhud::analysis
