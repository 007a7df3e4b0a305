#include "analysis/trace_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compiled_regions.h"
#include "analysis/keep_first.h"
#include "analysis/launch_queue.h"
#include "analysis/slice_side.h"
#include "analysis/time_totals.h"

namespace benchhud::analysis {
namespace {

using schema::kNoSlice;
using schema::TraceFinding;
using schema::TraceSlice;

constexpr std::int64_t kLongDelay = 100'000;  // ns
// Names in what is said: those of kernels are as long as pages.
constexpr std::size_t kMostNameBytes = 200;

std::string short_name_of(std::string_view name) {
  if (name.size() <= kMostNameBytes) return std::string(name);
  return std::string(name.substr(0, kMostNameBytes)) + "…";
}

class Finder {
 public:
  explicit Finder(const TraceContext& context) : context_(context) {}

  schema::TraceFindings find() {
    find_regions();
    find_slices();
    find_gaps();
    find_delays();
    find_full_queues();
    schema::TraceFindings found;
    for (auto& [kind, findings] : by_kind_) {
      found.kinds.push_back({std::string(kind), static_cast<std::int64_t>(findings.size())});
      std::stable_sort(findings.begin(), findings.end(),
                       [](const TraceFinding& a, const TraceFinding& b) {
                         return difference_of(a.end, a.begin) > difference_of(b.end, b.begin);
                       });
      keep_first(&findings, kMostFindingsOfAKind);
      std::move(findings.begin(), findings.end(), std::back_inserter(found.findings));
    }
    std::stable_sort(
        found.findings.begin(), found.findings.end(),
        [](const TraceFinding& a, const TraceFinding& b) { return a.begin < b.begin; });
    return found;
  }

 private:
  void add(std::string_view kind, std::uint32_t thread, std::int64_t begin, std::int64_t end,
           std::string words) {
    by_kind_[kind].push_back({std::string(kind), thread, begin, end, std::move(words)});
  }
  void add(std::string_view kind, std::uint32_t index, std::string words) {
    const TraceSlice& slice = context_.slice(index);
    add(kind, slice.thread, slice.start, slice.end(), std::move(words));
  }

  void find_regions() {
    const auto regions = find_compiled_regions(context_.trace(), context_.nesting());
    std::map<std::string_view, std::set<std::string_view>> versions;  // by frame
    std::vector<std::uint32_t> by_time(regions.size());
    for (std::uint32_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
    std::stable_sort(by_time.begin(), by_time.end(), [&](std::uint32_t a, std::uint32_t b) {
      return context_.slice(regions[a].slice).start < context_.slice(regions[b].slice).start;
    });
    for (const std::uint32_t i : by_time) {
      const CompiledRegion& region = regions[i];
      if (region.depth > 0) {
        add("graph_break", region.slice,
            fmt::format("{} within {}", short_name_of(context_.name(region.slice)),
                        short_name_of(context_.name(regions[region.around].slice))));
      }
      if (region.id.empty()) continue;
      auto& of_frame = versions[region.frame];
      if (of_frame.insert(region.id).second && of_frame.size() > 1) {
        add("recompile", region.slice,
            fmt::format("frame {} runs as {}, its version number {} in this trace", region.frame,
                        region.id, of_frame.size()));
      }
    }
  }

  void find_slices() {
    const auto& slices = context_.trace().slices;
    for (const std::uint32_t step : profiler_steps(context_.trace())) {
      add("step", step, short_name_of(context_.name(step)));
    }
    const auto is_phase = [&](std::uint32_t index) {
      return is_compile_phase(context_.name(index));
    };
    const auto around = innermost_around(context_.nesting(), is_phase);
    for (std::uint32_t i = 0; i < slices.size(); ++i) {
      const std::string_view name = context_.name(i);
      const SliceSide side = context_.side(i);
      if (is_host(side) && around[i] == kNoSlice && is_compile_phase(name)) {
        add("compiling", i, short_name_of(compile_phase(name)));
      }
      if (side == SliceSide::kRuntime && name.ends_with("Synchronize")) {
        add("synchronization", i, short_name_of(name));
      }
      if (side == SliceSide::kMemcpy && name.find("Pageable") != name.npos) {
        add("pageable_copy", i, short_name_of(name));
      }
    }
  }

  // As DeviceActivity has them.
  void find_gaps() {
    std::int64_t end = 0;  // of everything before on the stream
    std::uint32_t thread = kNoSlice;
    for (const DeviceSlice& device : context_.device()) {
      const TraceSlice& slice = context_.slice(device.slice);
      const bool is_first = slice.thread != thread;
      thread = slice.thread;
      if (!is_first && slice.start > end && difference_of(slice.start, end) >= kKernelWait) {
        const bool waits_for_host =
            device.launch != kNoSlice && context_.slice(device.launch).start > end;
        add(waits_for_host ? "idle_host_wait" : "idle_other", thread, end, slice.start,
            waits_for_host
                ? fmt::format("idle: the host launched {} only then",
                              short_name_of(context_.name(device.slice)))
                : fmt::format("idle before {}", short_name_of(context_.name(device.slice))));
      }
      end = is_first ? slice.end() : std::max(end, slice.end());
    }
  }

  void find_delays() {
    for (const DeviceSlice& device : context_.device()) {
      if (device.launch == kNoSlice) continue;
      if (launch_delay(context_.trace(), device) <= kLongDelay) continue;
      const TraceSlice& slice = context_.slice(device.slice);
      add("long_launch_delay", slice.thread, context_.slice(device.launch).end(), slice.start,
          fmt::format("{} begins this long after {}", short_name_of(context_.name(device.slice)),
                      short_name_of(context_.name(device.launch))));
    }
  }

  void find_full_queues() {
    constexpr std::size_t kMostStreams = 16;
    std::int64_t left_out = 0;
    for (const LaunchQueue& queue : launch_queues(context_, kMostStreams, &left_out)) {
      const auto count = static_cast<std::int64_t>(queue.buckets.size());
      const auto bound = [&](std::int64_t part) {
        return sum_of(queue.begin, queue.span / count * part + queue.span % count * part / count);
      };
      for (std::int64_t i = 0, end; i < count; i = std::max(end, i + 1)) {
        for (end = i; end < count && queue.buckets[static_cast<std::size_t>(end)] >= kFullQueue;) {
          ++end;
        }
        if (end == i) continue;
        add("queue_full", queue.stream, bound(i), bound(end),
            fmt::format("{} launches or more wait: the next one blocks the host", kFullQueue));
      }
    }
  }

  const TraceContext& context_;
  std::map<std::string_view, std::vector<TraceFinding>> by_kind_;
};

}  // namespace

schema::TraceFindings trace_findings(const TraceContext& context) { return Finder(context).find(); }

}  // namespace benchhud::analysis
