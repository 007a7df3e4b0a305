#include "analysis/trace_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compiled_regions.h"
#include "analysis/device_activity.h"
#include "analysis/launch_queue.h"
#include "analysis/launch_stats.h"
#include "analysis/slice_side.h"
#include "analysis/time_totals.h"
#include "schema/text_excerpt.h"

namespace benchhud::analysis {
namespace {

using schema::kNoSlice;
using schema::TraceFinding;
using schema::TraceSlice;

std::string short_name_of(std::string_view name) {
  // Names of kernels are as long as pages.
  constexpr std::size_t kMostNameBytes = 200;
  return schema::beginning_of(name, kMostNameBytes);
}

// The longest findings of a kind, and how many there were. A long trace has millions: only of what
// is kept are there words.
class LongestFindings {
 public:
  template <class Words>
  void add(std::string_view kind, std::uint32_t thread, std::int64_t begin, std::int64_t end,
           const Words& words) {
    const std::int64_t length = difference_of(end, begin);
    ++count_;
    const bool is_full = kept_.size() == kMostFindingsOfAKind;
    if (is_full && length <= kept_.front().length) return;
    if (is_full) {
      std::pop_heap(kept_.begin(), kept_.end(), is_before);
      kept_.pop_back();
    }
    kept_.push_back(Kept{length, count_, {std::string(kind), thread, begin, end, words()}});
    std::push_heap(kept_.begin(), kept_.end(), is_before);
  }

  std::int64_t count() const { return count_; }

  // The longest first, of equal ones the first found.
  void move_to(std::vector<TraceFinding>* findings) {
    std::sort_heap(kept_.begin(), kept_.end(), is_before);
    for (Kept& each : kept_) findings->push_back(std::move(each.finding));
  }

 private:
  struct Kept {
    std::int64_t length, number;  // number: in the order they were found
    TraceFinding finding;
  };
  // A heap has in front what is behind all others.
  static bool is_before(const Kept& a, const Kept& b) {
    return a.length != b.length ? a.length > b.length : a.number < b.number;
  }

  std::int64_t count_ = 0;
  std::vector<Kept> kept_;
};

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
      found.kinds.push_back({std::string(kind), findings.count()});
      findings.move_to(&found.findings);
    }
    std::stable_sort(
        found.findings.begin(), found.findings.end(),
        [](const TraceFinding& a, const TraceFinding& b) { return a.begin < b.begin; });
    return found;
  }

 private:
  std::string short_name(std::uint32_t index) const { return short_name_of(context_.name(index)); }
  // `words`: makes them.
  template <class Words>
  void add(std::string_view kind, std::uint32_t thread, std::int64_t begin, std::int64_t end,
           const Words& words) {
    by_kind_[kind].add(kind, thread, begin, end, words);
  }
  template <class Words>
  void add(std::string_view kind, std::uint32_t index, const Words& words) {
    const TraceSlice& slice = context_.slice(index);
    add(kind, slice.thread, slice.start, slice.end(), words);
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
        add("graph_break", region.slice, [&] {
          return fmt::format("{} within {}", short_name(region.slice),
                             short_name(regions[region.around].slice));
        });
      }
      if (region.id.empty()) continue;
      auto& of_frame = versions[region.frame()];
      if (of_frame.insert(region.id).second && of_frame.size() > 1) {
        add("recompile", region.slice, [&] {
          return fmt::format("frame {} runs as {}, its version number {} in this trace",
                             region.frame(), region.id, of_frame.size());
        });
      }
    }
  }

  void find_slices() {
    const auto& slices = context_.trace().slices;
    for (const std::uint32_t step : profiler_steps(context_.trace())) {
      add("step", step, [&] { return short_name(step); });
    }
    const auto is_phase = [&](std::uint32_t index) {
      return is_compile_phase(context_.name(index));
    };
    const auto around = innermost_around(context_.nesting(), is_phase);
    for (std::uint32_t i = 0; i < slices.size(); ++i) {
      const std::string_view name = context_.name(i);
      const SliceSide side = context_.side(i);
      if (is_host(side) && around[i] == kNoSlice && is_compile_phase(name)) {
        add("compiling", i, [&] { return short_name_of(compile_phase(name)); });
      }
      if (side == SliceSide::kRuntime && name.ends_with("Synchronize")) {
        add("synchronization", i, [&] { return short_name_of(name); });
      }
      if (side == SliceSide::kMemcpy && name.find("Pageable") != name.npos) {
        add("pageable_copy", i, [&] { return short_name_of(name); });
      }
    }
  }

  void find_gaps() {
    visit_gaps(context_.trace(), context_.device(), [&](const DeviceGap& gap) {
      if (gap.length < kKernelWait) return;
      const std::uint32_t behind = gap.slice->slice;
      add(gap.waits_for_host ? "idle_host_wait" : "idle_other", context_.slice(behind).thread,
          gap.begin, sum_of(gap.begin, gap.length), [&] {
            if (gap.waits_for_host) {
              return fmt::format("idle: the host launched {} only then", short_name(behind));
            }
            return fmt::format("idle before {}{}", short_name(behind),
                               gap.has_launch ? "" : ", whose launch is not known");
          });
    });
  }

  void find_delays() {
    for (const DeviceSlice& device : context_.device()) {
      if (device.launch == kNoSlice) continue;
      if (launch_delay(context_.trace(), device) <= kLongDelay) continue;
      const TraceSlice& slice = context_.slice(device.slice);
      add("long_launch_delay", slice.thread, context_.slice(device.launch).end(), slice.start, [&] {
        return fmt::format("{} begins this long after {}", short_name(device.slice),
                           short_name(device.launch));
      });
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
        add("queue_full", queue.stream, bound(i), bound(end), [] {
          return fmt::format("{} launches or more wait: the next one blocks the host", kFullQueue);
        });
      }
    }
  }

  const TraceContext& context_;
  std::map<std::string_view, LongestFindings> by_kind_;
};

}  // namespace

schema::TraceFindings trace_findings(const TraceContext& context) { return Finder(context).find(); }

}  // namespace benchhud::analysis
