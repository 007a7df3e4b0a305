#include "analysis/trace/slice_side.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace benchhud::analysis {

using trace::ThreadRole;
using Side = SliceSide;

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kCompilePhase = " (dynamo_timed)";

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
    // MTIA's command processor runs them.
    std::pair("mtia_ccp_events"sv, Side::kKernel),
    // XPlane's. A module contains its operators, an asynchronous one spans from its start to its
    // end, both of which are operators, and the rest is marks.
    std::pair("xla_op"sv, Side::kDeviceOperator),
    std::pair("xla_module"sv, Side::kShadow),
    std::pair("xla_async_op"sv, Side::kShadow),
    std::pair("xla_traceme"sv, Side::kShadow),
    std::pair("step"sv, Side::kDeviceStep),
    std::pair("custom"sv, Side::kShadow),
    std::pair("host"sv, Side::kHost),
    // Of Ascend's queue of operators.
    std::pair("enqueue"sv, Side::kHost),
    std::pair("dequeue"sv, Side::kHost),
};

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

std::string lower(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return folded;
}

// kUnknown where a category says nothing.
Side side_of_category(std::string_view category) {
  for (const auto& [known, side] : kSides) {
    if (category == known) return side;
  }
  // Longer ones are nobody's.
  constexpr std::size_t kMostBytes = 64;
  if (category.empty() || category.size() > kMostBytes) return Side::kUnknown;
  const std::string folded = lower(category);
  // That of instants, which have no length.
  if (folded == "cpu_instant_event") return Side::kHost;
  for (const auto& [ending, side] : kEndings) {
    if (folded.ends_with(ending)) return side;
  }
  const std::size_t maker_end = std::min(folded.find('_'), folded.size());
  const auto is = [&](std::size_t at, std::size_t size) {
    return [&, at, size](std::string_view known) { return folded.compare(at, size, known) == 0; };
  };
  if (std::any_of(kDeviceMakers.begin(), kDeviceMakers.end(), is(0, maker_end)) &&
      std::any_of(kDeviceNotes.begin(), kDeviceNotes.end(), is(maker_end, folded.npos))) {
    return Side::kShadow;
  }
  return folded.starts_with("gpu_") ? Side::kShadow : Side::kUnknown;
}

bool starts_with_letters(std::string_view name, std::string_view folded) {
  return lower(name.substr(0, folded.size())) == folded;
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

Side side_on_role(std::string_view name, std::string_view category, ThreadRole role) {
  switch (role) {
    case ThreadRole::kUnknown:
      break;
    case ThreadRole::kHost:
      return side_on_host(name);
    case ThreadRole::kHostRuntime:
      return Side::kRuntime;
    case ThreadRole::kDevice:
      return side_on_stream(name);
    case ThreadRole::kDeviceOperators:
      return Side::kDeviceOperator;
    case ThreadRole::kDeviceCommunication:
      return Side::kKernel;
    case ThreadRole::kDeviceSteps:
      return Side::kDeviceStep;
    case ThreadRole::kDeviceNotes:
      return Side::kShadow;
  }
  // Gaudi's operators run on the device, if no thread says that they are the host's.
  return category == "hpu_op" ? side_on_stream(name) : Side::kUnknown;
}

bool is_step_annotation(std::string_view name, Side side) {
  return name.starts_with("ProfilerStep#") && is_host(side);
}

}  // namespace

SliceSide side_of(std::string_view name, std::string_view category, ThreadRole role) {
  const Side side = side_of_category(category);
  return side == Side::kUnknown ? side_on_role(name, category, role) : side;
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

bool is_compile_phase(std::string_view name) { return name.ends_with(kCompilePhase); }

std::string_view compile_phase(std::string_view name) {
  if (is_compile_phase(name)) name.remove_suffix(kCompilePhase.size());
  return name;
}

}  // namespace benchhud::analysis
