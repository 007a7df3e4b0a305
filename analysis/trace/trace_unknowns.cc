#include "analysis/trace/trace_unknowns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "analysis/text/quantity_text.h"
#include "schema/base/ascii.h"
#include "schema/base/text_excerpt.h"
#include "trace/memory/device_memory.h"

namespace benchhud::analysis {
namespace {

// "ipc, xpu_runtime, mtia_ccp_events and 3 more"
std::string names_text(const std::set<std::string_view>& names) {
  constexpr std::size_t kMostNames = 3, kMostBytes = 40;
  std::string text;
  std::size_t said = 0;
  for (const std::string_view name : names) {
    if (said == kMostNames) break;
    text += fmt::format("{}{}", said++ ? ", " : "",
                        name.empty() ? "none" : schema::beginning_of(name, kMostBytes));
  }
  if (names.size() > said) text += fmt::format(" and {} more", names.size() - said);
  return text;
}

// Slices on threads of which nothing is known but that they are there.
struct Unplaced {
  std::int64_t slices = 0, threads = 0;
  std::set<std::string_view> categories;
};

Unplaced unplaced_slices(const trace::Trace& trace, const std::vector<SliceSide>& sides) {
  enum class Known : std::uint8_t { kEmpty, kNothing, kSomething };
  std::vector<Known> known(trace.threads.size());
  std::vector<bool> is_known(sides.size());
  for (std::size_t i = 0; i < sides.size(); ++i) is_known[i] = sides[i] != SliceSide::kUnknown;
  for (const trace::TraceSlice& slice : trace.slices) {
    Known& of_thread = known[slice.thread];
    of_thread = std::max(of_thread, is_known[slice.label] ? Known::kSomething : Known::kNothing);
  }
  Unplaced found;
  found.threads = std::count(known.begin(), known.end(), Known::kNothing);
  if (found.threads == 0) return found;
  std::vector<bool> is_there(sides.size());
  for (const trace::TraceSlice& slice : trace.slices) {
    if (known[slice.thread] != Known::kNothing) continue;
    ++found.slices;
    is_there[slice.label] = true;
  }
  for (std::size_t i = 0; i < is_there.size(); ++i) {
    if (is_there[i]) found.categories.insert(trace.texts[trace.labels[i].category]);
  }
  return found;
}

// Whether something ran on a device because of a call of that name: a launch, a copy or a set, of
// any runtime. Functions of the host are launched, and waits put into queues, too.
bool is_launch(std::string_view name) {
  for (const std::string_view part : {"LaunchHostFunc", "EventsWait"}) {
    if (schema::contains_ignoring_case(name, part)) return false;
  }
  for (const std::string_view part : {"launch", "memcpy", "memset", "enqueue"}) {
    if (schema::contains_ignoring_case(name, part)) return true;
  }
  return false;
}

std::string why_no_device(const trace::Trace& trace, const std::vector<SliceSide>& sides) {
  if (const Unplaced found = unplaced_slices(trace, sides); found.slices > 0) {
    return fmt::format(
        "{} on {} may be a device's: neither their categories ({}) nor the names of their "
        "processes and threads say where they ran.",
        count_text(found.slices, "slice"), count_text(found.threads, "track"),
        names_text(found.categories));
  }
  enum class Hint : std::uint8_t { kNone, kLaunch, kOnDevice };
  std::vector<Hint> hints(sides.size());  // by label
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] == SliceSide::kRuntime && is_launch(trace.texts[trace.labels[i].name])) {
      hints[i] = Hint::kLaunch;
    }
    if (sides[i] == SliceSide::kShadow || sides[i] == SliceSide::kDeviceStep) {
      hints[i] = Hint::kOnDevice;
    }
  }
  std::array<std::int64_t, 3> counts{};
  for (const trace::TraceSlice& slice : trace.slices) {
    ++counts[static_cast<std::size_t>(hints[slice.label])];
  }
  const std::int64_t launches = counts[static_cast<std::size_t>(Hint::kLaunch)];
  const std::int64_t on_device = counts[static_cast<std::size_t>(Hint::kOnDevice)];
  if (on_device > 0) {
    return fmt::format("Of devices the trace has {} that {} no work, and nothing else.",
                       count_text(on_device, "slice"), on_device == 1 ? "is" : "are");
  }
  if (launches > 0) {
    return fmt::format("{} launched something on devices, and nothing of that is in the trace.",
                       count_text(launches, "call"));
  }
  // As of a model on a GPU that was profiled with the activities of the CPU alone.
  std::set<std::string> with_memory;
  for (const trace::DeviceMemory& device : trace.memory.devices) {
    if (device.type != trace::DeviceMemory::kCpuType) {
      with_memory.insert(trace::name_of_device(device));
    }
  }
  if (!with_memory.empty()) {
    return fmt::format(
        "PyTorch took memory of {}, and nothing that ran there is in the trace: perhaps it was "
        "recorded without the device's activities.",
        names_text({with_memory.begin(), with_memory.end()}));
  }
  const bool shows_work = std::ranges::any_of(trace.slices, [&](const trace::TraceSlice& slice) {
    return sides[slice.label] != SliceSide::kProfiler && sides[slice.label] != SliceSide::kOverhead;
  });
  if (!shows_work) {
    return fmt::format("The trace has no slices{}: whether anything ran on a device is not known.",
                       trace.slices.size() > 0 ? " but the profiler's own" : "");
  }
  return "";
}

}  // namespace

TraceUnknowns trace_unknowns(const trace::Trace& trace, const std::vector<SliceSide>& sides,
                             const DeviceSlices& device) {
  TraceUnknowns unknowns;
  const std::vector<DeviceSlice>& slices = device.slices;
  if (slices.empty()) {
    unknowns.device = device.set_aside.empty()
                          ? why_no_device(trace, sides)
                          : "The times of all that ran on devices are impossible.";
    unknowns.launches = unknowns.operators = unknowns.device;
    return unknowns;
  }
  const auto has_launch = [](const DeviceSlice& slice) { return slice.launch != trace::kNoSlice; };
  const auto has_operator = [&](const DeviceSlice& slice) {
    return has_launch(slice) || slice.launching_operator != trace::kNoSlice;
  };
  if (std::none_of(slices.begin(), slices.end(), has_launch)) {
    unknowns.launches = fmt::format(
        "The calls that launched the {} on devices are not in the trace, or of a runtime that "
        "benchhud does not know.",
        count_text(static_cast<std::int64_t>(slices.size()), "slice"));
  }
  if (std::none_of(slices.begin(), slices.end(), has_operator)) {
    unknowns.operators = unknowns.launches;
  }
  return unknowns;
}

}  // namespace benchhud::analysis
