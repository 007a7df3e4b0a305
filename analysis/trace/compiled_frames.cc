#include "analysis/trace/compiled_frames.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "analysis/trace/truncate_rows.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::TraceSlice;

namespace {

bool is_frame_compilation(std::string_view name) {
  if (!is_profiled_compile_phase(name)) return false;
  const std::string_view function = compile_phase(name);
  return function.ends_with("compile_inner") || function == "_compile";
}

// C + 1 of "F/C"; 0 where C is no number that fits.
std::int64_t compilations_of(std::string_view id) {
  const std::string_view number = id.substr(id.find('/') + 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() ? sum_of(value, 1) : 0;
}

// For each region, what was compiled for it right before, or kNoSlice.
std::vector<std::uint32_t> compilations_before(const TraceContext& context,
                                               const std::vector<CompiledRegion>& regions,
                                               CompiledFrames* found) {
  const trace::Trace& trace = context.trace();
  std::vector<bool> is_compilation(trace.labels.size());
  for (std::size_t i = 0; i < is_compilation.size(); ++i) {
    is_compilation[i] =
        is_host(context.sides()[i]) && is_frame_compilation(trace.texts[trace.labels[i].name]);
  }
  std::vector<std::uint32_t> before(regions.size(), kNoSlice);
  std::uint32_t pending = kNoSlice;     // a compilation that no region has followed yet
  std::uint32_t pending_in = kNoSlice;  // the region around it, by its slice
  std::uint32_t thread = kNoSlice;
  std::vector<std::uint32_t> open;  // regions of the thread, by their slices
  std::size_t region = 0;
  for (const std::uint32_t index : context.nesting().order) {
    const TraceSlice& slice = context.slice(index);
    const bool is_region = region < regions.size() && regions[region].slice == index;
    if (!is_region && !is_compilation[slice.label]) continue;
    if (slice.thread != thread) {
      pending = kNoSlice;
      open.clear();
      thread = slice.thread;
    }
    while (!open.empty() && context.slice(open.back()).end() <= slice.start) open.pop_back();
    const std::uint32_t around = open.empty() ? kNoSlice : open.back();
    if (!is_region) {
      found->compiled.add(slice.duration);
      ++found->unassigned;
      pending = index;
      pending_in = around;
      continue;
    }
    if (pending != kNoSlice && pending_in == around &&
        context.slice(pending).end() <= slice.start) {
      before[region] = pending;
      found->unassigned -= !regions[region].id.empty();
    }
    pending = kNoSlice;
    open.push_back(index);
    ++region;
  }
  return before;
}

}  // namespace

CompiledFrames compiled_frames(const TraceContext& context,
                               const std::vector<CompiledRegion>& regions) {
  CompiledFrames found;
  const std::vector<std::uint32_t> compilations = compilations_before(context, regions, &found);
  std::unordered_map<std::string_view, std::size_t> frames;
  std::unordered_map<std::string_view, std::size_t> versions;  // place in their frame's list
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const CompiledRegion& region = regions[i];
    if (region.id.empty()) continue;
    const auto [at, is_new] = frames.try_emplace(region.frame(), found.frames.size());
    if (is_new) found.frames.emplace_back().frame = region.frame();
    CompiledFrame& frame = found.frames[at->second];
    ++frame.executions;
    const auto [version, is_new_version] = versions.try_emplace(region.id, frame.versions.size());
    if (is_new_version) {
      frame.compilations = std::max(frame.compilations, compilations_of(region.id));
      if (frame.versions.size() < CompiledFrame::kMostVersions) {
        frame.versions.emplace_back().id = region.id;
      } else {
        version->second = CompiledFrame::kMostVersions;
        ++frame.versions_left_out;
      }
    }
    if (version->second >= frame.versions.size()) continue;
    frame.versions[version->second].executed.add(context.slice(region.slice).duration);
    if (compilations[i] != kNoSlice) {
      frame.versions[version->second].compiled.add(context.slice(compilations[i]).duration);
    }
  }
  for (CompiledFrame& frame : found.frames) {
    frame.recompiles =
        static_cast<std::int64_t>(frame.versions.size()) + frame.versions_left_out - 1;
  }
  std::stable_sort(
      found.frames.begin(), found.frames.end(),
      [](const CompiledFrame& a, const CompiledFrame& b) { return a.recompiles > b.recompiles; });
  found.frames_left_out = truncate_rows(&found.frames, CompiledFrames::kMostFrames);
  return found;
}

}  // namespace benchhud::analysis
