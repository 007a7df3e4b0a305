#include "analysis/trace/label_class.h"

#include "analysis/trace/slice_side.h"

namespace benchhud::analysis {
namespace {

// Regions and graphs that torch.compile made (compiled_regions.h, compiled_code.h).
bool is_compiled(std::string_view name) {
  return name.starts_with("Torch-Compiled Region") || name == "CompiledFunction" ||
         name == "CompiledFunctionBackward" || name.starts_with("## Call CompiledFxGraph");
}

LabelClass kernel_class(std::string_view name) {
  if (is_communication_kernel(name)) return {"communication", TrackSide::kDevice};
  if (name.starts_with("triton_")) return {"inductor_triton", TrackSide::kDevice};
  return {"library", TrackSide::kDevice};
}

}  // namespace

LabelClass label_class(std::string_view name, std::string_view category) {
  const SliceSide side = side_of(category);
  // PyTorch before 1.10 wrote steps as operators.
  if (side == SliceSide::kOperator && name.starts_with("ProfilerStep#")) {
    return {"annotation", TrackSide::kHost};
  }
  if (is_host(side)) {
    const TrackSide where = side == SliceSide::kOther ? TrackSide::kOther : TrackSide::kHost;
    if (is_compile_phase(name)) return {"compile", where};
    if (is_compiled(name)) return {"compiled", where};
  }
  switch (side) {
    case SliceSide::kOther:
      return {"other", TrackSide::kOther};
    case SliceSide::kOperator:
      return {"operator", TrackSide::kHost};
    case SliceSide::kAnnotation:
      return {"annotation", TrackSide::kHost};
    case SliceSide::kPython:
      return {"python", TrackSide::kHost};
    case SliceSide::kRuntime:
      return {"runtime", TrackSide::kHost};
    case SliceSide::kOverhead:
      return {"overhead", TrackSide::kHost};
    case SliceSide::kKernel:
      return kernel_class(name);
    case SliceSide::kMemcpy:
      return {"memcpy", TrackSide::kDevice};
    case SliceSide::kMemset:
      return {"memset", TrackSide::kDevice};
    case SliceSide::kShadow:
      return {"shadow", TrackSide::kDevice};
    case SliceSide::kProfiler:
      return {"profiler", TrackSide::kOther};
  }
  return {"other", TrackSide::kOther};
}

bool is_work(const LabelClass& of) {
  return of.name != "annotation" && of.name != "shadow" && of.name != "profiler";
}

bool is_communication_kernel(std::string_view name) {
  return name.starts_with("nccl") || name.starts_with("hccl") ||
         name.find("ncclKernel") != name.npos || name.find("ncclDevKernel") != name.npos ||
         name.find("rccl") != name.npos;
}

std::string_view flow_kind(std::string_view category) {
  if (category == "ac2g" || category == "async_cpu_to_gpu") return "launch";
  if (category == "fwdbwd") return "fwdbwd";
  return category.starts_with("async") ? "async" : "other";
}

}  // namespace benchhud::analysis
