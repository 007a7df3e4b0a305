#include "analysis/trace/compiled_code.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/trace/time_totals.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::TraceArgs;
using trace::TraceLabel;
using trace::TraceSlice;

namespace {

constexpr std::string_view kEvaluatePrefix = "autograd::engine::evaluate_function: ";

// What a label is to compiled code.
enum class Mark : std::uint8_t {
  kNothing,
  kOperator,
  kTriton,
  kGraph,        // a compiled graph runs
  kGraphCall,    // the same, as newer PyTorch says it
  kCompiling,    // … (dynamo_timed)
  kBookkeeping,  // nothing of it or in it is a model's work
  kLookup,       // bookkeeping: Dynamo looks for compiled code
  kEvaluate,     // autograd runs a node; what it calls counts
};

Mark mark_of(std::string_view name, std::string_view category, SliceSide side) {
  if (!is_host(side)) return Mark::kNothing;
  if (name == "CompiledFunction" || name == "CompiledFunctionBackward") return Mark::kGraph;
  if (name.starts_with("## Call CompiledFxGraph")) return Mark::kGraphCall;
  if (is_compile_phase(name, category)) return Mark::kCompiling;
  if (is_dynamo_lookup(name)) return Mark::kLookup;
  if (name.starts_with(kEvaluatePrefix)) return Mark::kEvaluate;
  if (name == "Pregraph bytecode" || name == "AOTDispatcher Runtime Wrapper Prologue" ||
      name == "torch::autograd::AccumulateGrad" || name.starts_with("Optimizer.")) {
    return Mark::kBookkeeping;
  }
  if (side != SliceSide::kOperator) return Mark::kNothing;
  return name.starts_with("triton_") ? Mark::kTriton : Mark::kOperator;
}

class Placer {
 public:
  Placer(const TraceContext& context, const std::vector<CompiledRegion>& regions,
         const std::vector<std::int64_t>& device_times)
      : context_(context),
        regions_(regions),
        device_times_(device_times),
        has_graph_(regions.size()),
        first_nested_(regions.size(), std::numeric_limits<std::int64_t>::max()),
        inside_(context.trace().slices.size(), Inside::kPlain),
        region_in_(context.trace().slices.size(), kNoSlice) {
    const auto& trace = context.trace();
    for (const TraceLabel& label : trace.labels) {
      const std::size_t number = marks_.size();
      marks_.push_back(
          mark_of(trace.texts[label.name], trace.texts[label.category], context.sides()[number]));
    }
    for (const CompiledRegion& region : regions) {
      if (region.around == kNoSlice) continue;
      std::int64_t& first = first_nested_[region.around];
      first = std::min(first, context.slice(region.slice).start);
    }
  }

  CompiledCode placed() {
    std::size_t region = 0;  // the next, in the same order
    for (const std::uint32_t index : context_.nesting().order) {
      const bool is_region = region < regions_.size() && regions_[region].slice == index;
      look_at(index, is_region ? static_cast<std::uint32_t>(region++) : kNoSlice);
    }
    for (PlacedOperator& placed : code_.operators) decide(&placed);
    for (const DeviceSlice& device : context_.device()) {
      add_to(&code_.device_all, context_.own_time(device));
    }
    code_.compiled = std::max<std::int64_t>(0, difference_of(code_.compiled, code_.eager));
    return std::move(code_);
  }

 private:
  // What lies in a slice is in …
  enum class Inside : std::uint8_t { kPlain, kRegion, kGraph, kHidden, kCompiling };

  void look_at(std::uint32_t index, std::uint32_t region) {
    const TraceSlice& slice = context_.slice(index);
    const std::uint32_t parent = context_.parent(index);
    const Inside around = parent == kNoSlice ? Inside::kPlain : inside_[parent];
    Inside& inside = inside_[index] = around;
    std::uint32_t& region_in = region_in_[index] =
        parent == kNoSlice ? kNoSlice : region_in_[parent];
    const Mark mark = marks_[slice.label];
    if (mark == Mark::kLookup) ++code_.cache_lookups;
    if (mark == Mark::kGraphCall) ++code_.graph_calls;
    if (mark == Mark::kEvaluate) ++code_.backward_nodes;
    if (region != kNoSlice) {
      if (region_in == kNoSlice && around != Inside::kGraph) enter(index);
      inside = Inside::kRegion;
      region_in = region;
      return;
    }
    if (around == Inside::kCompiling) return;
    switch (mark) {
      case Mark::kNothing:
      case Mark::kEvaluate:
        return;
      case Mark::kCompiling:
        inside = Inside::kCompiling;
        add_to(&code_.compiling, slice.duration);
        if (region_in != kNoSlice || around == Inside::kGraph) {
          code_.compiled = difference_of(code_.compiled, slice.duration);
        }
        return;
      case Mark::kGraph:
      case Mark::kGraphCall:
        if (region_in != kNoSlice) has_graph_[region_in] = true;
        if (region_in == kNoSlice && around != Inside::kGraph) enter(index);
        inside = Inside::kGraph;
        return;
      case Mark::kBookkeeping:
      case Mark::kLookup:
        inside = Inside::kHidden;
        return;
      case Mark::kOperator:
      case Mark::kTriton:
        inside = Inside::kHidden;
        if (around == Inside::kHidden) return;
        PlacedOperator placed = {index, region_in, OperatorPlace::kOutside};
        if (around == Inside::kRegion) placed.place = OperatorPlace::kEager;  // or not: decide()
        if (around == Inside::kGraph) placed.place = OperatorPlace::kHandedBack;
        if (mark == Mark::kTriton) placed.place = OperatorPlace::kGenerated;
        code_.operators.push_back(placed);
        return;
    }
  }

  // The outermost slice of compiled code.
  void enter(std::uint32_t index) {
    add_to(&code_.compiled, context_.slice(index).duration);
    add_to(&code_.device_compiled, device_times_[index]);
  }

  void decide(PlacedOperator* placed) {
    const TraceSlice& slice = context_.slice(placed->slice);
    if (placed->place == OperatorPlace::kEager && !has_graph_[placed->region] &&
        slice.start < first_nested_[placed->region] &&
        context_.trace().args_of(slice).sequence == TraceArgs::kAbsent) {
      placed->place = OperatorPlace::kHandedBack;
    }
    if (placed->place == OperatorPlace::kEager) {
      add_to(&code_.eager, slice.duration);
      code_.device_compiled = difference_of(code_.device_compiled, device_times_[placed->slice]);
    }
    if (placed->place == OperatorPlace::kOutside) add_to(&code_.outside, slice.duration);
  }

  static void add_to(std::int64_t* sum, std::int64_t ns) { *sum = sum_of(*sum, ns); }

  const TraceContext& context_;
  const std::vector<CompiledRegion>& regions_;
  const std::vector<std::int64_t>& device_times_;
  std::vector<Mark> marks_;                 // by label
  std::vector<bool> has_graph_;             // by region: its graph is marked
  std::vector<std::int64_t> first_nested_;  // by region: the first beginning of one in it
  std::vector<Inside> inside_;              // by slice
  std::vector<std::uint32_t> region_in_;    // by slice: the region that what lies in it is in
  CompiledCode code_;
};

}  // namespace

CompiledCode compiled_code(const TraceContext& context, const std::vector<CompiledRegion>& regions,
                           const std::vector<std::int64_t>& device_times) {
  return Placer(context, regions, device_times).placed();
}

}  // namespace benchhud::analysis
