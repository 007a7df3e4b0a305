#include "analysis/trace/slice_side.h"

#include <algorithm>

namespace benchhud::analysis {

namespace {

constexpr std::string_view kCompilePhase = " (dynamo_timed)";

}  // namespace

SliceSide side_of(std::string_view category) {
  if (category == "kernel" || category == "Kernel") return SliceSide::kKernel;
  if (category == "gpu_memcpy" || category == "Memcpy") return SliceSide::kMemcpy;
  if (category == "gpu_memset" || category == "Memset") return SliceSide::kMemset;
  if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime") {
    return SliceSide::kRuntime;
  }
  if (category == "cpu_op" || category == "Operator") return SliceSide::kOperator;
  if (category == "user_annotation") return SliceSide::kAnnotation;
  if (category == "python_function") return SliceSide::kPython;
  if (category == "overhead") return SliceSide::kOverhead;
  if (category == "Trace") return SliceSide::kProfiler;
  return category.starts_with("gpu_") ? SliceSide::kShadow : SliceSide::kOther;
}

std::vector<SliceSide> sides_of_labels(const trace::Trace& trace) {
  std::vector<SliceSide> sides;
  sides.reserve(trace.labels.size());
  for (const trace::TraceLabel& label : trace.labels) {
    sides.push_back(side_of(trace.texts[label.category]));
  }
  return sides;
}

bool is_shadow_category(std::string_view category) {
  return side_of(category) == SliceSide::kShadow;
}

std::vector<std::uint32_t> profiler_steps(const trace::Trace& trace) {
  std::vector<bool> is_step;  // by label
  is_step.reserve(trace.labels.size());
  for (const trace::TraceLabel& label : trace.labels) {
    is_step.push_back(trace.texts[label.name].starts_with("ProfilerStep#") &&
                      is_host(side_of(trace.texts[label.category])));
  }
  std::vector<std::uint32_t> steps;
  for (std::uint32_t i = 0; i < trace.slices.size(); ++i) {
    if (is_step[trace.slices[i].label]) steps.push_back(i);
  }
  std::stable_sort(steps.begin(), steps.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.slices[a].start < trace.slices[b].start;
  });
  return steps;
}

bool is_compile_phase(std::string_view name) { return name.ends_with(kCompilePhase); }

std::string_view compile_phase(std::string_view name) {
  if (is_compile_phase(name)) name.remove_suffix(kCompilePhase.size());
  return name;
}

}  // namespace benchhud::analysis
