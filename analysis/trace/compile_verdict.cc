#include "analysis/trace/compile_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/text/quantity_text.h"
#include "analysis/trace/truncate_rows.h"

namespace benchhud::analysis {

using Applied = CompileVerdict::Applied;

namespace {

void add_handed_back(const TraceContext& context, const CompiledCode& code,
                     const std::vector<std::int64_t>& device_times, CompileVerdict* verdict) {
  std::vector<HandedBackRow>& rows = verdict->handed_back;
  std::unordered_map<std::uint32_t, std::size_t> places;  // by label
  for (const PlacedOperator& placed : code.operators) {
    if (placed.place != OperatorPlace::kHandedBack) continue;
    const trace::TraceSlice& slice = context.slice(placed.slice);
    const auto [at, is_new] = places.try_emplace(slice.label, rows.size());
    if (is_new) {
      rows.emplace_back().name = context.name(placed.slice);
      rows.back().lowering = inductor_lowering(rows.back().name);
    }
    HandedBackRow& row = rows[at->second];
    row.time.add(slice.duration);
    row.device = sum_of(row.device, device_times[placed.slice]);
    verdict->handed_back_all.add(slice.duration);
    if (row.lowering == Lowering::kCalled) verdict->handed_back_called.add(slice.duration);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const HandedBackRow& a, const HandedBackRow& b) {
    return sum_of(a.time.total, a.device) > sum_of(b.time.total, b.device);
  });
}

// Operators that Inductor would have generated, as they ran somewhere.
struct Uncompiled {
  std::int64_t count = 0;
  std::int64_t known = 0;  // with those that it would have called
  std::string example;     // the name of the most frequent
};

Uncompiled uncompiled_outside(const TraceContext& context, const CompiledCode& code) {
  std::unordered_map<std::uint32_t, std::int64_t> counts;  // by label
  for (const PlacedOperator& placed : code.operators) {
    if (placed.place == OperatorPlace::kOutside) ++counts[context.slice(placed.slice).label];
  }
  Uncompiled found;
  std::int64_t most = 0;
  for (const auto& [label, count] : counts) {
    const std::string_view name = context.trace().texts[context.trace().labels[label].name];
    const Lowering lowering = inductor_lowering(name);
    if (lowering != Lowering::kUnknown) found.known += count;
    if (lowering != Lowering::kGenerated) continue;
    found.count += count;
    if (count < most || (count == most && name > found.example)) continue;
    most = count;
    found.example = name;
  }
  return found;
}

class Judge {
 public:
  Judge(const CompiledRegions& regions, const CompiledCode& code, const CompiledPairs& pairs,
        const TraceUnknowns& unknowns, CompileVerdict* verdict)
      : regions_(regions),
        code_(code),
        pairs_(pairs),
        is_device_unknown_(!unknowns.device.empty()),
        are_launches_unknown_(!unknowns.operators.empty()),
        verdict_(*verdict) {
    functions_ = pairs.paired + pairs.forward_only + pairs.backward_only;
  }

  bool has_compiled_code() const {
    return regions_.count > 0 || functions_ > 0 || verdict_.generated_kernels > 0 ||
           code_.graph_calls > 0;
  }

  void say_what_is_compiled() {
    if (regions_.count > 0) {
      say("{} ran.", count_text(regions_.count, "compiled region"));
    } else {
      say("There are no compiled regions; PyTorch marks them since 2.2.");
    }
    if (functions_ > 0) {
      say("{} ran forward, {} backward; {} of them belong together.",
          count_text(pairs_.paired + pairs_.forward_only, "compiled function"),
          pairs_.paired + pairs_.backward_only, pairs_.paired);
    } else if (regions_.count > 0) {
      say("No CompiledFunction: no input required gradients, so there is no compiled backward.");
    }
    if (pairs_.forward_only > 0) {
      say("{} without CompiledFunctionBackward: the backward pass was not called, or lies outside "
          "of the trace.",
          count_text(pairs_.forward_only, "CompiledFunction"));
    }
    if (verdict_.generated_kernels > 0) {
      say("{} of Inductor ran on devices.",
          count_text(verdict_.generated_kernels, "Triton kernel"));
    }
    if (code_.compiling > 0)
      say("{} of compilation in the trace.", nanoseconds_text(code_.compiling));
  }

  Applied compiled_how() {
    Applied applied = Applied::kYes;
    std::int64_t generated = 0;
    for (const HandedBackRow& row : verdict_.handed_back) {
      if (row.lowering == Lowering::kGenerated) generated += row.time.count;
    }
    const std::int64_t known = generated + verdict_.handed_back_called.count;
    if (!is_device_unknown_ && verdict_.generated_kernels == 0 &&
        share_of(generated, known) > kGeneratedShare) {
      applied = Applied::kPartly;
      const std::int64_t others = verdict_.handed_back_all.count - known;
      say("{} of {} called in compiled graphs are such that Inductor generates code for{}: the "
          "graph was captured, but its backend runs operators one by one (eager, aot_eager).",
          generated, count_text(known, "operator"),
          others > 0 ? fmt::format(" ({} more may be either)", others) : "");
    }
    // Without its launch nothing of the device's is known to be of compiled code.
    const bool has_device = code_.device_all > 0 && !are_launches_unknown_;
    const std::int64_t uncompiled = has_device
                                        ? difference_of(code_.device_all, code_.device_compiled)
                                        : sum_of(code_.eager, code_.outside);
    const std::int64_t all = has_device ? code_.device_all : sum_of(uncompiled, code_.compiled);
    const double share = share_of(uncompiled, all);
    if (share > kPartlyShare) {
      applied = Applied::kPartly;
      say("{} of {} ({} of {}) came from outside of compiled code.", share_text(share),
          has_device ? "the devices' time" : "the host's time in compiled regions and operators",
          nanoseconds_text(uncompiled), nanoseconds_text(all));
    }
    if (code_.eager > 0) {
      say("{} of operators within compiled regions ran outside of their graphs: code of graph "
          "breaks, "
          "or functions that are disabled or skipped.",
          nanoseconds_text(code_.eager));
    }
    return applied;
  }

  Applied not_compiled(const TraceContext& context) {
    if (code_.cache_lookups > 0) {
      say("TorchDynamo looked for compiled code {}, and none ran.",
          code_.cache_lookups == 1 ? "once" : fmt::format("{} times", code_.cache_lookups));
    }
    if (code_.operators.empty()) {
      say("No operator of PyTorch is in the trace.");
      return Applied::kCannotTell;
    }
    Applied applied = code_.cache_lookups > 0 ? Applied::kNo : Applied::kCannotTell;
    if (code_.backward_nodes > 0) {
      applied = Applied::kNo;
      say("Autograd ran {}, and no CompiledFunctionBackward is among them.",
          count_text(code_.backward_nodes, "backward node"));
    }
    if (!context.device().empty()) {
      applied = Applied::kNo;
      say("{} ran on devices, and none is a Triton kernel of Inductor.",
          count_text(static_cast<std::int64_t>(context.device().size()), "slice"));
    }
    const Uncompiled found = uncompiled_outside(context, code_);
    if (share_of(found.count, found.known) > kGeneratedShare) {
      applied = Applied::kNo;
      say("{} that Inductor generates code for ran one by one, such as {}.",
          count_text(found.count, "operator"), found.example);
    }
    if (applied == Applied::kCannotTell) {
      say("PyTorch before 2.2 leaves no mark of compiled inference on a CPU.");
    }
    return applied;
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> sentence, Args&&... args) {
    verdict_.evidence.push_back(fmt::format(sentence, std::forward<Args>(args)...));
  }

  const CompiledRegions& regions_;
  const CompiledCode& code_;
  const CompiledPairs& pairs_;
  const bool is_device_unknown_, are_launches_unknown_;
  CompileVerdict& verdict_;
  std::int64_t functions_ = 0;
};

}  // namespace

CompileVerdict compile_verdict(const TraceContext& context, const CompiledRegions& regions,
                               const CompiledCode& code, const CompiledPairs& pairs,
                               const std::vector<std::int64_t>& device_times, std::size_t most) {
  CompileVerdict verdict;
  for (const DeviceSlice& device : context.device()) {
    verdict.generated_kernels += device.kind == DeviceSlice::Kind::kInductorTriton;
  }
  add_handed_back(context, code, device_times, &verdict);
  Judge judge(regions, code, pairs, context.unknowns(), &verdict);
  judge.say_what_is_compiled();
  if (!context.unknowns().device.empty()) {
    verdict.evidence.push_back("What ran on devices cannot be told. " + context.unknowns().device);
  }
  verdict.applied = judge.has_compiled_code() ? judge.compiled_how() : judge.not_compiled(context);
  verdict.handed_back_left_out = truncate_rows(&verdict.handed_back, most);
  return verdict;
}

}  // namespace benchhud::analysis
