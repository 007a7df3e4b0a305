// A trace with what most of its analyses need, made once for all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/trace/device_activity.h"
#include "analysis/trace/slice_side.h"
#include "trace/trace.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

/// Refers to the trace and its nesting, which must outlive it.
class TraceContext {
 public:
  TraceContext(const trace::Trace& trace, const trace::TraceNesting& nesting);

  const trace::Trace& trace() const { return trace_; }
  const trace::TraceNesting& nesting() const { return nesting_; }
  /// As device_slices() gives them.
  const std::vector<DeviceSlice>& device() const { return device_.slices; }
  /// Slices of devices that device() leaves out, for their times are impossible; ascending.
  const std::vector<std::uint32_t>& set_aside() const { return device_.set_aside; }
  bool is_set_aside(std::uint32_t index) const {
    return std::binary_search(set_aside().begin(), set_aside().end(), index);
  }
  /// ns in which one of device() did that and nothing within it.
  std::int64_t own_time(const DeviceSlice& of) const {
    if (device_.own_times.empty()) return slice(of.slice).duration;
    return device_.own_times[static_cast<std::size_t>(&of - device_.slices.data())];
  }
  const std::vector<OneDevice>& devices() const { return devices_; }
  const TraceUnknowns& unknowns() const { return unknowns_; }

  const trace::TraceSlice& slice(std::uint32_t index) const { return trace_.slices[index]; }
  /// Of device() the one of that number.
  const trace::TraceSlice& device_slice(std::uint32_t number) const {
    return slice(device_.slices[number].slice);
  }
  std::uint32_t parent(std::uint32_t index) const { return nesting_.parent[index]; }
  std::string_view name(std::uint32_t index) const { return trace_.name(slice(index)); }
  SliceSide side(std::uint32_t index) const { return sides_[slice(index).label]; }
  /// Of each of Trace::labels.
  const std::vector<SliceSide>& sides() const { return sides_; }

 private:
  const trace::Trace& trace_;
  const trace::TraceNesting& nesting_;
  std::vector<SliceSide> sides_;
  DeviceSlices device_;
  std::vector<OneDevice> devices_;
  TraceUnknowns unknowns_;
};

/// For each slice the innermost one around it of which `is_wanted(index)` holds; kNoSlice: none.
template <class IsWanted>
std::vector<std::uint32_t> innermost_around(const trace::TraceNesting& nesting,
                                            IsWanted is_wanted) {
  std::vector<std::uint32_t> found(nesting.parent.size(), trace::kNoSlice);
  // What is around a slice stands before it in the order.
  for (const std::uint32_t index : nesting.order) {
    const std::uint32_t parent = nesting.parent[index];
    if (parent != trace::kNoSlice) found[index] = is_wanted(parent) ? parent : found[parent];
  }
  return found;
}

/// Each slice's length without what lies right within it, ns.
std::vector<std::int64_t> self_times_of_slices(const trace::Trace& trace,
                                               const trace::TraceNesting& nesting);

}  // namespace benchhud::analysis
