#include "analysis/trace/trace_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/trace/compiled_regions.h"
#include "analysis/trace/device_activity.h"
#include "analysis/trace/device_use.h"
#include "analysis/trace/launch_queue.h"
#include "analysis/trace/launch_stats.h"
#include "analysis/trace/slice_side.h"
#include "analysis/trace/time_totals.h"
#include "schema/base/column_codec.h"
#include "schema/base/segmented_vector.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::analysis {
namespace {

using trace::IdleCause;
using trace::kNoSlice;
using trace::PackedFindings;
using trace::TraceFinding;
using trace::TraceSlice;

std::string short_name(std::string_view name) {
  // Names of kernels are as long as pages.
  constexpr std::size_t kMostNameBytes = 200;
  return std::string(schema::beginning_of(name, kMostNameBytes));
}

// The number of an idle_other whose launch is not known.
constexpr std::uint32_t kIsLaunchUnknown = 1;

// A finding as long as it is only sorted. A long trace has millions.
struct Found {
  std::uint64_t length = 0;  // ns
  std::uint32_t of = 0;      // what it is of, by its place in a list of its kind's
  std::uint32_t number = 0;  // as TraceFinding's
};
static_assert(sizeof(Found) == 16);

using FoundOfKind = schema::SegmentedVector<Found>;

// Keeps the `most` that come first. The heap has the last of them in front.
template <class IsBefore>
void keep_first(const Found& found, std::size_t most, std::vector<Found>* heap,
                const IsBefore& is_before) {
  if (heap->size() == most) {
    if (!is_before(found, heap->front())) return;
    std::pop_heap(heap->begin(), heap->end(), is_before);
    heap->pop_back();
  }
  heap->push_back(found);
  std::push_heap(heap->begin(), heap->end(), is_before);
}

// Before a slice of what name a device was idle, and why.
std::string idle_words(std::optional<IdleCause> cause, std::string_view name) {
  switch (cause.value_or(IdleCause::kUnknown)) {
    case IdleCause::kHostWait:
      return fmt::format("before {}, which the host launched only then", name);
    case IdleCause::kKernelWait:
      return fmt::format("before {}, right behind the one before", name);
    case IdleCause::kOther:
      return fmt::format("before {}, which had been launched", name);
    case IdleCause::kUnknown:
      break;
  }
  return fmt::format("before {}, whose launch is not in the trace", name);
}

class Finder {
 public:
  explicit Finder(const TraceContext& context) : context_(context) {}

  std::vector<PackedFindings> find() && {
    find_regions();
    find_slices();
    find_gaps();
    find_device_gaps();
    find_delays();
    find_full_queues();
    return std::move(packed_);
  }

 private:
  // Packs a kind: the longest first, of equal ones what begins first. So the order is that of the
  // trace and not of its file, in which events of one time may stand in any order. `whole`: of a
  // Found the finding.
  template <class Whole>
  void pack(std::string_view kind, FoundOfKind found, const Whole& whole) {
    if (found.empty()) return;
    const auto place = [&](const Found& of) {
      const TraceFinding finding = whole(of);
      return std::tuple(finding.begin, finding.thread, finding.label, finding.other, finding.number,
                        of.of);
    };
    std::sort(found.begin(), found.end(), [&](const Found& a, const Found& b) {
      return a.length != b.length ? a.length > b.length : place(a) < place(b);
    });
    PackedFindings packed;
    packed.kind = kind;
    packed.count = static_cast<std::int64_t>(found.size());
    std::int64_t earliest = schema::kLatest;
    std::vector<TraceFinding> block;
    for (std::size_t i = 0; i < found.size(); ++i) {
      block.push_back(whole(found[i]));
      if (i == 0 || block.back().begin < earliest) {
        earliest = block.back().begin;
        packed.earliest = static_cast<std::int64_t>(i);
      }
      if (block.size() < trace::kFindingsABlock && i + 1 < found.size()) continue;
      packed.blocks.push_back(trace::encode_findings(block));
      block.clear();
    }
    packed_.push_back(std::move(packed));
  }

  std::uint64_t length_of(std::uint32_t index) const {
    return static_cast<std::uint64_t>(context_.slice(index).duration);
  }
  TraceFinding of_slice(std::uint32_t index) const {
    const TraceSlice& slice = context_.slice(index);
    return {.begin = slice.start, .end = slice.end(), .thread = slice.thread, .label = slice.label};
  }

  void find_regions() {
    const auto regions = find_compiled_regions(context_.trace(), context_.nesting());
    std::map<std::string_view, std::set<std::string_view>> versions;  // by frame
    std::vector<std::uint32_t> by_time(regions.size());
    for (std::uint32_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
    std::stable_sort(by_time.begin(), by_time.end(), [&](std::uint32_t a, std::uint32_t b) {
      return context_.slice(regions[a].slice).start < context_.slice(regions[b].slice).start;
    });
    FoundOfKind breaks, recompiles;
    for (const std::uint32_t i : by_time) {
      const CompiledRegion& region = regions[i];
      if (region.depth > 0) breaks.push_back({length_of(region.slice), i, 0});
      if (region.id.empty()) continue;
      auto& of_frame = versions[region.frame()];
      if (of_frame.insert(region.id).second && of_frame.size() > 1) {
        recompiles.push_back(
            {length_of(region.slice), i, static_cast<std::uint32_t>(of_frame.size())});
      }
    }
    pack("graph_break", std::move(breaks), [&](const Found& found) {
      TraceFinding finding = of_slice(regions[found.of].slice);
      finding.other = context_.slice(regions[regions[found.of].around].slice).label;
      return finding;
    });
    pack("recompile", std::move(recompiles), [&](const Found& found) {
      TraceFinding finding = of_slice(regions[found.of].slice);
      finding.number = found.number;
      return finding;
    });
  }

  void find_slices() {
    const auto& slices = context_.trace().slices;
    FoundOfKind steps, compiling, synchronizations, copies;
    for (const std::uint32_t step : profiler_steps(context_.trace(), context_.sides())) {
      steps.push_back({length_of(step), step, 0});
    }
    const auto whole = [&](const Found& found) { return of_slice(found.of); };
    pack("step", std::move(steps), whole);
    {
      // `around` is given back before findings are packed.
      const trace::Trace& trace = context_.trace();
      std::vector<bool> is_phase(trace.labels.size());
      std::vector<FoundOfKind*> kinds(trace.labels.size());
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        const std::string_view name = trace.texts[trace.labels[i].name];
        const SliceSide side = context_.sides()[i];
        is_phase[i] = is_compile_phase(name, trace.texts[trace.labels[i].category]);
        if (is_host(side) && is_phase[i]) kinds[i] = &compiling;
        if (side == SliceSide::kRuntime && is_synchronization(name)) kinds[i] = &synchronizations;
        if (side == SliceSide::kMemcpy && name.find("Pageable") != name.npos) kinds[i] = &copies;
      }
      const auto around = innermost_around(context_.nesting(), [&](std::uint32_t index) {
        return is_phase[context_.slice(index).label];
      });
      for (std::uint32_t i = 0; i < slices.size(); ++i) {
        FoundOfKind* const kind = kinds[slices[i].label];
        if (kind == nullptr || (kind == &compiling && around[i] != kNoSlice)) continue;
        kind->push_back({length_of(i), i, 0});
      }
    }
    pack("compiling", std::move(compiling), whole);
    pack("synchronization", std::move(synchronizations), whole);
    pack("pageable_copy", std::move(copies), whole);
  }

  void find_gaps() {
    FoundOfKind waits, others;
    visit_gaps(context_.trace(), context_.device(), [&](const DeviceGap& gap) {
      if (gap.length < kKernelWait) return;
      (gap.waits_for_host ? waits : others)
          .push_back({static_cast<std::uint64_t>(gap.length), gap.slice->slice,
                      gap.has_launch ? 0 : kIsLaunchUnknown});
    });
    const auto whole = [&](const Found& found) { return gap_before(found); };
    pack("idle_host_wait", std::move(waits), whole);
    pack("idle_other", std::move(others), whole);
  }

  void find_device_gaps() {
    FoundOfKind gaps;
    std::vector<Found> short_gaps;  // between kernels that follow one another there are millions
    const auto is_before = [&](const Found& a, const Found& b) {
      if (a.length != b.length) return a.length > b.length;
      const TraceSlice& one = context_.slice(a.of);
      const TraceSlice& other = context_.slice(b.of);
      return std::tuple(one.start, one.thread, a.of) < std::tuple(other.start, other.thread, b.of);
    };
    for (const OneDevice& device : context_.devices()) {
      visit_device_gaps(context_, device, [&](const DeviceGap& gap) {
        const Found found{static_cast<std::uint64_t>(gap.length), gap.slice->slice,
                          static_cast<std::uint32_t>(idle_cause(gap))};
        if (gap.length >= kKernelWait) {
          gaps.push_back(found);
        } else {
          keep_first(found, kMostShortGaps, &short_gaps, is_before);
        }
      });
    }
    for (const Found& gap : short_gaps) gaps.push_back(gap);
    pack("device_idle", std::move(gaps), [&](const Found& found) { return gap_before(found); });
  }

  TraceFinding gap_before(const Found& found) const {
    const TraceSlice& behind = context_.slice(found.of);
    return {.begin = difference_of(behind.start, static_cast<std::int64_t>(found.length)),
            .end = behind.start,
            .thread = behind.thread,
            .label = behind.label,
            .number = found.number};
  }

  void find_delays() {
    const std::vector<DeviceSlice>& device = context_.device();
    FoundOfKind delays;
    for (std::uint32_t i = 0; i < device.size(); ++i) {
      if (device[i].launch == kNoSlice) continue;
      const std::int64_t delay = launch_delay(context_.trace(), device[i]);
      if (delay > kLongDelay) delays.push_back({static_cast<std::uint64_t>(delay), i, 0});
    }
    pack("long_launch_delay", std::move(delays), [&](const Found& found) {
      const TraceSlice& slice = context_.slice(device[found.of].slice);
      const TraceSlice& launch = context_.slice(device[found.of].launch);
      return TraceFinding{.begin = launch.end(),
                          .end = slice.start,
                          .thread = slice.thread,
                          .label = slice.label,
                          .other = launch.label};
    });
  }

  void find_full_queues() {
    constexpr std::size_t kAllStreams = std::numeric_limits<std::size_t>::max();
    std::int64_t left_out = 0;
    std::vector<TraceFinding> list;
    FoundOfKind full;
    for (const LaunchQueue& queue : launch_queues(context_, kAllStreams, &left_out)) {
      const auto count = static_cast<std::int64_t>(queue.buckets.size());
      const auto bound = [&](std::int64_t part) {
        return sum_of(queue.begin, queue.span / count * part + queue.span % count * part / count);
      };
      for (std::int64_t i = 0, end; i < count; i = std::max(end, i + 1)) {
        for (end = i; end < count && queue.buckets[static_cast<std::size_t>(end)] >= kFullQueue;) {
          ++end;
        }
        if (end == i) continue;
        list.push_back({.begin = bound(i), .end = bound(end), .thread = queue.stream});
        full.push_back({schema::distance(list.back().begin, list.back().end),
                        static_cast<std::uint32_t>(list.size() - 1), 0});
      }
    }
    pack("queue_full", std::move(full), [&](const Found& found) { return list[found.of]; });
  }

  const TraceContext& context_;
  std::vector<PackedFindings> packed_;
};

}  // namespace

std::optional<IdleCause> finding_cause(std::string_view kind, const TraceFinding& finding) {
  if (kind == "device_idle") {
    // What a newer program may have found is not known to this one.
    return finding.number < trace::kIdleCauses ? static_cast<IdleCause>(finding.number)
                                               : IdleCause::kUnknown;
  }
  if (kind == "idle_host_wait") return IdleCause::kHostWait;
  if (kind != "idle_other") return std::nullopt;
  return finding.number == kIsLaunchUnknown ? IdleCause::kUnknown : IdleCause::kOther;
}

std::vector<PackedFindings> trace_findings(const TraceContext& context) {
  return Finder(context).find();
}

std::string finding_words(std::string_view kind, const TraceFinding& finding, std::string_view name,
                          std::string_view other) {
  if (kind == "graph_break") {
    return fmt::format("{} within {}", short_name(name), short_name(other));
  }
  if (kind == "recompile") {
    const std::string_view id = compiled_region_id(name);
    return fmt::format("frame {} runs as {}, its version number {} in this trace", frame_of(id), id,
                       finding.number);
  }
  if (kind == "compiling") return short_name(compile_phase(name));
  if (kind == "idle_host_wait") {
    return fmt::format("idle: the host launched {} only then", short_name(name));
  }
  if (kind == "idle_other") {
    return fmt::format("idle before {}{}", short_name(name),
                       finding.number == kIsLaunchUnknown ? ", whose launch is not known" : "");
  }
  if (kind == "device_idle") return idle_words(finding_cause(kind, finding), short_name(name));
  if (kind == "long_launch_delay") {
    return fmt::format("{} begins this long after {}", short_name(name), short_name(other));
  }
  if (kind == "queue_full") {
    return fmt::format("{} launches or more wait: the next one blocks the host", kFullQueue);
  }
  return short_name(name);
}

}  // namespace benchhud::analysis
