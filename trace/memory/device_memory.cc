// The members of the events are those that PyTorch writes in
// torch/csrc/autograd/profiler_kineto.cpp (addMemoryUsageActivity and its successors); device types
// are those of c10/core/DeviceType.h.
#include "trace/memory/device_memory.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "schema/base/utf8.h"

namespace benchhud::trace {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

// No device has as much, and what is more is no exact number for many readers of JSON.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 53;

// c10::DeviceTypeName() in lower case, by number.
constexpr std::array<std::string_view, 21> kTypeNames = {
    "cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",
    "fpga", "maia", "xla",    "vulkan", "metal",  "xpu",   "mps",
    "meta", "hpu",  "ve",     "lazy",   "ipu",    "mtia",  "privateuseone"};

// A member that should be a whole number between the two. Where it is something else, or none,
// there is no number, and `problem` says so if it has said nothing yet.
std::optional<std::int64_t> whole_number(const object& args, std::string_view key,
                                         std::int64_t least, std::int64_t most,
                                         std::string* problem) {
  element value;
  if (args.at_key(key).get(value) != simdjson::SUCCESS) return std::nullopt;
  std::int64_t number = 0;
  if (value.get(number) == simdjson::SUCCESS && number >= least && number <= most) return number;
  if (problem->empty()) {
    constexpr std::size_t kMostShown = 40;
    const std::string shown = simdjson::minify(value);
    *problem = fmt::format("{} of a {} event is {}, which cannot be", key, kMemoryEvent,
                           schema::whole_characters(shown, 0, kMostShown));
  }
  return std::nullopt;
}

}  // namespace

std::string name_of_device(const DeviceMemory& of) {
  const auto type = static_cast<std::size_t>(of.type);
  const std::string name = type < kTypeNames.size() ? std::string(kTypeNames[type])
                                                    : fmt::format("device type {}", of.type);
  return of.number < 0 ? name : fmt::format("{}:{}", name, of.number);
}

MemorySums::MemorySums() = default;
MemorySums::~MemorySums() = default;
MemorySums::MemorySums(MemorySums&&) noexcept = default;
MemorySums& MemorySums::operator=(MemorySums&&) noexcept = default;

// Null where there are too many.
DeviceMemory* MemorySums::device_of(std::int64_t type, std::int64_t number) {
  std::vector<DeviceMemory>& devices = sums_.devices;
  const auto found = std::ranges::lower_bound(
      devices, std::pair(type, number), {},
      [](const DeviceMemory& each) { return std::pair(each.type, each.number); });
  if (found != devices.end() && found->type == type && found->number == number) return &*found;
  if (devices.size() == MemoryByDevice::kMostDevices) return nullptr;
  DeviceMemory device;
  device.type = type;
  device.number = number;
  return &*devices.insert(found, device);
}

std::string MemorySums::add(std::int64_t time, std::string_view args, std::int64_t count) {
  if (!parser_) parser_ = std::make_unique<simdjson::dom::parser>();
  object members;
  if (args.empty() || parser_->parse(args.data(), args.size()).get(members) != simdjson::SUCCESS) {
    sums_.events_left_out += count;
    return fmt::format("the arguments of a {} event are no JSON object", kMemoryEvent);
  }
  constexpr std::int64_t kMostNumber = std::numeric_limits<std::int16_t>::max();
  std::string problem;
  const auto type = whole_number(members, "Device Type", 0, kMostNumber, &problem);
  const auto number = whole_number(members, "Device Id", -1, kMostNumber, &problem);
  const auto bytes = whole_number(members, "Bytes", -kMostBytes, kMostBytes, &problem);
  const auto allocated = whole_number(members, "Total Allocated", 0, kMostBytes, &problem);
  const auto reserved = whole_number(members, "Total Reserved", 0, kMostBytes, &problem);
  if (!type || !number) {
    sums_.events_left_out += count;
    return problem.empty()
               ? fmt::format("a {} event does not say of which device it is", kMemoryEvent)
               : problem;
  }
  DeviceMemory* const device = device_of(*type, *number);
  if (device == nullptr) {
    sums_.events_left_out += count;
    return problem;
  }
  if (bytes.value_or(0) > 0) device->allocations += count;
  if (bytes.value_or(0) < 0) device->deallocations += count;
  if (allocated) {
    const bool is_more = !device->peak_allocated || *allocated > *device->peak_allocated;
    if (is_more || (*allocated == *device->peak_allocated && time < *device->peak_time)) {
      device->peak_allocated = allocated;
      device->peak_time = time;
    }
  }
  if (reserved.value_or(0) > 0) {
    device->peak_reserved = std::max(device->peak_reserved.value_or(0), *reserved);
  }
  return problem;
}

}  // namespace benchhud::trace
