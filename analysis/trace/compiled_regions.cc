#include "analysis/trace/compiled_regions.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/trace/slice_side.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::Trace;
using trace::TraceArgs;
using trace::TraceNesting;
using trace::TraceSlice;

namespace {

constexpr std::string_view kRegion = "Torch-Compiled Region";

}  // namespace

std::string_view compiled_region_id(std::string_view name) {
  if (!name.starts_with(kRegion)) return {};
  name.remove_prefix(kRegion.size());
  if (!name.starts_with(": ")) return {};
  name.remove_prefix(2);
  const std::size_t end = name.find_first_not_of("0123456789/");
  const std::string_view id = name.substr(0, end);
  const std::size_t slash = id.find('/');
  const bool is_id =
      slash != id.npos && slash > 0 && slash + 1 < id.size() && id.rfind('/') == slash;
  return is_id ? id : std::string_view();
}

std::vector<CompiledRegion> find_compiled_regions(const Trace& trace, const TraceNesting& nesting) {
  // The names of regions are few, slices many.
  const std::vector<SliceSide> sides = sides_of_labels(trace);
  std::vector<bool> is_region(trace.labels.size());
  for (std::uint32_t i = 0; i < is_region.size(); ++i) {
    is_region[i] =
        trace.texts[trace.labels[i].name].starts_with(kRegion) && sides[i] != SliceSide::kShadow;
  }
  std::vector<CompiledRegion> found;
  if (std::find(is_region.begin(), is_region.end(), true) == is_region.end()) return found;
  found.reserve(static_cast<std::size_t>(
      std::count_if(trace.slices.begin(), trace.slices.end(),
                    [&](const TraceSlice& slice) { return is_region[slice.label]; })));
  std::vector<std::uint32_t> around;  // open regions of the thread at hand
  std::uint32_t thread = kNoSlice;
  for (const std::uint32_t index : nesting.order) {
    const TraceSlice& slice = trace.slices[index];
    if (!is_region[slice.label]) continue;
    if (slice.thread != thread) around.clear();
    thread = slice.thread;
    while (!around.empty() && trace.slices[found[around.back()].slice].end() <= slice.start) {
      around.pop_back();
    }
    CompiledRegion region;
    region.slice = index;
    if (!around.empty()) region.around = around.back();
    region.depth = static_cast<std::uint32_t>(around.size());
    region.id = compiled_region_id(trace.name(slice));
    around.push_back(static_cast<std::uint32_t>(found.size()));
    found.push_back(region);
  }
  return found;
}

CompiledRegions compiled_regions(const std::vector<CompiledRegion>& regions) {
  CompiledRegions found;
  std::set<std::string_view> broken_frames;
  std::map<std::string_view, std::set<std::string_view>> compilations;  // by frame
  for (const CompiledRegion& region : regions) {
    ++found.count;
    ++found.by_depth[region.depth];
    if (!region.id.empty()) {
      ++found.by_frame[std::string(region.id)];
      compilations[region.frame()].insert(region.id);
    }
    if (region.depth > 0) {
      ++found.graph_breaks;
      if (!region.id.empty()) broken_frames.insert(region.frame());
    }
  }
  if (found.count == 0 || !found.by_frame.empty()) {
    found.graph_breaks_distinct = static_cast<std::int64_t>(broken_frames.size());
    found.recompiles = 0;
    for (const auto& [frame, ids] : compilations) {
      *found.recompiles += static_cast<std::int64_t>(ids.size()) - 1;
    }
  }
  return found;
}

CompiledRegions compiled_regions(const Trace& trace, const TraceNesting& nesting) {
  return compiled_regions(find_compiled_regions(trace, nesting));
}

std::vector<CompiledFunctionSlice> compiled_function_slices(const Trace& trace) {
  enum class Role : std::uint8_t { kNone, kForward, kBackward };
  std::vector<Role> roles;  // by label
  roles.reserve(trace.labels.size());
  for (const trace::TraceLabel& label : trace.labels) {
    const std::string_view name = trace.texts[label.name];
    const bool is_backward = name == "CompiledFunctionBackward";
    roles.push_back(name == "CompiledFunction" ? Role::kForward
                    : is_backward              ? Role::kBackward
                                               : Role::kNone);
  }
  const auto role_of = [&](const TraceSlice& slice) { return roles[slice.label]; };
  std::vector<CompiledFunctionSlice> found;
  const auto is_none = [](Role role) { return role == Role::kNone; };
  if (std::all_of(roles.begin(), roles.end(), is_none)) return found;
  found.reserve(static_cast<std::size_t>(
      std::count_if(trace.slices.begin(), trace.slices.end(),
                    [&](const TraceSlice& slice) { return role_of(slice) != Role::kNone; })));
  for (std::uint32_t i = 0; i < trace.slices.size(); ++i) {
    const Role role = role_of(trace.slices[i]);
    if (role == Role::kNone) continue;
    found.push_back({trace.args_of(trace.slices[i]).sequence, i, role == Role::kBackward});
  }
  return found;
}

CompiledFunctions compiled_functions(const Trace& trace) {
  CompiledFunctions found;
  std::vector<CompiledFunctionSlice> slices = compiled_function_slices(trace);
  std::sort(slices.begin(), slices.end(),
            [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  for (auto first = slices.begin(); first != slices.end();) {
    const auto end = std::find_if(
        first, slices.end(), [&](const auto& each) { return each.sequence != first->sequence; });
    const std::int64_t backward =
        std::count_if(first, end, [](const auto& each) { return each.is_backward; });
    const std::int64_t forward = end - first - backward;
    found.forward += forward;
    found.backward += backward;
    if (first->sequence != TraceArgs::kAbsent) found.paired += std::min(forward, backward);
    first = end;
  }
  return found;
}

}  // namespace benchhud::analysis
