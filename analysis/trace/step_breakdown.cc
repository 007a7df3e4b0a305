#include "analysis/trace/step_breakdown.h"

#include <algorithm>
#include <utility>

#include "analysis/trace/time_spans.h"
#include "analysis/trace/time_totals.h"

namespace benchhud::analysis {

using trace::TraceSlice;

namespace {

StepPart part_of(std::string_view name, SliceSide side) {
  switch (side) {
    case SliceSide::kKernel:
    case SliceSide::kDeviceOperator:
      return StepPart::kKernel;  // or communication: its DeviceSlice knows
    case SliceSide::kMemcpy:
      return StepPart::kMemcpy;
    case SliceSide::kMemset:
      return StepPart::kMemset;
    case SliceSide::kRuntime:
      return StepPart::kRuntime;
    case SliceSide::kAnnotation:
    case SliceSide::kOperator:
      if (name.starts_with("gloo:")) return StepPart::kCommunication;
      if (name.starts_with("enumerate(DataLoader)#")) return StepPart::kDataLoader;
      return side == SliceSide::kOperator ? StepPart::kCpu : StepPart::kOther;
    default:
      return StepPart::kOther;
  }
}

// For each part but kOther when it happens, and none before it.
std::vector<SpanIndex> exclusive_parts(const TraceContext& context) {
  const trace::Trace& trace = context.trace();
  std::array<std::vector<TimeSpan>, kStepParts> spans;
  std::vector<StepPart> parts(trace.labels.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = part_of(trace.texts[trace.labels[i].name], context.sides()[i]);
  }
  const auto add = [&](StepPart part, const TimeSpan& span) {
    add_span(&spans[static_cast<std::size_t>(part)], span);
  };
  for (const TraceSlice& slice : trace.slices) {
    // Zero-length spans are no time. What devices did is added below, but for what is set aside.
    const bool is_of_device = is_device(context.sides()[slice.label]);
    const StepPart part = parts[slice.label];
    if (part == StepPart::kOther || is_of_device || slice.duration <= 0) continue;
    add(part, {slice.start, slice.end()});
  }
  visit_own_spans(
      trace, context.device(), context.sides(), [&](std::size_t i, const TimeSpan& span) {
        if (span.end == span.begin) return;
        const DeviceSlice& device = context.device()[i];
        const bool communicates = device.kind == DeviceSlice::Kind::kCommunication;
        add(communicates ? StepPart::kCommunication : parts[context.slice(device.slice).label],
            span);
      });
  std::vector<SpanIndex> exclusive;
  std::vector<TimeSpan> taken;
  for (std::size_t part = 0; part + 1 < kStepParts; ++part) {
    const std::vector<TimeSpan> own = merged(std::move(spans[part]));
    exclusive.emplace_back(without(own, taken));
    taken.insert(taken.end(), own.begin(), own.end());
    taken = merged(std::move(taken));
  }
  return exclusive;
}

}  // namespace

std::string_view name_of(StepPart part) {
  constexpr std::array<std::string_view, kStepParts> kNames = {
      "kernel", "memcpy", "memset", "communication", "runtime", "data_loader", "cpu", "other"};
  return kNames[static_cast<std::size_t>(part)];
}

StepBreakdown step_breakdown(const TraceContext& context, std::size_t most) {
  const trace::Trace& trace = context.trace();
  const std::vector<std::uint32_t> found = profiler_steps(trace, context.sides());
  StepBreakdown breakdown;
  if (found.empty()) return breakdown;
  const std::vector<SpanIndex> exclusive = exclusive_parts(context);
  for (const std::uint32_t index : found) {
    const TraceSlice& slice = context.slice(index);
    ProfilerStep step;
    step.start = slice.start;
    step.duration = slice.duration;
    std::int64_t rest = slice.duration;
    for (std::size_t part = 0; part < exclusive.size(); ++part) {
      step.parts[part] = exclusive[part].covered(slice.start, slice.end());
      rest -= step.parts[part];
    }
    step.parts.back() = rest;
    for (std::size_t part = 0; part < kStepParts; ++part) {
      breakdown.parts[part] = sum_of(breakdown.parts[part], step.parts[part]);
    }
    ++breakdown.count;
    breakdown.duration = sum_of(breakdown.duration, step.duration);
    if (breakdown.steps.size() < most) {
      step.name = trace.name(slice);
      breakdown.steps.push_back(std::move(step));
    } else {
      ++breakdown.steps_left_out;
    }
  }
  return breakdown;
}

}  // namespace benchhud::analysis
