// What a trace's numbers suggest to do, said with those numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchhud::analysis {

struct TraceReport;

struct Advice {
  enum class Severity : std::uint8_t {
    kNote,     ///< to be known when numbers are read
    kHint,     ///< might be better
    kWarning,  ///< costs much, or spoils the measurement
  };
  std::string_view code;  ///< stable, for programs
  Severity severity = Severity::kNote;
  std::string sentence;
  /// What the sentence says, for programs: names end with their unit (_ns, _share), others are
  /// counts.
  std::vector<std::pair<std::string_view, double>> numbers;
};

/// "note", "hint", "warning": as JSON has it.
std::string_view name_of(Advice::Severity severity);

// When something is worth a sentence. Shares are of 1.

/// A device busier than this is no bottleneck's victim: what the host could gain is small.
inline constexpr double kBusyDevice = 0.8;
/// Below this a device is idle most of the time.
inline constexpr double kIdleDevice = 0.5;
/// The host is the cause of idle time where streams waited for it at least so much of theirs.
inline constexpr double kHostBoundShare = 0.5;
/// Short kernels are a pattern where most are such, …
inline constexpr double kManyShortShare = 0.5;
/// … and there are enough to add up to anything.
inline constexpr std::int64_t kManyKernels = 100;
/// Launching is a cost where so many calls take longer than what they launch.
inline constexpr double kLaunchBoundShare = 0.2;
/// Something that takes less than this part of the trace is no cause of anything.
inline constexpr double kNoticeableShare = 0.05;
/// Fewer waits for a device belong to the profiler and to the ends of steps.
inline constexpr std::int64_t kManySynchronizations = 10;
/// A compilation in the window that takes more than this part of it spoils its averages.
inline constexpr double kCompilingShare = 0.1;
/// Communication that is covered by computation to this part is hidden well enough.
inline constexpr double kHiddenCommunication = 0.5;

/// The gravest first. `report`: complete but for its advice.
std::vector<Advice> trace_advice(const TraceReport& report);

}  // namespace benchhud::analysis
