// Where an iteration goes, by one vocabulary for profiles of every form, and the numbers of a
// profile that are followed over nights.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/framework_operators.h"
#include "analysis/trace/trace_context.h"
#include "trace/memory/device_memory.h"

namespace benchhud::analysis {

/// What a moment of an iteration is spent on. Of several that go on at once the first of this order
/// counts; kUnknown is what is left of the iteration.
enum class IterationPart : std::uint8_t {
  /// The host turns graphs into programs: phases of torch.compile (`… (dynamo_timed)`), XLA's
  /// compilations.
  kCompiling,
  /// The device computes: kernels, sets of memory, communication, operators of a TPU. Where nothing
  /// ran on a device, the host executes: PyTorch's operators, compiled regions, XLA's operators.
  kExecuting,
  /// Data is copied: copies of a device, PyTorch/XLA's transfers.
  kTransferring,
  /// The host waits for the device: synchronizing calls of its runtime, PyTorch/XLA's barriers.
  kWaiting,
  /// The host prepares work: PyTorch's operators and compiled regions, calls of the runtime,
  /// TorchDynamo's guards, PyTorch/XLA's collecting and scheduling of graphs.
  kTracing,
  kUnknown,
};
inline constexpr std::size_t kIterationParts = 6;
/// "compiling", "executing", "transferring", "waiting", "tracing", "unknown".
std::string_view name_of(IterationPart part);
/// In sentences: what the part is, and by what of a profile it is measured.
std::string_view iteration_part_definition(IterationPart part);

/// ns, of all iterations together.
struct IterationPartTime {
  /// What counts as this part: those of all parts add up to the iterations. None: `unknown` says
  /// why, and the time is in kUnknown.
  std::optional<std::int64_t> time;
  /// All of it, with what went on behind other parts. None of kUnknown.
  std::optional<std::int64_t> with_overlap;
  std::string unknown;  ///< a sentence
};

/// An iteration of many; ns.
struct IterationTimes {
  std::int64_t begin = 0, duration = 0;  ///< of the trace's clock
  /// As IterationPartTime::time has those of all iterations: they add up to the duration.
  std::array<std::optional<std::int64_t>, kIterationParts> parts;
  std::optional<std::int64_t> busy;  ///< as IterationProfile::busy
};
/// Of one profile so many are kept.
inline constexpr std::size_t kMostIterations = 1000;

/// What a peak of memory is of: the numbers of two kinds are no measure of the same.
enum class PeakMemoryOf : std::uint8_t {
  kXlaAllocator,   ///< what an allocator of XLA had allocated and reserved for programs together
  kPytorchDevice,  ///< what PyTorch had allocated on one device, of the whole process
  kPytorchCpu,     ///< what PyTorch had allocated on the CPU since the profiler began
};
inline constexpr std::size_t kPeakMemoryKinds = 3;
/// "xla_allocator", "pytorch_device", "pytorch_cpu".
std::string_view name_of(PeakMemoryOf of);
/// For a sentence behind the number: "allocated by PyTorch on a device".
std::string_view words_of(PeakMemoryOf of);

struct IterationProfile {
  /// How the iterations were found: "profiler_steps" (ProfilerStep#N, or steps of a device), as
  /// name_of(XlaIterations::FoundBy) has it, or "whole_profile": nothing marks them, and all of the
  /// profile, from its first slice to its last, is taken.
  std::string found_by = "whole_profile";
  std::int64_t count = 0;   ///< of iterations; 0: nothing marks them
  std::int64_t length = 0;  ///< ns, of all
  std::array<IterationPartTime, kIterationParts> parts;
  /// ns of `length` in which any device did anything. None: `busy_unknown` says why.
  std::optional<std::int64_t> busy;
  std::string busy_unknown;
  FrameworkOperators operators;
  /// The kernel class with the most time on devices, of the whole profile, and its part of all of
  /// that time; "": nothing is known to have run on a device.
  std::string top_class;
  double top_share = 0;
  /// ns in which anything was compiled, in the whole profile. None: `of(kCompiling).unknown` says
  /// why.
  std::optional<std::int64_t> compiling;
  /// Bytes: the most that was in use at once within the profile, of the device or allocator with
  /// the most of those whose peak is known. None: the profile does not say it.
  std::optional<std::int64_t> peak_memory;
  std::optional<PeakMemoryOf> peak_memory_of;  ///< of whom, where `peak_memory` is known
  /// Bytes: the most that PyTorch's allocator of one device held at once, in use or not
  /// (DeviceMemory::peak_reserved). None of XLA's, and where the profile does not say it.
  std::optional<std::int64_t> peak_reserved;
  /// What PyTorch's profiler said of memory. Where it says anything of another device, the numbers
  /// above are not the CPU's.
  trace::MemoryByDevice memory;
  /// In the order of time, the first kMostIterations; none where nothing marks them.
  std::vector<IterationTimes> iterations;

  const IterationPartTime& of(IterationPart part) const {
    return parts[static_cast<std::size_t>(part)];
  }
  IterationPartTime& of(IterationPart part) { return parts[static_cast<std::size_t>(part)]; }
};

/// What IterationProfile::found_by says, for a sentence: "4 iterations, by annotated steps".
std::string_view found_by_words(std::string_view found_by);

/// `device_operators`: as launching_operators() gives them.
IterationProfile iteration_profile(const TraceContext& context,
                                   const std::vector<std::uint32_t>& device_operators);

}  // namespace benchhud::analysis
