#include "trace/thread_role.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace benchhud::trace {
namespace {

using namespace std::string_view_literals;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string upper(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return folded;
}

enum class Machine : std::uint8_t { kUnknown, kHost, kDevice };

// "CPU", "GPU", "NPU" …: processing units are called so by whoever makes one. A DPU is a network
// card, a VPU counts video.
Machine machine_of_word(std::string_view word) {
  if (word == "CPU" || word == "HOST") return Machine::kHost;
  if (word == "MTIA" || word == "CUDA" || word == "ROCM") return Machine::kDevice;
  const bool is_unit = word.size() == 3 && word.ends_with("PU");
  return is_unit && word != "DPU" ? Machine::kDevice : Machine::kUnknown;
}

// Whether the text is one such word, alone or with a number: "GPU 0", "NPU", "XPU:1".
Machine machine_of_label(std::string_view label) {
  const std::string text = upper(label);
  const auto end = std::find_if_not(text.begin(), text.end(), is_letter);
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

// "TPU" of "/device:TPU:0" and of "/job:worker/task:0/device:TPU:0 SparseCore"; "" where it is
// none.
std::string device_type(std::string_view process) {
  constexpr std::string_view kDevice = "/device:";
  const std::size_t at = process.find(kDevice);
  if (at == process.npos) return "";
  process.remove_prefix(at + kDevice.size());
  return upper(process.substr(0, process.find_first_of(": ")));
}

// "stream 7", "Stream #14(Compute)".
bool is_stream(std::string_view name) {
  constexpr std::string_view kStream = "STREAM";
  if (upper(name.substr(0, kStream.size())) != kStream) return false;
  const std::size_t number = name.find_first_not_of(" #", kStream.size());
  return number > kStream.size() && number < name.size() &&
         std::isdigit(static_cast<unsigned char>(name[number])) != 0;
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
  const bool has_operators = type != "GPU";
  if (thread == "Steps" || thread == "Sparse Core Steps") return ThreadRole::kDeviceSteps;
  if (is_note(thread, has_operators)) return ThreadRole::kDeviceNotes;
  if (thread == "XLA Ops" || thread == "Sparse Core Ops") return ThreadRole::kDeviceOperators;
  // What else a TPU shows (`Tensor Core`, `Overlay`, flags) lies within its operators.
  return type == "TPU" ? ThreadRole::kDeviceNotes : ThreadRole::kDevice;
}

// Of the processes of Ascend's profiler.
ThreadRole role_on_ascend(std::string_view process, std::string_view thread) {
  if (process == "CANN") return ThreadRole::kHostRuntime;
  if (process == "Ascend Hardware") return ThreadRole::kDevice;
  if (process == "Overlap Analysis") return ThreadRole::kDeviceNotes;
  if (process != "Communication" && process != "HCCL") return ThreadRole::kUnknown;
  // The planes show the parts of what the group's thread shows whole.
  return thread.find("Communication") != thread.npos ? ThreadRole::kDeviceCommunication
                                                     : ThreadRole::kDeviceNotes;
}

}  // namespace

ThreadRole role_of_thread(const TraceThread& thread) {
  // Ascend's viewer adds the process's number, "CANN (1234)".
  const std::string_view process =
      std::string_view(thread.process_name).substr(0, thread.process_name.find(" ("));
  if (const ThreadRole role = role_on_ascend(process, thread.name); role != ThreadRole::kUnknown) {
    return role;
  }
  if (process.starts_with("/host:")) return ThreadRole::kHost;
  // Parts of a TPU beside its cores.
  if (process.starts_with("#Chip")) return ThreadRole::kDeviceNotes;
  const std::string type = device_type(process);
  if (type == "CPU") return ThreadRole::kHost;
  // What a custom plane shows is its maker's affair.
  if (type == "CUSTOM") return ThreadRole::kDeviceNotes;
  if (!type.empty()) return role_on_device(thread.name, type);
  Machine machine = machine_of_labels(thread.process_labels);
  if (machine == Machine::kUnknown) machine = machine_of_label(process);
  if (machine == Machine::kDevice) return role_on_device(thread.name, "");
  if (machine == Machine::kHost) return ThreadRole::kHost;
  // The process is not named; PyTorch's first profilers called streams so in `tid`.
  if (is_stream(thread.name) || is_stream(thread.tid)) return ThreadRole::kDevice;
  if (thread.name == "XLA Ops") return ThreadRole::kDeviceOperators;
  return ThreadRole::kUnknown;
}

}  // namespace benchhud::trace
