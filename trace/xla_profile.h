// What an XPlane profile says beyond its events: operators of XLA with their cost, kernels, runs of
// modules, allocators' peaks, marks of steps. Times are picoseconds, exact, where a name ends in
// `_ps`. The parts of a trace that hold such a profile are in Trace::xla.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"

namespace benchhud::trace {

/// a + b, at most the largest number that there is. Neither is below 0.
constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/// The memories whose bandwidth limits an operator.
enum class XlaMemory : std::uint8_t { kHbm, kCmemRead, kCmemWrite, kVmemRead, kVmemWrite };
inline constexpr std::size_t kXlaMemories = 5;

/// What a device can do at most, as its plane says; 0: it does not. Finite, and not below 0.
struct XlaPeaks {
  double flops_per_s = 0;
  std::array<double, kXlaMemories> bytes_per_s = {};
};

/// Sums over executions. `…_stated`: over how many of them the sum goes, which is 0 where the file
/// does not say the cost at all.
struct XlaCost {
  std::int64_t flops = 0, flops_stated = 0;
  std::int64_t bytes = 0, bytes_stated = 0;  ///< read and written, in all memories
  /// Bytes by XlaMemory. What an operator accesses is in HBM where the file names no memory.
  std::array<std::int64_t, kXlaMemories> memory = {};

  void add(const XlaCost& other);
};

/// A device, or the host where XLA runs on the CPU.
struct XlaDevice {
  enum class Kind : std::uint8_t { kTpu, kGpu, kCpu };
  std::string name;  ///< of its plane
  Kind kind = Kind::kTpu;
  XlaPeaks peaks;
  /// From the first beginning to the last end of its operators, on a TPU by the device's clock; of
  /// a GPU of all that its streams did. Idle time is in it.
  std::int64_t span_ps = 0;
  std::int64_t busy_ps = 0;  ///< the union of what ran
  /// What is in no row, because there were too many operators or their times are beyond 64 bits.
  std::int64_t left_out = 0, left_out_ps = 0;  ///< events, and their self time
};

/// Texts of operators, kernels and modules are numbers of Trace::texts; 0: the file does not say.
struct XlaOperator {
  std::uint32_t device = 0;                                ///< index in XlaProfile::devices
  std::uint32_t name = 0, category = 0, framework_op = 0;  ///< no name: kernels of no operator
  std::uint32_t module = 0, source = 0;
  std::optional<std::uint64_t> program;
  /// Executions. A GPU's operator that launches several kernels at once is executed once.
  std::int64_t occurrences = 0;
  std::int64_t kernels = 0;  ///< on a GPU: kernels, copies and sets; 0 elsewhere
  std::int64_t time_ps = 0;
  std::int64_t self_ps = 0;  ///< without the operators right within it
  XlaCost cost;
};

/// Kernels of one name, launch configuration and operator.
struct XlaKernel {
  std::uint32_t device = 0;
  std::uint32_t name = 0, op = 0, module = 0;
  std::uint32_t grid = 0, block = 0;  ///< "3,1,1"
  /// Of a thread and a block, as the file says them.
  std::optional<std::int64_t> registers, static_shared, dynamic_shared;
  std::optional<double> occupancy_pct;  ///< the theoretical one, as known_occupancy() gives it
  std::int64_t count = 0, total_ps = 0, min_ps = 0, max_ps = 0;

  /// No thread has so many: ROCm's profiler has written bytes of something else as registers.
  static constexpr std::int64_t kMostRegisters = 65'536;
};
/// An occupancy where it can be one, above 0 and up to 100 percent: what ran occupied something,
/// and ROCm writes 0 where it does not know.
std::optional<double> known_occupancy(std::optional<double> percent);

struct XlaModule {
  std::uint32_t device = 0;
  std::uint32_t name = 0;
  std::optional<std::uint64_t> program;
  std::int64_t runs = 0, total_ps = 0, min_ps = 0, max_ps = 0;
};

/// One run of a module on a device; times of the trace, ns.
struct XlaRun {
  std::uint32_t module = 0;  ///< index in XlaProfile::modules
  std::int64_t begin = 0, end = 0;
};

/// A step that the program annotated; times of the trace, ns.
struct XlaStep {
  std::uint32_t name = 0;
  std::uint32_t thread = 0;  ///< that annotated it, as the trace numbers it
  std::optional<std::int64_t> number;
  std::int64_t begin = 0, end = 0;
};

/// A slice that an operator of a device is executed in, or on a GPU a kernel of it.
struct XlaSlice {
  std::uint32_t slice = 0;  ///< index in Trace::slices
  std::uint32_t op = 0;     ///< index in XlaProfile::operators
};

struct XlaAllocator {
  std::uint32_t name = 0;
  std::int64_t allocations = 0, deallocations = 0;
  /// Allocated and reserved together, in bytes: the most within the profile, and when (ns).
  std::optional<std::int64_t> peak_bytes, peak_time;
  std::optional<std::int64_t>
      lifetime_peak_bytes;                     ///< as the allocator says it (peak_bytes_in_use)
  std::optional<std::int64_t> capacity_bytes;  ///< the most that it had and had free
};

struct XlaProfile {
  std::vector<XlaDevice> devices;
  std::vector<XlaOperator> operators;
  std::vector<XlaKernel> kernels;
  std::vector<XlaModule> modules;
  std::vector<XlaRun> runs;
  std::vector<XlaStep> steps;
  std::vector<XlaAllocator> allocators;
  /// In the order of the file. Of a file that was just read: they are not stored.
  std::vector<XlaSlice> slices;
  /// What there was no room for, each of its list.
  std::int64_t devices_left_out = 0, kernels_left_out = 0, modules_left_out = 0;
  std::int64_t runs_left_out = 0, steps_left_out = 0, allocators_left_out = 0;
  /// Runs of modules that say which launch they are of (run_id), and launches, with their
  /// counterpart and without.
  std::int64_t linked_runs = 0, runs_without_launch = 0, launches_without_run = 0;
  std::int64_t dropped_events = 0;  ///< that the profiler says it dropped

  // A hostile file has a million of each.
  static constexpr std::size_t kMostDevices = 1'000, kMostOperators = 100'000;
  static constexpr std::size_t kMostKernels = 50'000, kMostModules = 20'000;
  static constexpr std::size_t kMostRuns = 100'000, kMostSteps = 100'000;
  static constexpr std::size_t kMostAllocators = 1'000;
};

/// Keeps what a trace does not need to know of: encode_xla_profile()'s bytes are a zstd frame.
std::string encode_xla_profile(const XlaProfile& profile);
/// `texts`: how many texts the trace has. Error: kCorrupt.
schema::Expected<XlaProfile> decode_xla_profile(std::string_view frame, std::size_t texts);

}  // namespace benchhud::trace
