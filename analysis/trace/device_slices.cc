#include "analysis/trace/device_slices.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/trace/label_class.h"
#include "analysis/trace/time_totals.h"
#include "schema/base/segmented_vector.h"
#include "trace/merge_runs.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::Trace;
using trace::TraceArgs;
using trace::TraceFlow;
using trace::TraceNesting;
using trace::TraceSlice;
using Kind = DeviceSlice::Kind;

namespace {

// A name that a person may have given a function: libraries' kernels are templates, or rules know
// their names.
bool is_plain_name(std::string_view name) {
  constexpr std::string_view kIdentifier =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  constexpr std::string_view kRocm = "__amd_rocclr";
  return name.find_first_not_of(kIdentifier) == name.npos && !name.starts_with(kRocm);
}

bool is_driver_launch(std::string_view name) {
  return name == "cuLaunchKernel" || name == "cuLaunchKernelEx" || name == "hipModuleLaunchKernel";
}

// What slices are, by their labels: asked once each.
class KernelKinds {
 public:
  KernelKinds(const Trace& trace, const TraceNesting& nesting, const std::vector<SliceSide>& sides)
      : trace_(trace), nesting_(nesting), sides_(sides), of_labels_(trace.labels.size()) {
    for (const trace::TraceThread& thread : trace.threads) {
      is_xlas_.push_back(thread.process_name.find("/device:") != std::string::npos);
    }
    std::vector<bool> is_triton(trace.labels.size());
    bool is_any = false;
    for (std::size_t i = 0; i < is_triton.size(); ++i) {
      is_triton[i] = trace.texts[trace.labels[i].name].starts_with("triton_");
      is_any = is_any || is_triton[i];
    }
    is_within_triton_.resize(is_any ? trace.slices.size() : 0);
    // What is around a slice stands before it in the order.
    for (std::size_t i = 0; i < is_within_triton_.size(); ++i) {
      const std::uint32_t index = nesting.order[i];
      const std::uint32_t parent = nesting.parent[index];
      is_within_triton_[index] =
          is_triton[trace.slices[index].label] || (parent != kNoSlice && is_within_triton_[parent]);
    }
  }

  Kind kind(const DeviceSlice& kernel) {
    const TraceSlice& slice = trace_.slices[kernel.slice];
    const OfLabel& label = of_label(slice.label);
    const std::uint32_t made = trace_.args_of(slice).origin;
    const OfHlo hlo = made != 0 ? of_hlo(made) : OfHlo();
    if (label.own) return *label.own;
    if (hlo.own) return *hlo.own;
    const bool is_inductor = made != 0 && trace_.texts[made] == "triton";
    if (is_inductor || label.kernel == Kind::kInductorTriton) return Kind::kInductorTriton;
    if (label.kernel == Kind::kCommunication) return Kind::kCommunication;
    if (kernel.launch != kNoSlice && !is_within_triton_.empty() &&
        is_within_triton_[kernel.launch]) {
      return Kind::kInductorTriton;
    }
    if (hlo.any) return *hlo.any;
    if (label.kernel) return *label.kernel;
    if (const auto known = of_operators(kernel)) return *known;
    // XLA launches what it generates as Triton does.
    const bool is_triton = label.is_plain && kernel.launch != kNoSlice && made == 0 &&
                           !is_xlas_[slice.thread] &&
                           of_label(trace_.slices[kernel.launch].label).is_driver_launch;
    return is_triton ? Kind::kUserTriton : Kind::kOther;
  }

 private:
  struct OfLabel {
    bool is_known = false;
    bool is_plain = false, is_driver_launch = false;
    std::optional<Kind> own, kernel, as_operator;
  };
  struct OfHlo {
    std::optional<Kind> own, any;
  };

  const OfLabel& of_label(std::uint32_t number) {
    OfLabel& of = of_labels_[number];
    if (of.is_known) return of;
    of.is_known = true;
    const trace::TraceLabel& label = trace_.labels[number];
    const std::string_view name = trace_.texts[label.name];
    if (is_kernel(sides_[number])) {
      of.is_plain = is_plain_name(name);
      of.own = kernel_rules().own_of_name(name);
      of.kernel = kernel_class_of_label(name, trace_.texts[label.category], label.role);
    } else {
      of.is_driver_launch = is_driver_launch(name);
      of.as_operator = kernel_rules().of_operator(name);
    }
    return of;
  }

  OfHlo of_hlo(std::uint32_t category) {
    const auto [at, is_new] = of_hlo_.try_emplace(category);
    if (is_new) {
      const std::string_view text = trace_.texts[category];
      at->second = {kernel_rules().own_of_hlo(text), kernel_rules().of_hlo(text)};
    }
    return at->second;
  }

  // By the operators around the launch, the innermost first. Those far outside say what a model's
  // part does, not what the kernel does.
  std::optional<Kind> of_operators(const DeviceSlice& kernel) {
    constexpr int kMostOperators = 3;
    std::uint32_t index =
        kernel.launching_operator != kNoSlice ? kernel.launching_operator : kernel.launch;
    for (int seen = 0; index != kNoSlice && seen < kMostOperators; index = nesting_.parent[index]) {
      const std::uint32_t label = trace_.slices[index].label;
      if (sides_[label] != SliceSide::kOperator) continue;
      ++seen;
      if (const auto& known = of_label(label).as_operator) return known;
    }
    return std::nullopt;
  }

  const Trace& trace_;
  const TraceNesting& nesting_;
  const std::vector<SliceSide>& sides_;
  std::vector<OfLabel> of_labels_;
  std::unordered_map<std::uint32_t, OfHlo> of_hlo_;  // by text
  std::vector<bool> is_xlas_;                        // by thread
  std::vector<bool> is_within_triton_;               // by slice, itself too; empty: none is
};

// Finds the slices at the ends of arrows.
class SlicesByTime {
 public:
  SlicesByTime(const Trace& trace, const TraceNesting& nesting)
      : trace_(trace), nesting_(nesting), begins_(trace.threads.size() + 1) {
    for (const TraceSlice& slice : trace.slices) ++begins_[slice.thread + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  }

  // The innermost slice that is going on at that time, or kNoSlice.
  std::uint32_t at(std::uint32_t thread, std::int64_t time) const {
    const auto begin = nesting_.order.begin() + static_cast<std::ptrdiff_t>(begins_[thread]);
    const auto end = nesting_.order.begin() + static_cast<std::ptrdiff_t>(begins_[thread + 1]);
    const auto after = std::partition_point(
        begin, end, [&](std::uint32_t index) { return trace_.slices[index].start <= time; });
    if (after == begin) return kNoSlice;
    std::uint32_t index = *(after - 1);
    while (index != kNoSlice && trace_.slices[index].end() < time) index = nesting_.parent[index];
    return index;
  }

 private:
  const Trace& trace_;
  const TraceNesting& nesting_;
  std::vector<std::size_t> begins_;  // by thread: of its slices in the order, and behind the last
};

class DeviceSliceFinder {
 public:
  DeviceSliceFinder(const Trace& trace, const TraceNesting& nesting,
                    const std::vector<SliceSide>& sides)
      : trace_(trace), nesting_(nesting), sides_(sides) {}

  DeviceSlices find() && {
    collect();
    set_aside();
    bind_correlations();
    if (std::any_of(found_.slices.begin(), found_.slices.end(),
                    [](const DeviceSlice& slice) { return slice.launch == kNoSlice; })) {
      bind_arrows();
    }
    KernelKinds kinds(trace_, nesting_, sides_);
    for (DeviceSlice& device : found_.slices) {
      if (device.is_kernel) device.kind = kinds.kind(device);
    }
    return std::move(found_);
  }

 private:
  SliceSide side(const TraceSlice& slice) const { return sides_[slice.label]; }

  void collect() {
    found_.slices.reserve(static_cast<std::size_t>(
        std::count_if(trace_.slices.begin(), trace_.slices.end(),
                      [&](const TraceSlice& slice) { return is_device(side(slice)); })));
    if (found_.slices.capacity() == 0) return;
    for (const std::uint32_t index : nesting_.order) {
      const SliceSide of = side(trace_.slices[index]);
      if (!is_device(of)) continue;
      DeviceSlice& device = found_.slices.emplace_back();
      device.slice = index;
      device.is_kernel = is_kernel(of);
      if (of == SliceSide::kMemcpy) device.kind = Kind::kMemcpy;
      if (of == SliceSide::kMemset) device.kind = Kind::kMemset;
    }
  }

  // The first and the last of the most times (the earliest most) that no gap longer than that
  // parts.
  static std::pair<std::int64_t, std::int64_t> most_without_gap(std::vector<std::int64_t>* times,
                                                                std::int64_t gap) {
    const auto [least, greatest] = std::minmax_element(times->begin(), times->end());
    if (difference_of(*greatest, *least) <= gap) return {*least, *greatest};
    std::sort(times->begin(), times->end());
    std::pair<std::int64_t, std::int64_t> found;
    for (std::size_t begin = 0, most = 0; begin < times->size();) {
      std::size_t end = begin + 1;
      while (end < times->size() && difference_of((*times)[end], (*times)[end - 1]) <= gap) ++end;
      if (end - begin > most) {
        most = end - begin;
        found = {(*times)[begin], (*times)[end - 1]};
      }
      begin = end;
    }
    return found;
  }

  // A profiler that loses a record's begin or end leaves times that are hours or decades away.
  void set_aside() {
    std::vector<DeviceSlice>& slices = found_.slices;
    if (slices.empty()) return;
    constexpr std::int64_t kDay = 86'400'000'000'000;
    std::vector<std::int64_t> starts;
    starts.reserve(slices.size());
    for (const DeviceSlice& device : slices) starts.push_back(trace_.slices[device.slice].start);
    const auto [from, to] = most_without_gap(&starts, kDay);
    std::erase_if(slices, [&](const DeviceSlice& device) {
      const TraceSlice& slice = trace_.slices[device.slice];
      if (slice.start >= from && slice.start <= to && slice.duration <= kDay) return false;
      found_.set_aside.push_back(device.slice);
      return true;
    });
    std::sort(found_.set_aside.begin(), found_.set_aside.end());
  }

  struct Launch {
    std::int64_t correlation;
    std::uint32_t slice;
    std::uint32_t number;  // in the order of all

    bool operator<(const Launch& other) const {
      return std::tie(correlation, number) < std::tie(other.correlation, other.number);
    }
  };

  // Profilers of XLA call threads the host's, not calls the runtime's. The numbers of Ascend's
  // queue of operators tie what is put in to what is taken out, and are not those of launches.
  std::vector<bool> labels_that_may_launch() const {
    std::vector<bool> may(sides_.size());
    for (std::size_t i = 0; i < may.size(); ++i) {
      const std::string_view category = trace_.texts[trace_.labels[i].category];
      may[i] = sides_[i] == SliceSide::kRuntime ||
               (sides_[i] == SliceSide::kHost && category != "enqueue" && category != "dequeue");
    }
    return may;
  }

  void bind_correlations() {
    if (found_.slices.empty() || trace_.args.size() == 0) return;
    const std::vector<bool> may_launch = labels_that_may_launch();
    // There is one for each kernel, and a map would take three times the memory.
    schema::SegmentedVector<Launch> launches;
    for (const std::uint32_t index : nesting_.order) {
      const TraceSlice& slice = trace_.slices[index];
      if (slice.args == 0 || !may_launch[slice.label]) continue;
      const std::int64_t correlation = trace_.args_of(slice).correlation;
      if (correlation != TraceArgs::kAbsent) {
        launches.push_back({correlation, index, static_cast<std::uint32_t>(launches.size())});
      }
    }
    std::sort(launches.begin(), launches.end());
    for (DeviceSlice& device : found_.slices) {
      const TraceSlice& slice = trace_.slices[device.slice];
      if (slice.args == 0) continue;
      const Launch of{trace_.args_of(slice).correlation, 0, 0};
      const auto launch = std::lower_bound(launches.begin(), launches.end(), of);
      if (launch != launches.end() && launch->correlation == of.correlation) {
        device.launch = launch->slice;
      }
    }
  }

  // Where correlations do not tell, arrows do: from a call, or from the operator.
  void bind_arrows() {
    std::vector<bool> is_launch(trace_.texts.size());
    std::vector<std::uint32_t> categories;
    for (const TraceFlow& flow : trace_.flows) categories.push_back(flow.category);
    std::sort(categories.begin(), categories.end());
    categories.erase(std::unique(categories.begin(), categories.end()), categories.end());
    bool is_any = false;
    for (const std::uint32_t category : categories) {
      is_launch[category] = flow_kind(trace_.texts[category]) == "launch";
      is_any = is_any || is_launch[category];
    }
    if (!is_any) return;
    const SlicesByTime by_time(trace_, nesting_);
    std::unordered_map<std::uint64_t, std::uint32_t> starts;  // slices by key
    for (const TraceFlow& flow : trace_.flows) {
      if (!is_launch[flow.category] || flow.step != TraceFlow::Step::kStart) continue;
      const std::uint32_t index = by_time.at(flow.thread, flow.time);
      if (index != kNoSlice && is_host(side(trace_.slices[index]))) {
        starts.emplace(flow.key, index);
      }
    }
    if (starts.empty()) return;
    std::unordered_map<std::uint32_t, DeviceSlice*> unbound;  // by slice
    for (DeviceSlice& device : found_.slices) {
      if (device.launch == kNoSlice) unbound.emplace(device.slice, &device);
    }
    for (const TraceFlow& flow : trace_.flows) {
      if (!is_launch[flow.category] || flow.step == TraceFlow::Step::kStart) continue;
      const auto start = starts.find(flow.key);
      if (start == starts.end()) continue;
      const auto device = unbound.find(by_time.at(flow.thread, flow.time));
      if (device == unbound.end()) continue;
      const bool is_operator = side(trace_.slices[start->second]) == SliceSide::kOperator;
      std::uint32_t& bound =
          is_operator ? device->second->launching_operator : device->second->launch;
      if (bound == kNoSlice) bound = start->second;
    }
  }

  const Trace& trace_;
  const TraceNesting& nesting_;
  const std::vector<SliceSide>& sides_;
  DeviceSlices found_;
};

std::vector<std::int64_t> own_times(const Trace& trace, const std::vector<SliceSide>& sides,
                                    const std::vector<DeviceSlice>& slices) {
  if (std::find(sides.begin(), sides.end(), SliceSide::kDeviceOperator) == sides.end()) return {};
  std::vector<std::int64_t> times(slices.size());
  visit_own_spans(trace, slices, sides, [&](std::size_t i, const TimeSpan& span) {
    times[i] = sum_of(times[i], difference_of(span.end, span.begin));
  });
  return times;
}

}  // namespace

DeviceSlices device_slices(const Trace& trace, const TraceNesting& nesting,
                           const std::vector<SliceSide>& sides) {
  DeviceSlices found = DeviceSliceFinder(trace, nesting, sides).find();
  found.own_times = own_times(trace, sides, found.slices);
  return found;
}

void visit_own_spans(const Trace& trace, const std::vector<DeviceSlice>& slices,
                     const std::vector<SliceSide>& sides,
                     const std::function<void(std::size_t, const TimeSpan&)>& visit) {
  struct Open {
    std::size_t number;
    std::int64_t from;  // of what is not yet visited
  };
  std::vector<Open> open;  // operators of the thread at hand, outermost first
  const auto slice_of = [&](std::size_t i) -> const TraceSlice& {
    return trace.slices[slices[i].slice];
  };
  const auto visit_until = [&](Open* of, std::int64_t end) {
    if (end > of->from) visit(of->number, {of->from, end});
    of->from = std::max(of->from, end);
  };
  // Ends what ends before `time`; what is around it goes on where it ended.
  const auto close_until = [&](std::int64_t time) {
    while (!open.empty() && slice_of(open.back().number).end() <= time) {
      const std::int64_t end = slice_of(open.back().number).end();
      visit_until(&open.back(), end);
      open.pop_back();
      if (!open.empty()) open.back().from = std::max(open.back().from, end);
    }
  };
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::uint32_t thread = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const TraceSlice& slice = slice_of(i);
    if (sides[slice.label] != SliceSide::kDeviceOperator) {
      visit(i, {slice.start, slice.end()});
      continue;
    }
    if (slice.thread != thread) close_until(kNever);
    thread = slice.thread;
    close_until(slice.start);
    if (!open.empty()) visit_until(&open.back(), slice.start);
    open.push_back({i, slice.start});
  }
  close_until(kNever);
}

std::vector<OneDevice> devices_of(const Trace& trace, const std::vector<DeviceSlice>& slices) {
  // Two processes may have one number, as in a trace that was put together of several.
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  std::vector<OneDevice> devices;
  std::vector<std::size_t> of_threads(trace.threads.size(), trace.threads.size());
  std::vector<std::size_t> counts;
  for (const DeviceSlice& each : slices) {
    const std::uint32_t thread = trace.slices[each.slice].thread;
    if (of_threads[thread] == trace.threads.size()) {
      const trace::TraceThread& of = trace.threads[thread];
      const auto [place, is_new] = places.try_emplace({of.pid, of.process_name}, devices.size());
      if (is_new) devices.push_back({.thread = thread, .slices = {}});
      counts.resize(devices.size());
      devices[place->second].thread = std::min(devices[place->second].thread, thread);
      of_threads[thread] = place->second;
    }
    ++counts[of_threads[thread]];
  }
  for (std::size_t i = 0; i < devices.size(); ++i) devices[i].slices.reserve(counts[i]);
  for (std::uint32_t i = 0; i < slices.size(); ++i) {
    devices[of_threads[trace.slices[slices[i].slice].thread]].slices.push_back(i);
  }
  const auto order = [&](std::uint32_t number) {
    const DeviceSlice& each = slices[number];
    // What was launched later, or nobody knows when, does not tell why the device was idle.
    const bool is_unknown = each.launch == kNoSlice;
    return std::tuple(trace.slices[each.slice].start, is_unknown,
                      is_unknown ? 0 : trace.slices[each.launch].start, each.slice);
  };
  for (OneDevice& device : devices) {
    trace::merge_runs(device.slices.begin(), device.slices.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
  }
  std::sort(devices.begin(), devices.end(),
            [](const OneDevice& a, const OneDevice& b) { return a.thread < b.thread; });
  return devices;
}

std::int64_t launch_delay(const Trace& trace, const DeviceSlice& slice) {
  const std::int64_t launched = trace.slices[slice.launch].end();
  return std::max<std::int64_t>(0, difference_of(trace.slices[slice.slice].start, launched));
}

}  // namespace benchhud::analysis
