#include "analysis/tracks/xla_derived_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/trace/time_spans.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/xla_iterations.h"
#include "schema/base/text_excerpt.h"
#include "trace/trace_nesting.h"
#include "trace/xla_profile.h"

namespace benchhud::analysis {

using trace::DerivedTrack;
using trace::DerivedTracks;
using trace::Trace;
using trace::TraceSlice;
using trace::XlaDevice;
using trace::XlaProfile;

namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kNoRun = std::numeric_limits<std::uint32_t>::max();

// The names under which a file may have a track already, the one that is given first.
constexpr std::array kSteps = {"Steps"sv};
constexpr std::array kModules = {"XLA Modules"sv};
constexpr std::array kOps = {"XLA Ops"sv};
constexpr std::array kFrameworkOps = {"Framework Ops"sv, "TensorFlow Ops"sv};
constexpr std::array kNameScope = {"Framework Name Scope"sv, "TensorFlow Name Scope"sv};
constexpr std::array kSource = {"Source code"sv, "Source Code"sv, "Source"sv};

// What an operator shows on the tracks: numbers of DerivedTracks::names; 0: nothing.
struct ShownOperator {
  std::uint32_t op = 0, module = 0, framework_op = 0, source = 0;
  std::vector<std::uint32_t> scopes;
};

// A slice of an operator.
struct OpSlice {
  std::int64_t begin = 0, end = 0;
  std::uint32_t op = 0;      // index in XlaProfile::operators
  std::uint32_t thread = 0;  // index in Trace::threads
  std::uint32_t slice = 0;   // index in Trace::slices
  std::uint32_t run = kNoRun;
};

// Whether what begins then goes on with what was joined from `begin` to `end`.
bool goes_on(std::int64_t begin, std::int64_t end, std::int64_t next) {
  if (next <= end) return true;
  const std::int64_t length = difference_of(end, begin);
  return difference_of(next, end) - length <= length;
}

// Slices of one track, by the streams that they were derived from.
class DerivedRows {
 public:
  // The index of what is added, for extend(). `stream` does not descend.
  std::size_t add(std::uint32_t stream, std::int64_t begin, std::int64_t end, std::uint32_t name) {
    if (streams_.empty() || streams_.back() != stream) streams_.push_back(stream);
    made_.slices.push_back({.start = begin,
                            .duration = end - begin,
                            .label = name,
                            .thread = static_cast<std::uint32_t>(streams_.size() - 1),
                            .args = 0});
    return made_.slices.size() - 1;
  }
  void extend(std::size_t index, std::int64_t end) {
    TraceSlice& slice = made_.slices[index];
    slice.duration = std::max(slice.end(), end) - slice.start;
  }
  const TraceSlice& operator[](std::size_t index) const { return made_.slices[index]; }
  bool empty() const { return made_.slices.empty(); }

  // Puts slices and rows into the track, and is empty behind.
  void put(DerivedTrack* track) {
    track->slices.reserve(made_.slices.size());
    if (is_flat()) {
      for (const TraceSlice& slice : made_.slices) {
        track->slices.push_back({slice.start, slice.duration, slice.label, slice.thread});
      }
      for (std::uint32_t row = 0; row < streams_.size(); ++row) track->stack_rows.push_back(row);
    } else {
      put_nested(track);
    }
    made_ = {};
    streams_.clear();
  }

 private:
  // Whether those of each stream follow one another: then it has one row, as nest() would say.
  bool is_flat() const {
    const TraceSlice* last = nullptr;
    for (const TraceSlice& slice : made_.slices) {
      const bool follows = last == nullptr || last->thread != slice.thread ||
                           (last->end() <= slice.start && last->start < slice.start);
      if (!follows) return false;
      last = &slice;
    }
    return true;
  }

  void put_nested(DerivedTrack* track) {
    made_.threads.resize(streams_.size());
    const trace::TraceNesting nesting = trace::nest(made_, trace::NestingRows::kYes);
    std::vector<std::uint32_t> first_rows;
    std::uint32_t rows = 0;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      first_rows.push_back(rows);
      for (const std::uint32_t row : nesting.stack_rows[i]) track->stack_rows.push_back(rows + row);
      rows += nesting.row_counts[i];
    }
    for (const std::uint32_t index : nesting.order) {
      const TraceSlice& slice = made_.slices[index];
      track->slices.push_back({slice.start, slice.duration, slice.label,
                               first_rows[slice.thread] + nesting.row[index]});
    }
    std::stable_sort(track->slices.begin(), track->slices.end(),
                     [](const trace::ChunkSlice& a, const trace::ChunkSlice& b) {
                       return a.row < b.row;  // they are in the order of time
                     });
  }

  Trace made_;  // slices alone; their threads are indices of streams_
  std::vector<std::uint32_t> streams_;
};

class XlaTracks {
 public:
  explicit XlaTracks(const TraceContext& context)
      : context_(context), trace_(context.trace()), profile_(*context.trace().xla) {}

  DerivedTracks make() {
    show_operators();
    read_runs();
    std::vector<std::vector<OpSlice>> by_device = slices_by_device();
    for (std::uint32_t device = 0; device < by_device.size(); ++device) {
      if (by_device[device].empty()) continue;
      make_device(device, by_device[device]);
      by_device[device] = {};
    }
    return std::move(made_);
  }

 private:
  // Names of events are cut where they are read; those that are put together here are, too.
  std::uint32_t name(std::string_view text) {
    constexpr std::size_t kMostName = 10'000;
    return made_.names.put(schema::beginning_of(text, kMostName));
  }

  void show_operators() {
    for (const trace::XlaOperator& op : profile_.operators) {
      ShownOperator& shown = shown_.emplace_back();
      const std::string_view framework_op = trace_.texts[op.framework_op];
      const ScopedOperator read = read_scoped_operator(framework_op);
      shown.framework_op = name(read.name);
      for (const std::string_view scope : read.scopes) shown.scopes.push_back(name(scope));
      // A kernel of no operator of XLA's is in the table under the framework's.
      const bool is_framework_op = op.module == 0 && !op.program && op.name == op.framework_op;
      if (!is_framework_op) shown.op = name(trace_.texts[op.name]);
      shown.source = name(trace_.texts[op.source]);
      shown.module = module_name(op.module, op.program);
    }
  }

  // As XProf calls it, "jit_f(12)".
  std::uint32_t module_name(std::uint32_t text, std::optional<std::uint64_t> program) {
    const std::string_view module = trace_.texts[text];
    if (!program) return name(module);
    return name(module.empty() ? fmt::format("program {}", *program)
                               : fmt::format("{}({})", module, *program));
  }

  // Runs of each module, in the order of time, and of each operator its module.
  void read_runs() {
    runs_of_.resize(profile_.modules.size());
    for (std::uint32_t run = 0; run < profile_.runs.size(); ++run) {
      runs_of_[profile_.runs[run].module].push_back(run);
    }
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> modules;
    for (std::uint32_t i = 0; i < profile_.modules.size(); ++i) {
      const trace::XlaModule& module = profile_.modules[i];
      modules.try_emplace({module.device, module.name, module.program.value_or(0)}, i);
    }
    for (const trace::XlaOperator& op : profile_.operators) {
      const auto found = modules.find({op.device, op.module, op.program.value_or(0)});
      module_of_.push_back(found == modules.end() ? std::nullopt : std::optional(found->second));
    }
  }

  // The run of its module that the slice is in; kNoRun: it is not known.
  std::uint32_t run_of(const OpSlice& slice) const {
    if (!module_of_[slice.op]) return kNoRun;
    const std::vector<std::uint32_t>& runs = runs_of_[*module_of_[slice.op]];
    auto behind = std::upper_bound(
        runs.begin(), runs.end(), slice.begin,
        [&](std::int64_t begin, std::uint32_t run) { return begin < profile_.runs[run].begin; });
    // Runs of one module on several streams overlap; there are few.
    constexpr int kMostAround = 8;
    for (int i = 0; i < kMostAround && behind != runs.begin(); ++i) {
      --behind;
      if (profile_.runs[*behind].end >= slice.end) return *behind;
    }
    return kNoRun;
  }

  // Of each device, by thread and time, those around others before them.
  std::vector<std::vector<OpSlice>> slices_by_device() const {
    std::vector<std::vector<OpSlice>> by_device(profile_.devices.size());
    for (const trace::XlaSlice& each : profile_.slices) {
      if (context_.is_set_aside(each.slice)) continue;
      const TraceSlice& slice = trace_.slices[each.slice];
      OpSlice op{.begin = slice.start,
                 .end = slice.end(),
                 .op = each.op,
                 .thread = slice.thread,
                 .slice = each.slice};
      op.run = run_of(op);
      by_device[profile_.operators[each.op].device].push_back(op);
    }
    for (std::vector<OpSlice>& slices : by_device) {
      std::stable_sort(slices.begin(), slices.end(), [](const OpSlice& a, const OpSlice& b) {
        return std::tuple(a.thread, a.begin, b.end) < std::tuple(b.thread, b.begin, a.end);
      });
    }
    return by_device;
  }

  void make_device(std::uint32_t device, const std::vector<OpSlice>& slices) {
    const trace::TraceThread& of = trace_.threads[slices.front().thread];
    std::set<std::string_view> has;
    for (const trace::TraceThread& thread : trace_.threads) {
      if (thread.pid == of.pid) has.insert(thread.name);
    }
    // The track that the file has under none of these names, of the rows that `add` adds.
    const auto make = [&](const auto& names, auto add) {
      if (std::ranges::any_of(names, [&](std::string_view each) { return has.contains(each); })) {
        return;
      }
      add();
      if (rows_.empty()) return;
      DerivedTrack& track = made_.tracks.emplace_back();
      track.thread.pid = of.pid;
      track.thread.process_name = of.process_name;
      track.thread.process_labels = of.process_labels;
      track.thread.process_sort_index = of.process_sort_index;
      track.thread.tid = fmt::format("derived {}", names.front());
      track.thread.name = names.front();
      rows_.put(&track);
    };
    make(kSteps, [&] { add_steps(device, slices); });
    make(kModules, [&] { add_modules(device, slices); });
    make(kOps, [&] { add_joined(slices, &ShownOperator::op); });
    make(kFrameworkOps, [&] { add_joined(slices, &ShownOperator::framework_op); });
    make(kNameScope, [&] { add_scopes(slices); });
    make(kSource, [&] { add_joined(slices, &ShownOperator::source); });
  }

  // What is joined at the moment.
  struct Joined {
    std::uint32_t name = 0, run = kNoRun;
    std::size_t index = 0;  // in rows_
  };

  bool is_same(const Joined& last, std::uint32_t shown, const OpSlice& slice) const {
    if (last.name != shown || last.run != slice.run) return false;
    return slice.run != kNoRun ||
           goes_on(rows_[last.index].start, rows_[last.index].end(), slice.begin);
  }

  void add_joined(const std::vector<OpSlice>& slices, std::uint32_t ShownOperator::* what) {
    Joined last;
    std::optional<std::uint32_t> thread;
    for (const OpSlice& slice : slices) {
      if (thread != slice.thread) last = {};
      thread = slice.thread;
      const std::uint32_t shown = shown_[slice.op].*what;
      if (shown == 0) {
        last = {};
      } else if (is_same(last, shown, slice)) {
        rows_.extend(last.index, slice.end);
      } else {
        last = {shown, slice.run, rows_.add(slice.thread, slice.begin, slice.end, shown)};
      }
    }
  }

  // How many levels of scopes are shown: see the header.
  std::size_t scope_levels(const std::vector<OpSlice>& slices) const {
    constexpr std::size_t kAlways = 1'000'000;
    std::array<std::size_t, kMostScopes> at_most = {};
    for (const OpSlice& slice : slices) {
      const std::size_t depth = shown_[slice.op].scopes.size();
      if (depth > 0) ++at_most[depth - 1];
    }
    for (std::size_t level = kMostScopes - 1; level > 0; --level) {
      at_most[level - 1] += at_most[level];
    }
    std::size_t levels = 0;
    for (std::size_t sum = 0; levels < kMostScopes; ++levels) {
      sum += at_most[levels];
      if (sum > kAlways + 2 * slices.size()) break;
    }
    return levels;
  }

  void add_scopes(const std::vector<OpSlice>& slices) {
    const std::size_t levels = scope_levels(slices);
    std::vector<Joined> open;  // by level
    std::optional<std::uint32_t> thread;
    for (const OpSlice& slice : slices) {
      if (thread != slice.thread) open.clear();
      thread = slice.thread;
      const std::vector<std::uint32_t>& scopes = shown_[slice.op].scopes;
      const std::size_t depth = std::min(scopes.size(), levels);
      std::size_t same = 0;
      while (same < std::min(depth, open.size()) && is_same(open[same], scopes[same], slice)) {
        rows_.extend(open[same].index, slice.end);
        ++same;
      }
      open.resize(same);
      for (; same < depth; ++same) {
        open.push_back({scopes[same], slice.run,
                        rows_.add(slice.thread, slice.begin, slice.end, scopes[same])});
      }
    }
  }

  void add_modules(std::uint32_t device, const std::vector<OpSlice>& slices) {
    // A list of runs that is cut would show gaps where modules ran.
    bool has_runs = false;
    if (profile_.runs_left_out == 0) {
      for (const trace::XlaRun& run : profile_.runs) {
        const trace::XlaModule& module = profile_.modules[run.module];
        if (module.device != device) continue;
        has_runs = true;
        const std::uint32_t shown = module_name(module.name, module.program);
        if (shown != 0) rows_.add(0, run.begin, run.end, shown);
      }
    }
    if (!has_runs) add_joined(slices, &ShownOperator::module);
  }

  const XlaIterations& iterations() {
    if (!iterations_) iterations_ = xla_iterations(context_, XlaProfile::kMostRuns);
    return *iterations_;
  }

  bool are_module_runs() { return iterations().found_by == XlaIterations::FoundBy::kModuleRuns; }

  // Iterations that marks tell, of all devices, in the order of time.
  const std::vector<TimeSpan>& marked_iterations() {
    if (!marked_.empty()) return marked_;
    for (const XlaIteration& each : iterations().iterations) {
      marked_.push_back({each.begin, sum_of(each.begin, each.duration)});
    }
    std::stable_sort(marked_.begin(), marked_.end(),
                     [](const TimeSpan& a, const TimeSpan& b) { return a.begin < b.begin; });
    return marked_;
  }

  // Where iterations are runs of a module, each device begins one when it runs that module itself.
  std::vector<TimeSpan> own_iterations(std::uint32_t device) {
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = 0; i < profile_.modules.size(); ++i) {
      const trace::XlaModule& module = profile_.modules[i];
      if (module.device != device || trace_.texts[module.name] != iterations().name) continue;
      if (!found || module.total_ps > profile_.modules[*found].total_ps) found = i;
    }
    return found ? iterations_of_runs(profile_, *found) : std::vector<TimeSpan>();
  }

  // The call that launched what ran in a slice; kNoSlice: it is not known.
  std::uint32_t launch_of(std::uint32_t slice) {
    if (launches_.empty()) {
      launches_.resize(trace_.slices.size(), trace::kNoSlice);
      for (const DeviceSlice& each : context_.device()) launches_[each.slice] = each.launch;
    }
    return launches_[slice];
  }

  // When a slice was begun by what iterations are told by; none: it is not known.
  std::optional<std::int64_t> begun(const OpSlice& slice, XlaDevice::Kind kind) {
    if (are_module_runs() || kind == XlaDevice::Kind::kCpu) return slice.begin;
    const std::uint32_t launch = launch_of(slice.slice);
    if (launch == trace::kNoSlice) return std::nullopt;
    return trace_.slices[launch].start;
  }

  void add_steps(std::uint32_t device, const std::vector<OpSlice>& slices) {
    // Steps that a device's own line has are when that device worked on them, which tells nothing
    // of another one.
    if (iterations().found_by == XlaIterations::FoundBy::kDeviceSteps) return;
    const XlaDevice::Kind kind = profile_.devices[device].kind;
    const std::vector<TimeSpan> own =
        are_module_runs() ? own_iterations(device) : std::vector<TimeSpan>();
    const std::vector<TimeSpan>& all = are_module_runs() ? own : marked_iterations();
    std::map<std::size_t, std::pair<std::int64_t, std::int64_t>> spans;  // by iteration
    for (const OpSlice& slice : slices) {
      const auto at = begun(slice, kind);
      if (!at) continue;
      auto behind = std::upper_bound(
          all.begin(), all.end(), *at,
          [](std::int64_t time, const TimeSpan& each) { return time < each.begin; });
      if (behind == all.begin()) continue;
      --behind;
      if (*at >= behind->end) continue;
      const auto [span, is_new] =
          spans.try_emplace(static_cast<std::size_t>(behind - all.begin()), slice.begin, slice.end);
      if (is_new) continue;
      span->second.first = std::min(span->second.first, slice.begin);
      span->second.second = std::max(span->second.second, slice.end);
    }
    for (const auto& [number, span] : spans) {
      rows_.add(0, span.first, span.second, name(fmt::format("iteration {}", number + 1)));
    }
  }

  const TraceContext& context_;
  const Trace& trace_;
  const XlaProfile& profile_;
  DerivedTracks made_;
  DerivedRows rows_;                                     // of the track that is being made
  std::vector<ShownOperator> shown_;                     // by operator
  std::vector<std::vector<std::uint32_t>> runs_of_;      // by module, indices in XlaProfile::runs
  std::vector<std::optional<std::uint32_t>> module_of_;  // by operator
  std::optional<XlaIterations> iterations_;
  std::vector<TimeSpan> marked_;
  std::vector<std::uint32_t> launches_;  // by slice of the trace
};

}  // namespace

ScopedOperator read_scoped_operator(std::string_view text) {
  ScopedOperator made;
  const std::size_t colon = text.rfind(':');
  if (colon != text.npos && text.find_first_of("/()", colon) == text.npos) {
    text = text.substr(0, colon);
  }
  made.name = text;
  std::size_t open = 0, begin = 0;
  for (std::size_t i = 0; i < text.size() && made.scopes.size() < kMostScopes; ++i) {
    if (text[i] == '(') ++open;
    if (text[i] == ')' && open > 0) --open;
    if (text[i] != '/' || open > 0) continue;
    if (i > begin) made.scopes.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return made;
}

std::optional<DerivedTracks> xla_derived_tracks(const TraceContext& context) {
  if (!context.trace().xla) return std::nullopt;
  return XlaTracks(context).make();
}

}  // namespace benchhud::analysis
