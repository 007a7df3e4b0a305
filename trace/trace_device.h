// When the devices of a trace did anything: the union over a device's streams, and why it was idle
// in between. Derived of the trace by analysis, which knows what slices of a device are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::trace {

/// What an idle device waited for, as the report's `idle_ns` has it.
enum class IdleCause : std::uint8_t {
  kHostWait,    ///< what it did next was launched only after it had become idle
  kKernelWait,  ///< from kernel to kernel: shorter than a launch takes
  kOther,       ///< what it did next had been launched
  kUnknown,     ///< the launch of what it did next is not in the trace
};
inline constexpr std::size_t kIdleCauses = 4;
/// "host_wait", "kernel_wait", "other" or "unknown"
std::string_view idle_cause_name(IdleCause cause);

struct TraceDevice {
  std::uint32_t number = 0;         ///< within the trace
  std::uint32_t thread = 0;         ///< the first of its threads that have slices of a device
  std::int64_t begin = 0, end = 0;  ///< ns: of its first slice, and of the one that ends last
  std::int64_t busy = 0;            ///< ns
  std::int64_t gaps = 0;            ///< in which it was idle, between its slices
  std::array<std::int64_t, kIdleCauses> idle{};  ///< ns, by cause

  bool operator==(const TraceDevice&) const = default;
};

/// A device does something in [begin, end), ns, which is not empty.
struct BusySpan {
  std::int64_t begin = 0, end = 0;
  bool operator==(const BusySpan&) const = default;
};

/// Some spans that follow one another, packed.
struct BusyBlock {
  std::int64_t begin = 0, end = 0;
  std::int64_t busy = 0, count = 0;
  std::string bytes;
};
/// Spans by time, no two of which touch.
std::vector<BusyBlock> pack_busy(std::span<const BusySpan> spans);

/// A device and all its spans.
struct PackedDevice {
  TraceDevice device;
  std::vector<BusyBlock> blocks;
};

/// Keeps devices in place of those that are there; none: it is not known what ran on devices. Call
/// it within a transaction.
schema::Expected<void> put_trace_devices(schema::Connection& connection, schema::TraceId trace,
                                         const std::optional<std::vector<PackedDevice>>& devices);
schema::Expected<void> delete_trace_devices(schema::Connection& connection, schema::TraceId trace);

/// By number; none where it is not known what ran on devices, or not derived yet.
schema::Expected<std::optional<std::vector<TraceDevice>>> trace_devices(
    schema::Connection& connection, schema::TraceId trace);

/// A span as long as a part of the window, or longer; or shorter ones that begin in one part.
struct BusyItem {
  std::int64_t begin = 0, end = 0;  ///< ns: of the first and of the last
  std::int64_t busy = 0;            ///< ns
  std::int64_t count = 0;
  bool operator==(const BusyItem&) const = default;
};

struct BusyQuery {
  std::uint32_t device = 0;
  std::int64_t begin = 0, end = 0;  ///< ns: [begin, end)
  std::uint32_t buckets = 512;      ///< parts of equal width, one at least
};

/// When a device was busy in a window, by time: at most two items a part. Spans that reach into the
/// window or out of it are whole. Its cost grows with the parts; blocks of 512 spans that lie in a
/// part are sums already. Errors: kInvalidArgument for an empty window or none or more than 65,536
/// parts; kCorrupt.
schema::Expected<std::vector<BusyItem>> busy_in_window(schema::Connection& connection,
                                                       schema::TraceId trace,
                                                       const BusyQuery& query);

}  // namespace benchhud::trace
