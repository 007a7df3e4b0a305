#include "trace/thread_role.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "schema/base/ascii.h"
#include "trace/trace.h"

namespace benchhud::trace {
namespace {

using namespace std::string_view_literals;

using schema::lower_case;

enum class Machine : std::uint8_t { kUnknown, kHost, kDevice };

// "cpu", "gpu", "npu" …: processing units are called so by whoever makes one. But a DPU is a
// network card.
Machine machine_of_word(std::string_view word) {
  if (word == "cpu" || word == "host") return Machine::kHost;
  if (word == "mtia" || word == "cuda" || word == "rocm") return Machine::kDevice;
  const bool is_unit = word.size() == 3 && word.ends_with("pu");
  return is_unit && word != "dpu" ? Machine::kDevice : Machine::kUnknown;
}

// Whether the text is one such word, alone or with a number: "GPU 0", "NPU", "XPU:1".
Machine machine_of_label(std::string_view label) {
  const std::string text = lower_case(label);
  const auto end = std::find_if_not(text.begin(), text.end(), schema::is_letter);
  const std::string_view number(end, text.end());
  if (number.find_first_not_of(" :#_0123456789") != number.npos) return Machine::kUnknown;
  return machine_of_word({text.begin(), end});
}

// Labels of a process are listed with commas.
Machine machine_of_labels(std::string_view labels) {
  Machine found = Machine::kUnknown;
  while (!labels.empty()) {
    const std::size_t comma = std::min(labels.find(','), labels.size());
    std::string_view label = labels.substr(0, comma);
    label.remove_prefix(std::min(label.find_first_not_of(' '), label.size()));
    found = std::max(found, machine_of_label(label));
    labels.remove_prefix(std::min(comma + 1, labels.size()));
  }
  return found;
}

// "tpu" of "/device:TPU:0" and of "/job:worker/task:0/device:TPU:0 SparseCore"; "" where it is
// none.
std::string device_type(std::string_view process) {
  constexpr std::string_view kDevice = "/device:";
  const std::size_t at = process.find(kDevice);
  if (at == process.npos) return "";
  process.remove_prefix(at + kDevice.size());
  return lower_case(process.substr(0, process.find_first_of(": ")));
}

// "stream 7", "Stream #14(Compute)".
bool is_stream(std::string_view name) {
  constexpr std::string_view kStream = "stream";
  if (lower_case(name.substr(0, kStream.size())) != kStream) return false;
  const std::size_t number = name.find_first_not_of(" #", kStream.size());
  return number > kStream.size() && number < name.size() && schema::is_digit(name[number]);
}

// PyTorch's first profilers called streams so in `tid`.
bool is_stream(const TraceThread& thread) {
  return is_stream(thread.name) || is_stream(thread.tid);
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Lines that XProf makes of others, and a TPU's lines that show the insides of operators.
bool is_note(std::string_view thread, bool has_operators) {
  constexpr std::array kNotes = {
      "XLA Modules"sv,    "Sparse Core Modules"sv,   "Async XLA Ops"sv,
      "XLA TraceMe"sv,    "Framework Name Scope"sv,  "Framework Ops"sv,
      "TensorFlow Ops"sv, "TensorFlow Name Scope"sv, "Source code"sv,
      "Source Code"sv,    "Launch Stats"sv,          "Host Offload Ops"sv,
      "Overhead"sv};
  if (is_one_of(thread, kNotes)) return true;
  // A GPU's operators are made of the kernels on its streams.
  return !has_operators && thread.starts_with("XLA Ops");
}

ThreadRole role_on_device(std::string_view thread, std::string_view type) {
  const bool has_operators = type != "gpu";
  if (thread == "Steps" || thread == "Sparse Core Steps") return ThreadRole::kDeviceSteps;
  if (is_note(thread, has_operators)) return ThreadRole::kDeviceNotes;
  if (thread == "XLA Ops" || thread == "Sparse Core Ops") return ThreadRole::kDeviceOperators;
  // What else a TPU shows (`Tensor Core`, `Overlay`, flags) lies within its operators; what else
  // XLA's profiler shows of a GPU repeats what its streams show.
  if (type == "tpu") return ThreadRole::kDeviceNotes;
  const bool is_copy = type == "gpu" && !thread.empty() && !is_stream(thread);
  return is_copy ? ThreadRole::kDeviceNotes : ThreadRole::kDevice;
}

// "CANN" of "CANN (1234)": Ascend's viewer adds the process's number.
std::string_view plain_process(const TraceThread& thread) {
  return std::string_view(thread.process_name).substr(0, thread.process_name.find(" ("));
}

constexpr std::string_view kAscendHardware = "Ascend Hardware";

// Of the processes of Ascend's profiler. Others may call processes so, too: it needs the label, or
// that `Ascend Hardware` is in the trace (`is_ascend`).
ThreadRole role_on_ascend(const TraceThread& thread, bool is_ascend) {
  const std::string_view process = plain_process(thread);
  if (process == kAscendHardware) return ThreadRole::kDevice;
  const Machine machine = machine_of_labels(thread.process_labels);
  if (process == "CANN" && (is_ascend || machine == Machine::kHost)) {
    return ThreadRole::kHostRuntime;
  }
  if (!is_ascend && machine != Machine::kDevice) return ThreadRole::kUnknown;
  if (process == "Overlap Analysis") return ThreadRole::kDeviceNotes;
  if (process != "Communication" && process != "HCCL") return ThreadRole::kUnknown;
  // The planes show the parts of what the group's thread shows whole.
  return thread.name.find("Communication") != thread.name.npos ? ThreadRole::kDeviceCommunication
                                                               : ThreadRole::kDeviceNotes;
}

// Whether a thread that is called as streams are is one, in a process without labels: its process
// has no name, is Python, or it is called as only XLA's profiler does.
bool is_stream_of_unknown(const TraceThread& thread) {
  return is_stream(thread) &&
         (thread.process_name.empty() || lower_case(thread.process_name).starts_with("python") ||
          thread.name.find('#') != thread.name.npos);
}

ThreadRole role_of_thread(const TraceThread& thread, bool is_ascend) {
  if (const auto role = role_on_ascend(thread, is_ascend); role != ThreadRole::kUnknown) {
    return role;
  }
  const std::string_view process = plain_process(thread);
  if (process.starts_with("/host:")) return ThreadRole::kHost;
  // Parts of a TPU beside its cores.
  if (process.starts_with("#Chip")) return ThreadRole::kDeviceNotes;
  const std::string type = device_type(process);
  if (type == "cpu") return ThreadRole::kHost;
  // What a custom plane shows is its maker's affair.
  if (type == "custom") return ThreadRole::kDeviceNotes;
  if (!type.empty()) return role_on_device(thread.name, type);
  Machine machine = machine_of_labels(thread.process_labels);
  if (machine == Machine::kUnknown) {
    machine = machine_of_label(process);
    // A browser's process that drives the GPU is called "Gpu", too, and is the host's.
    if (machine == Machine::kDevice && !is_stream(thread)) return ThreadRole::kUnknown;
  }
  if (machine == Machine::kDevice) return role_on_device(thread.name, "");
  if (machine == Machine::kHost) return ThreadRole::kHost;
  if (is_stream_of_unknown(thread)) return ThreadRole::kDevice;
  if (thread.name == "XLA Ops") return ThreadRole::kDeviceOperators;
  return ThreadRole::kUnknown;
}

}  // namespace

std::vector<ThreadRole> roles_of_threads(const std::vector<TraceThread>& threads) {
  const auto is_hardware = [](const TraceThread& thread) {
    return plain_process(thread) == kAscendHardware;
  };
  const bool is_ascend = std::any_of(threads.begin(), threads.end(), is_hardware);
  std::vector<ThreadRole> roles;
  roles.reserve(threads.size());
  for (const TraceThread& thread : threads) roles.push_back(role_of_thread(thread, is_ascend));
  const bool has_collectives =
      std::find(roles.begin(), roles.end(), ThreadRole::kDeviceCommunication) != roles.end();
  for (std::size_t i = 0; has_collectives && i < roles.size(); ++i) {
    if (is_hardware(threads[i])) roles[i] = ThreadRole::kDeviceComputation;
  }
  return roles;
}

}  // namespace benchhud::trace
