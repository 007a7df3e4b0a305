#include "analysis/slice_side.h"

namespace benchhud::analysis {

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

std::vector<SliceSide> sides_of_labels(const schema::Trace& trace) {
  std::vector<SliceSide> sides;
  sides.reserve(trace.labels.size());
  for (const schema::TraceLabel& label : trace.labels) {
    sides.push_back(side_of(trace.texts[label.category]));
  }
  return sides;
}

bool is_device_category(std::string_view category) { return is_device(side_of(category)); }

bool is_shadow_category(std::string_view category) {
  return side_of(category) == SliceSide::kShadow;
}

}  // namespace benchhud::analysis
