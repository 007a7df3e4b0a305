// The memory of devices, as the `[memory]` events of PyTorch's profiler say it
// (profile_memory=True): an event for each time that one of PyTorch's allocators gave out memory or
// got it back, with how much of it the allocator counts from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simdjson::dom {
class parser;
}

namespace benchhud::trace {

/// What these events are called. They are instants.
inline constexpr std::string_view kMemoryEvent = "[memory]";
inline constexpr bool is_instant(char phase) {
  return phase == 'i' || phase == 'I' || phase == 'R';
}

/// What PyTorch's allocator of one device did while the profiler ran.
struct DeviceMemory {
  std::int64_t type = 0;    ///< c10::DeviceType: kCpuType, 1 for CUDA …
  std::int64_t number = 0;  ///< of the device among those of its type; below 0: it has none
  std::int64_t allocations = 0, deallocations = 0;
  /// Bytes: the largest "Total Allocated", which is what the process has in use, and when that was
  /// first said (ns). None where no event says it, as in traces of June 2021 and before.
  std::optional<std::int64_t> peak_allocated, peak_time;
  /// Bytes: the largest "Total Reserved", which is what the allocator holds, in use or not. None
  /// where no event says more than 0: PyTorch's allocator of the CPU reserves nothing and writes 0.
  std::optional<std::int64_t> peak_reserved;

  static constexpr std::int64_t kCpuType = 0;
  bool operator==(const DeviceMemory&) const = default;
};

/// "cuda:1", "cpu": as PyTorch writes devices; "device type 99:0" of a type that is not known here.
std::string name_of_device(const DeviceMemory& of);

/// Of all devices that a trace has such events of.
struct MemoryByDevice {
  static constexpr std::size_t kMostDevices = 256;
  std::vector<DeviceMemory> devices;  ///< by type and number; at most kMostDevices
  /// Events that do not say of which device they are, those of devices beyond kMostDevices, and
  /// those whose arguments were stored and are damaged.
  std::int64_t events_left_out = 0;

  bool is_empty() const { return devices.empty() && events_left_out == 0; }
  bool operator==(const MemoryByDevice&) const = default;
};

/// Sums up the events of a trace, in any order.
class MemorySums {
 public:
  MemorySums();
  ~MemorySums();
  MemorySums(MemorySums&&) noexcept;
  MemorySums& operator=(MemorySums&&) noexcept;

  /// `args`: of an event, as they stand in the file: an object's text. `count`: of how many events,
  /// the first of which is at `time`. Returns what of them cannot be used and why; "" where all
  /// can.
  std::string add(std::int64_t time, std::string_view args, std::int64_t count = 1);
  /// What was added until now.
  const MemoryByDevice& sums() const { return sums_; }

 private:
  DeviceMemory* device_of(std::int64_t type, std::int64_t number);

  std::unique_ptr<simdjson::dom::parser> parser_;
  MemoryByDevice sums_;
};

}  // namespace benchhud::trace
