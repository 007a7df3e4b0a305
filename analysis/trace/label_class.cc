#include "analysis/trace/label_class.h"

#include "analysis/trace/slice_side.h"

namespace benchhud::analysis {
namespace {

// Regions and graphs that torch.compile made (compiled_regions.h, compiled_code.h).
bool is_compiled(std::string_view name) {
  return name.starts_with("Torch-Compiled Region") || name == "CompiledFunction" ||
         name == "CompiledFunctionBackward" || name.starts_with("## Call CompiledFxGraph");
}

constexpr std::string_view kCollectives = "collective_comm";

}  // namespace

LabelClass label_class(std::string_view name, std::string_view category, trace::ThreadRole role) {
  const SliceSide side = side_of(name, category, role);
  // PyTorch before 1.10 wrote steps as operators.
  if (side == SliceSide::kOperator && name.starts_with("ProfilerStep#")) {
    return {"annotation", TrackSide::kHost};
  }
  if (is_host(side)) {
    const TrackSide where = side == SliceSide::kUnknown ? TrackSide::kOther : TrackSide::kHost;
    if (is_compile_phase(name, category)) return {"compile", where};
    if (is_compiled(name)) return {"compiled", where};
    if (category == kCollectives) return {"communication", where};
  }
  switch (side) {
    case SliceSide::kUnknown:
      break;
    case SliceSide::kHost:
      return {"host", TrackSide::kHost};
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
    case SliceSide::kDeviceOperator:
      return {name_of(kernel_class_of_label(name, category, role).value_or(KernelClass::kOther)),
              TrackSide::kDevice};
    case SliceSide::kMemcpy:
      return {"memcpy", TrackSide::kDevice};
    case SliceSide::kMemset:
      return {"memset", TrackSide::kDevice};
    case SliceSide::kDeviceStep:
    case SliceSide::kShadow:
      return {"shadow", TrackSide::kDevice};
    case SliceSide::kProfiler:
      return {"profiler", TrackSide::kOther};
  }
  return {"unknown", TrackSide::kOther};
}

LabelClass label_class(const trace::LabelText& label) {
  return label_class(label.name, label.category, label.role);
}

std::optional<KernelClass> kernel_class_of_label(std::string_view name, std::string_view category,
                                                 trace::ThreadRole role) {
  if (const auto own = kernel_rules().own_of_name(name)) return own;
  if (category == kCollectives || role == trace::ThreadRole::kDeviceCommunication) {
    return KernelClass::kCommunication;
  }
  // Inductor calls a kernel by the operators that it fuses with others: "all_reduce" in its name
  // says that it works on what was reduced.
  if (name.starts_with("triton_")) return KernelClass::kInductorTriton;
  return kernel_rules().of_name(name);
}

bool is_work(const LabelClass& of) {
  return of.name != "annotation" && of.name != "shadow" && of.name != "profiler";
}

std::string_view flow_kind(std::string_view category) {
  if (category == "ac2g" || category == "async_cpu_to_gpu" || category == "async_npu" ||
      category == "HostToDevice")
    return "launch";
  if (category == "fwdbwd") return "fwdbwd";
  return category.starts_with("async") ? "async" : "other";
}

}  // namespace benchhud::analysis
