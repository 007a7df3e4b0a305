// What the names of a process and a thread say of the slices on it, where their categories do not.
#pragma once

#include <cstdint>
#include <vector>

namespace benchhud::trace {

struct TraceThread;

/// The numbers are stored with labels (trace_chunk.cc): they never change.
enum class ThreadRole : std::uint8_t {
  kUnknown = 0,              ///< the names do not tell
  kHost = 1,                 ///< of the host
  kHostRuntime = 2,          ///< of the host: calls of a device's runtime (Ascend's CANN)
  kDevice = 3,               ///< a device's stream, or another thread of a device's process
  kDeviceOperators = 4,      ///< a device's operators, which nest (a TPU's `XLA Ops`)
  kDeviceCommunication = 5,  ///< a device's collectives (Ascend's `Group N Communication`)
  kDeviceSteps = 6,          ///< a device's steps
  kDeviceNotes = 7,          ///< of a device, but repeats or contains what other threads show
  kDeviceComputation = 8,    ///< a device's stream whose collectives other threads show whole
};
inline constexpr auto kLastThreadRole = ThreadRole::kDeviceComputation;

/// Of each thread, by the names of process and thread and the process's labels:
/// - PyTorch's profiler (libkineto, output_json.cpp) labels processes `CPU` and `GPU 0`, and calls
///   threads `stream 7`;
/// - XProf and XPlane name processes `/host:…`, `/device:TPU:0`, and threads `Stream #14(Compute)`,
///   `XLA Ops`, `Steps` … (xplane_schema.cc of openxla/xla);
/// - Ascend's profiler (torch_npu, msprof) names processes `Python`, `CANN`, `Ascend Hardware`,
///   `Communication` (older: `HCCL`) and `Overlap Analysis`, and labels them `CPU` and `NPU`.
///
/// Programs that write traces of their own call processes and threads likewise ("Gpu", "Stream 3",
/// "Communication"): such a name alone tells nothing.
std::vector<ThreadRole> roles_of_threads(const std::vector<TraceThread>& threads);

}  // namespace benchhud::trace
