#include "analysis/trace/trace_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/text/quantity_text.h"
#include "analysis/trace/trace_report.h"

namespace benchhud::analysis {

using Numbers = std::vector<std::pair<std::string_view, double>>;

namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

class Adviser {
 public:
  explicit Adviser(const TraceReport& report) : report_(report) {}

  std::vector<Advice> all() {
    say_of_the_file();
    say_of_impossible_times();
    say_of_unknowns();
    say_of_profiling();
    say_of_cuda_graphs();
    say_of_compilation();
    say_of_xla();
    say_of_graphs();
    if (report_.activity.span > 0) {
      say_of_idle_devices();
      say_of_kernels();
      say_of_copies();
    }
    say_of_loading();
    std::stable_sort(advice_.begin(), advice_.end(),
                     [](const Advice& a, const Advice& b) { return a.severity > b.severity; });
    return std::move(advice_);
  }

 private:
  void say(std::string_view code, Advice::Severity severity, std::string sentence,
           Numbers numbers) {
    advice_.push_back({code, severity, std::move(sentence), std::move(numbers)});
  }

  double of_trace(std::int64_t ns) const { return share_of(ns, report_.span); }

  void say_of_the_file() {
    if (report_.problem_count == 0 && report_.unclosed == 0) return;
    say("incomplete_trace", Advice::Severity::kWarning,
        fmt::format(
            "The trace is not whole: {}, {} begun and not ended. What is missing is missing "
            "in every number here.",
            count_text(report_.problem_count, "problem"), report_.unclosed),
        {{"problems", number(report_.problem_count)}, {"unclosed", number(report_.unclosed)}});
  }

  void say_of_impossible_times() {
    const std::int64_t set_aside = report_.activity.set_aside;
    if (set_aside == 0) return;
    say("impossible_times", Advice::Severity::kWarning,
        fmt::format("{} of devices {} times that are impossible (a day and more away from the "
                    "others, or as long): no number here counts {}.",
                    count_text(set_aside, "slice"), set_aside == 1 ? "has" : "have",
                    set_aside == 1 ? "it" : "them"),
        {{"set_aside", number(set_aside)}});
  }

  void say_of_unknowns() {
    const TraceUnknowns& unknowns = report_.activity.unknowns;
    if (!unknowns.device.empty()) {
      say("unknown_device", Advice::Severity::kNote,
          "What ran on devices cannot be told, so nothing is said of it. " + unknowns.device, {});
    } else if (!unknowns.launches.empty()) {
      say("unknown_launches", Advice::Severity::kNote,
          "What the devices' streams waited for cannot be told. " + unknowns.launches, {});
    }
  }

  void say_of_profiling() {
    const ProfilingNotes& notes = report_.notes;
    if (notes.python_frames > 0) {
      say("python_stacks", Advice::Severity::kNote,
          fmt::format(
              "{} of Python functions were recorded (with_stack): that alone slows the host "
              "down, so its times and the device's waits are too long.",
              count_text(notes.python_frames, "slice")),
          {{"frames", number(notes.python_frames)}});
    }
    if (of_trace(notes.overhead.total) >= kNoticeableShare) {
      say("profiler_overhead", Advice::Severity::kNote,
          fmt::format("The profiler itself worked for {}, {} of the trace.",
                      nanoseconds_text(notes.overhead.total),
                      share_text(of_trace(notes.overhead.total))),
          {{"overhead_ns", number(notes.overhead.total)},
           {"share", of_trace(notes.overhead.total)}});
    }
  }

  // Sources: PyTorch's "Profiling to understand torch.compile performance" (drivers before
  // 525.85.12, which is of CUDA 12.0, and older CUDA), and pytorch/pytorch#150957 (CUPTI's fault
  // is fixed in CUDA 12.6).
  void say_of_cuda_graphs() {
    constexpr std::int64_t kCuda12 = 12'000, kCuda12Dot1 = 12'010, kCuda12Dot6 = 12'060;
    constexpr std::int64_t kMajor = 1000, kMinor = 10;
    const ProfilingNotes& notes = report_.notes;
    const std::int64_t driver = notes.cuda_driver;
    if (notes.cuda_graph_launches == 0 || driver <= 0 || driver >= kCuda12Dot6) return;
    std::string sentence = fmt::format("{} of CUDA ran with a driver of CUDA {}.{}. ",
                                       count_text(notes.cuda_graph_launches, "graph launch call"),
                                       driver / kMajor, driver % kMajor / kMinor);
    if (driver < kCuda12Dot1) {
      sentence += fmt::format(
          "{} the profiler and CUDA graphs disturb each other: call "
          "torch.profiler._utils._init_for_cuda_graphs() before the first graph is captured. ",
          driver < kCuda12 ? "With it" : "With drivers of it before 525.85.12");
    }
    sentence +=
        "Before CUDA 12.6 a second profile in one process may crash where graphs are used: set "
        "DISABLE_CUPTI_LAZY_REINIT=1 and TEARDOWN_CUPTI=0, as Inductor does for its own graphs, or "
        "use a newer driver.";
    say("cuda_graphs_old_driver",
        driver < kCuda12 ? Advice::Severity::kHint : Advice::Severity::kNote, std::move(sentence),
        {{"launches", number(notes.cuda_graph_launches)}, {"cuda_driver", number(driver)}});
  }

  void say_of_compilation() {
    const TraceCompileTime& time = report_.compile_time;
    if (time.total > 0) {
      const double share = of_trace(time.total);
      const std::int64_t frames = report_.frames.compiled.count;
      say("compiling_in_window",
          share > kCompilingShare ? Advice::Severity::kWarning : Advice::Severity::kHint,
          fmt::format("{} of the trace, {}, are compilation{}: warm up before profiling unless "
                      "compilation is what you look at.",
                      nanoseconds_text(time.total), share_text(share),
                      // Backward graphs are compiled without their frames.
                      frames == 0 ? "" : fmt::format(" (of {})", count_text(frames, "frame"))),
          {{"compiling_ns", number(time.total)},
           {"share", share},
           {"compilations", number(frames)}});
    }
    if (const std::int64_t recompiles = report_.regions.recompiles.value_or(0); recompiles > 0) {
      const CompiledFrame& worst = report_.frames.frames.front();
      say("recompiled_frames", Advice::Severity::kHint,
          fmt::format(
              "Frame {} runs in {} compiled versions in this trace ({} over all frames): "
              "guards fail, so shapes, types or values change. torch.compile(dynamic=True) or "
              "mark_dynamic may keep one version.",
              worst.frame, worst.recompiles + 1, count_text(recompiles, "recompilation")),
          {{"recompiles", number(recompiles)},
           {"versions_of_worst_frame", number(worst.recompiles + 1)}});
    }
  }

  void say_of_xla() {
    if (report_.dropped_events > 0) {
      say("dropped_events", Advice::Severity::kWarning,
          fmt::format("The profiler dropped {}: sums, counts and idle time here are of what is "
                      "left. A shorter window loses less.",
                      count_text(report_.dropped_events, "event")),
          {{"events", number(report_.dropped_events)}});
    }
    const XlaIterations& found = report_.xla_iterations;
    if (found.marks > 0 && found.length.count == 0) {
      say("no_whole_iteration", Advice::Severity::kHint,
          fmt::format("The profile holds {} of {} and no whole iteration: its window is shorter "
                      "than one. A longer window would hold some.",
                      count_text(found.marks, "mark"), found.name),
          {{"marks", number(found.marks)}});
    }
    const XlaCompiling& compiling = report_.xla_compiling;
    if (compiling.total > 0) {
      const double share = of_trace(compiling.total);
      say("compiling_in_window",
          share > kCompilingShare ? Advice::Severity::kWarning : Advice::Severity::kHint,
          fmt::format("{} of the trace, {}, are XLA's compilation ({}): warm up before profiling "
                      "unless compilation is what you look at.",
                      nanoseconds_text(compiling.total), share_text(share),
                      count_text(compiling.count, "compilation")),
          {{"compiling_ns", number(compiling.total)},
           {"share", share},
           {"compilations", number(compiling.count)}});
    }
  }

  void say_of_graphs() {
    const GraphBreakTree& tree = report_.graph_breaks;
    if (report_.regions.graph_breaks > 0) {
      const auto& distinct = report_.regions.graph_breaks_distinct;
      say("graph_breaks", Advice::Severity::kHint,
          fmt::format(
              "{} of {} of compiled functions ran other compiled regions within, chains of {} at "
              "most{}: graph breaks, or functions compiled for themselves that disabled or "
              "skipped code called; {} ran between them. torch.compile(fullgraph=True) names the "
              "breaks.",
              tree.broken_chains, count_text(tree.chains, "call"), tree.longest_chain,
              distinct ? fmt::format(" ({} within)", count_text(*distinct, "frame")) : "",
              report_.code.eager == 0
                  ? "no eager operators"
                  : fmt::format("eager operators of {}", nanoseconds_text(report_.code.eager))),
          {{"broken_calls", number(tree.broken_chains)},
           {"calls", number(tree.chains)},
           {"regions_behind_breaks", number(report_.regions.graph_breaks)},
           {"longest_chain", number(tree.longest_chain)},
           {"eager_ns", number(report_.code.eager)}});
    }
    const CompiledPairs& pairs = report_.pairs;
    if (pairs.forward_only > 0) {
      say("forward_without_backward", Advice::Severity::kNote,
          fmt::format(
              "{} of {} compiled functions have no backward in the trace: if none is wanted, "
              "torch.no_grad() saves what is kept for it.",
              pairs.forward_only, pairs.forward_only + pairs.paired),
          {{"forward_only", number(pairs.forward_only)}, {"paired", number(pairs.paired)}});
    }
    say_of_handed_back();
  }

  // Every model calls convolutions and matrix products: those are not worth a sentence.
  void say_of_handed_back() {
    const CompileVerdict& verdict = report_.verdict;
    const TimeTotals &all = verdict.handed_back_all, &called = verdict.handed_back_called;
    const std::int64_t time = difference_of(all.total, called.total);
    const double share = share_of(time, report_.code.compiled);
    const auto longest =
        std::find_if(verdict.handed_back.begin(), verdict.handed_back.end(),
                     [](const HandedBackRow& row) { return row.lowering != Lowering::kCalled; });
    if (longest == verdict.handed_back.end() || share < kNoticeableShare) return;
    say("operators_handed_back", Advice::Severity::kNote,
        fmt::format(
            "{} in compiled graphs went back to the original instead of generated code, "
            "beside those that Inductor always calls (convolutions, matrix products): {} of "
            "the graphs' {} on the host. The longest: {} ({}×).",
            count_text(all.count - called.count, "operator"), nanoseconds_text(time),
            nanoseconds_text(report_.code.compiled), longest->name, longest->time.count),
        {{"operators", number(all.count - called.count)},
         {"handed_back_ns", number(time)},
         {"share", share}});
  }

  void say_of_idle_devices() {
    const DeviceActivity& activity = report_.activity;
    const bool has_steps = activity.utilization_of_steps.has_value();
    const double busy =
        has_steps ? *activity.utilization_of_steps : activity.utilization.value_or(1);
    const std::int64_t waits = sum_of(sum_of(activity.host_wait, activity.unknown_wait),
                                      sum_of(activity.kernel_wait, activity.other_wait));
    // At least and at most: the rest is not known.
    const double host_share = share_of(activity.host_wait, waits);
    const double most_host_share =
        share_of(sum_of(activity.host_wait, activity.unknown_wait), waits);
    const Numbers numbers = {{"busy_share", busy},
                             {"host_wait_share", host_share},
                             {"host_wait_ns", number(activity.host_wait)},
                             {"idle_ns", number(report_.breakdown.idle())}};
    const std::string_view of = has_steps ? "the steps" : "its span";
    const auto severity = busy < kIdleDevice ? Advice::Severity::kWarning : Advice::Severity::kHint;
    // Where streams never waited, what is idle lies before and behind all that they did.
    if (busy >= kBusyDevice || waits == 0) return;
    if (host_share >= kHostBoundShare) {
      const std::int64_t in_graphs = report_.notes.graph_launched;
      say("cpu_bound", severity,
          fmt::format(
              "CPU-bound: the device is busy {} of {}, and {} of its streams' idle time waits "
              "for the host. {}",
              share_text(busy), of, share_text(host_share),
              in_graphs == 0
                  ? "CUDA graphs (torch.compile with mode=\"reduce-overhead\") or larger "
                    "batches might help."
                  : fmt::format("{} came out of CUDA graphs already; the rest might, too.",
                                count_text(in_graphs, "slice"))),
          numbers);
    } else if (busy < kIdleDevice && most_host_share < kHostBoundShare) {
      say("device_idle", severity,
          fmt::format(
              "The device is busy {} of {}, but only {} of its streams' idle time waits for "
              "the host: look at what streams wait for from each other, and at copies.",
              share_text(busy), of, share_text(most_host_share)),
          numbers);
    }
  }

  void say_of_kernels() {
    const KernelTable& kernels = report_.kernels;
    const double short_share = share_of(kernels.short_kernels, kernels.kernels);
    if (kernels.kernels >= kManyKernels && short_share >= kManyShortShare) {
      say("short_kernels", Advice::Severity::kHint,
          fmt::format("{} of {} kernels ({}) are shorter than {}: fusing them (torch.compile) or "
                      "larger batches would cost fewer launches.",
                      kernels.short_kernels, kernels.kernels, share_text(short_share),
                      nanoseconds_text(kShortKernel)),
          {{"short_kernels", number(kernels.short_kernels)},
           {"kernels", number(kernels.kernels)},
           {"share", short_share}});
    }
    const LaunchStats& launches = report_.launches;
    const double bound = share_of(launches.longer_than_launched, launches.calls);
    if (launches.calls >= kManyKernels && bound >= kLaunchBoundShare) {
      say("launch_overhead", Advice::Severity::kHint,
          fmt::format("{} of {} launches ({}) take the host longer than the device takes for what "
                      "they launch; {} take more than {}.",
                      launches.longer_than_launched, launches.calls, share_text(bound),
                      launches.long_calls, nanoseconds_text(kLongCall)),
          {{"longer_than_launched", number(launches.longer_than_launched)},
           {"launches", number(launches.calls)},
           {"long_calls", number(launches.long_calls)},
           {"share", bound}});
    }
    std::int64_t full = 0;
    for (const LaunchQueue& queue : report_.queues) full = std::max(full, queue.time_full);
    if (full > 0) {
      say("launch_queue_full", Advice::Severity::kNote,
          fmt::format("A stream's launch queue was full ({} or more) for {}: launching blocks the "
                      "host then, which is no fault while the device is busy.",
                      kFullQueue, nanoseconds_text(full)),
          {{"full_ns", number(full)}});
    }
    const std::int64_t communication = report_.breakdown.busy(DeviceBreakdown::kCommunication);
    const auto overlap = report_.breakdown.overlap_of_communication();
    if (overlap && *overlap < kHiddenCommunication &&
        share_of(communication, report_.breakdown.span) >= kNoticeableShare) {
      say("exposed_communication", Advice::Severity::kHint,
          fmt::format("Communication takes {} of the device's span, and computation covers only {} "
                      "of it.",
                      share_text(share_of(communication, report_.breakdown.span)),
                      share_text(*overlap)),
          {{"communication_ns", number(communication)}, {"overlap_share", *overlap}});
    }
  }

  void say_of_copies() {
    const TimeTotals& pageable = report_.notes.pageable_copies;
    const double share = share_of(pageable.total, report_.activity.busy);
    if (share >= kNoticeableShare) {
      say("pageable_copies", Advice::Severity::kHint,
          fmt::format(
              "{} between a device and pageable memory take {}, {} of the device's busy time: "
              "pinned memory is faster and does not block the host.",
              pageable.count == 1 ? "1 copy" : fmt::format("{} copies", pageable.count),
              nanoseconds_text(pageable.total), share_text(share)),
          {{"copies", number(pageable.count)},
           {"time_ns", number(pageable.total)},
           {"share", share}});
    }
    const TimeTotals& waits = report_.notes.synchronizations;
    if (waits.count >= kManySynchronizations && of_trace(waits.total) >= kNoticeableShare) {
      say("synchronizations", Advice::Severity::kNote,
          fmt::format(
              "The host waited for a device {} times, {} of the trace: .item(), printing and "
              "copies to the host do that.",
              waits.count, share_text(of_trace(waits.total))),
          {{"calls", number(waits.count)},
           {"time_ns", number(waits.total)},
           {"share", of_trace(waits.total)}});
    }
  }

  void say_of_loading() {
    const StepBreakdown& steps = report_.steps;
    const std::int64_t loading = steps.parts[static_cast<std::size_t>(StepPart::kDataLoader)];
    const double share = share_of(loading, steps.duration);
    if (share < kNoticeableShare) return;
    say("data_loading", Advice::Severity::kHint,
        fmt::format("Steps wait {} of their time for the data loader: more workers "
                    "(DataLoader(num_workers=…)) might help.",
                    share_text(share)),
        {{"loading_ns", number(loading)}, {"share", share}});
  }

  const TraceReport& report_;
  std::vector<Advice> advice_;
};

}  // namespace

std::string_view name_of(Advice::Severity severity) {
  switch (severity) {
    case Advice::Severity::kNote:
      return "note";
    case Advice::Severity::kHint:
      return "hint";
    case Advice::Severity::kWarning:
      return "warning";
  }
  return "";
}

std::vector<Advice> trace_advice(const TraceReport& report) { return Adviser(report).all(); }

}  // namespace benchhud::analysis
