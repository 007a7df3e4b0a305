// What the devices spent their time on, and how much of it at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// Over all devices and streams together, ns. `exclusive` divides the span: its parts add up to it.
struct DeviceBreakdown {
  enum Type : std::uint8_t { kCompute = 1, kCommunication = 2, kMemory = 4 };  ///< bits

  std::int64_t span = 0;  ///< from the first beginning to the last end
  /// By the set of types that ran at once; 0: nothing did.
  std::array<std::int64_t, 8> exclusive = {};

  std::int64_t idle() const { return exclusive[0]; }
  /// In which that type ran, whatever else did.
  std::int64_t busy(Type type) const;
  /// Of the time of communication the part in which something was computed: |comm ∩ comp| / |comm|
  /// (Holistic Trace Analysis). None without communication.
  std::optional<double> overlap_of_communication() const;
};

/// Kernels compute, but for those that communicate; copies and sets are memory. Follows Holistic
/// Trace Analysis's temporal and kernel breakdowns.
DeviceBreakdown device_breakdown(const TraceContext& context);

}  // namespace benchhud::analysis
