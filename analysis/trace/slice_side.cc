#include "analysis/trace/slice_side.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "schema/base/ascii.h"

namespace benchhud::analysis {

using trace::ThreadRole;
using Side = SliceSide;

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kCompilePhase = " (dynamo_timed)";
constexpr std::string_view kCompileEvent = "dynamo_timed";

// Categories that say all; on whatever thread.
constexpr std::array kSides = {
    std::pair("cpu_op"sv, Side::kOperator),
    std::pair("Operator"sv, Side::kOperator),
    std::pair("kernel"sv, Side::kKernel),
    std::pair("Kernel"sv, Side::kKernel),
    std::pair("user_annotation"sv, Side::kAnnotation),
    std::pair("python_function"sv, Side::kPython),
    std::pair("overhead"sv, Side::kOverhead),
    std::pair("Runtime"sv, Side::kRuntime),
    std::pair("Trace"sv, Side::kProfiler),
    std::pair(kCompileEvent, Side::kHost),
    // Gaudi's: "HPU host side runtime event", as libkineto's ActivityType.h has it.
    std::pair("hpu_op"sv, Side::kRuntime),
    // MTIA's command processor runs them.
    std::pair("mtia_ccp_events"sv, Side::kKernel),
    // Of Ascend's queue of operators.
    std::pair("enqueue"sv, Side::kHost),
    std::pair("dequeue"sv, Side::kHost),
};

// XPlane's, as we call them: words that a program of the host may use as well. A module contains
// its operators, an asynchronous one spans from its start to its end, both of which are operators,
// and the rest is marks.
constexpr std::array kXplaneSides = {
    std::pair("xla_op"sv, Side::kDeviceOperator),
    std::pair("xla_module"sv, Side::kShadow),
    std::pair("xla_async_op"sv, Side::kShadow),
    std::pair("xla_traceme"sv, Side::kShadow),
};
constexpr std::array kXplaneWords = {std::pair("step"sv, Side::kDeviceStep),
                                     std::pair("custom"sv, Side::kShadow)};

// Where libkineto and its forks for other devices call something the same but for the device.
constexpr std::array kEndings = {
    std::pair("_runtime"sv, Side::kRuntime), std::pair("_driver"sv, Side::kRuntime),
    std::pair("memcpy"sv, Side::kMemcpy), std::pair("memset"sv, Side::kMemset),
    std::pair("_user_annotation"sv, Side::kShadow)};
// What a profiler notes on a device's streams beside the work. Others than profilers of devices
// call their categories so, too.
constexpr std::array kDeviceNotes = {"_sync"sv,     "_event"sv,   "_profiler_range"sv,
                                     "_notifier"sv, "_insight"sv, "_counters"sv};
constexpr std::array kDeviceMakers = {"cuda"sv, "hip"sv, "xpu"sv,  "mtia"sv, "npu"sv,
                                      "hpu"sv,  "mlu"sv, "musa"sv, "gcu"sv,  "privateuse1"sv};

template <std::size_t N>
Side side_among(const std::array<std::pair<std::string_view, Side>, N>& sides,
                std::string_view category) {
  const auto found = std::find_if(sides.begin(), sides.end(),
                                  [&](const auto& known) { return known.first == category; });
  return found == sides.end() ? Side::kUnknown : found->second;
}

bool is_of_host(ThreadRole role) {
  return role == ThreadRole::kHost || role == ThreadRole::kHostRuntime;
}

// kUnknown where a category says nothing.
Side side_of_xplane(std::string_view category, ThreadRole role) {
  if (is_of_host(role)) return Side::kUnknown;
  if (const Side side = side_among(kXplaneSides, category); side != Side::kUnknown) return side;
  if (role != ThreadRole::kUnknown) return side_among(kXplaneWords, category);
  return category == "host" ? Side::kHost : Side::kUnknown;
}

// Of any maker of devices: `mlu_memcpy`, `xpu_sync`. kUnknown where it is none's.
Side side_of_open_form(std::string_view category, ThreadRole role) {
  // Longer ones are nobody's.
  constexpr std::size_t kMostBytes = 64;
  if (category.empty() || category.size() > kMostBytes) return Side::kUnknown;
  const std::string folded = schema::lower_case(category);
  // That of instants, which have no length.
  if (folded == "cpu_instant_event") return Side::kHost;
  const std::size_t maker_end = std::min(folded.find('_'), folded.size());
  const std::string_view maker = std::string_view(folded).substr(0, maker_end);
  const bool is_gpu = maker == "gpu" && maker_end < folded.size();
  // A host copies, too.
  const bool may_be_device = is_gpu || folded == "memcpy" || folded == "memset" ||
                             (!is_of_host(role) && maker != "host" && maker != "cpu");
  for (const auto& [ending, side] : kEndings) {
    if (!folded.ends_with(ending)) continue;
    if (side == Side::kRuntime || may_be_device) return side;
    return Side::kUnknown;
  }
  const auto is = [](std::string_view text) {
    return [text](std::string_view known) { return text == known; };
  };
  const std::string_view note = std::string_view(folded).substr(maker_end);
  if (std::any_of(kDeviceMakers.begin(), kDeviceMakers.end(), is(maker)) &&
      std::any_of(kDeviceNotes.begin(), kDeviceNotes.end(), is(note))) {
    return Side::kShadow;
  }
  return is_gpu ? Side::kShadow : Side::kUnknown;
}

Side side_of_category(std::string_view category, ThreadRole role) {
  Side side = side_among(kSides, category);
  if (side == Side::kUnknown) side = side_of_xplane(category, role);
  return side == Side::kUnknown ? side_of_open_form(category, role) : side;
}

bool starts_with_letters(std::string_view name, std::string_view folded) {
  return schema::equal_ignoring_case(name.substr(0, folded.size()), folded);
}

// Of a device's stream. Ascend's streams show waiting for events, too (msprof's task types).
Side side_on_stream(std::string_view name) {
  for (const std::string_view copy : {"memcpy"sv, "sdma"sv}) {
    if (starts_with_letters(name, copy)) return Side::kMemcpy;
  }
  if (starts_with_letters(name, "memset")) return Side::kMemset;
  for (const std::string_view wait : {"event_"sv, "notify_"sv, "notify "sv, "capture_"sv}) {
    if (starts_with_letters(name, wait)) return Side::kShadow;
  }
  return Side::kKernel;
}

// Of an NPU's stream, where another thread shows collectives whole: what these are made of (HCCL's
// tasks, as msprof calls them) counts there.
Side side_beside_collectives(std::string_view name) {
  for (const std::string_view task :
       {"hcom_"sv, "hccl"sv, "reduce_inline"sv, "reduce inline"sv, "rdma"sv}) {
    if (starts_with_letters(name, task)) return Side::kShadow;
  }
  return side_on_stream(name);
}

// Whether a name is a device's maker's prefix and then a capital: "cuLaunchKernel", not "custom".
bool is_runtime_call(std::string_view name) {
  for (const std::string_view prefix : {"cuda"sv, "cu"sv, "hip"sv, "ur"sv, "ze"sv, "mu"sv}) {
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    if (std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0) return true;
  }
  return name.starts_with("AscendCL@") || name.starts_with("Runtime@") || name == "Node@launch";
}

// Of the host, where the category says no more. Profilers of XLA call frames `$file.py:1 name`.
Side side_on_host(std::string_view name) {
  if (is_runtime_call(name)) return Side::kRuntime;
  if (name.starts_with("$") && name.find(".py:") != name.npos) return Side::kPython;
  return Side::kHost;
}

Side side_on_role(std::string_view name, ThreadRole role) {
  switch (role) {
    case ThreadRole::kUnknown:
      break;
    case ThreadRole::kHost:
      return side_on_host(name);
    case ThreadRole::kHostRuntime:
      return Side::kRuntime;
    case ThreadRole::kDevice:
      return side_on_stream(name);
    case ThreadRole::kDeviceComputation:
      return side_beside_collectives(name);
    case ThreadRole::kDeviceOperators:
      return Side::kDeviceOperator;
    case ThreadRole::kDeviceCommunication:
      return Side::kKernel;
    case ThreadRole::kDeviceSteps:
      return Side::kDeviceStep;
    case ThreadRole::kDeviceNotes:
      return Side::kShadow;
  }
  return Side::kUnknown;
}

bool is_step_annotation(std::string_view name, Side side) {
  return name.starts_with("ProfilerStep#") && is_host(side);
}

}  // namespace

SliceSide side_of(std::string_view name, std::string_view category, ThreadRole role) {
  const Side side = side_of_category(category, role);
  return side == Side::kUnknown ? side_on_role(name, role) : side;
}

std::vector<SliceSide> sides_of_labels(const trace::Trace& trace) {
  std::vector<SliceSide> sides;
  sides.reserve(trace.labels.size());
  for (const trace::TraceLabel& label : trace.labels) {
    sides.push_back(side_of(trace.texts[label.name], trace.texts[label.category], label.role));
  }
  return sides;
}

std::vector<std::uint32_t> profiler_steps(const trace::Trace& trace,
                                          const std::vector<SliceSide>& sides) {
  enum class Mark : std::uint8_t { kNone, kAnnotation, kDevice };
  std::vector<Mark> marks(trace.labels.size());
  bool has_annotations = false;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (is_step_annotation(trace.texts[trace.labels[i].name], sides[i])) {
      marks[i] = Mark::kAnnotation;
      has_annotations = true;
    } else if (sides[i] == Side::kDeviceStep) {
      marks[i] = Mark::kDevice;
    }
  }
  const Mark wanted = has_annotations ? Mark::kAnnotation : Mark::kDevice;
  std::vector<std::uint32_t> steps;
  if (std::find(marks.begin(), marks.end(), wanted) == marks.end()) return steps;
  for (std::uint32_t i = 0; i < trace.slices.size(); ++i) {
    if (marks[trace.slices[i].label] == wanted) steps.push_back(i);
  }
  if (wanted == Mark::kDevice) {
    // Cores of one program step alike: of several the steps would count several times.
    std::vector<std::size_t> counts(trace.threads.size());
    for (const std::uint32_t step : steps) ++counts[trace.slices[step].thread];
    const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
    std::erase_if(steps, [&](std::uint32_t step) {
      return trace.slices[step].thread != static_cast<std::uint32_t>(most);
    });
  }
  std::stable_sort(steps.begin(), steps.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.slices[a].start < trace.slices[b].start;
  });
  return steps;
}

bool is_synchronization(std::string_view name) {
  // Of CUDA, HIP and MTIA; of Level Zero and Unified Runtime; of Ascend's runtime.
  return name.ends_with("Synchronize") || name == "urQueueFinish" || name == "urEventWait" ||
         (name.starts_with("ze") && name.ends_with("HostSynchronize")) ||
         name.starts_with("AscendCL@aclrtSynchronize");
}

bool is_profiled_compile_phase(std::string_view name) { return name.ends_with(kCompilePhase); }

bool is_dynamo_lookup(std::string_view name) { return name == "TorchDynamo Cache Lookup"; }

bool is_compile_phase(std::string_view name, std::string_view category) {
  return category == kCompileEvent || is_profiled_compile_phase(name);
}

std::string_view compile_phase(std::string_view name) {
  if (is_profiled_compile_phase(name)) name.remove_suffix(kCompilePhase.size());
  return name;
}

}  // namespace benchhud::analysis
