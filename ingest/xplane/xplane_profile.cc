#include "ingest/xplane/xplane_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "schema/base/text_excerpt.h"

namespace benchhud::ingest {

using trace::saturated_sum;
using trace::XlaDevice;
using trace::XlaProfile;

namespace {

// Of texts that a profile has besides those of its slices; beyond that they are not known.
constexpr std::size_t kMostProfileText = std::size_t{32} << 20;

// XLA's annotation of a GPU's kernel where it should say the framework's operator.
constexpr std::string_view kNoFrameworkOp = "XlaModule:";

// The end of what begins then and takes so long; none beyond 64 bits.
std::optional<std::int64_t> end_of(std::int64_t begin, std::int64_t duration) {
  if (duration < 0) return std::nullopt;
  if (begin > 0 && duration > std::numeric_limits<std::int64_t>::max() - begin) return std::nullopt;
  return begin + duration;
}

// end - begin, at most the largest number that there is.
std::int64_t length_of(std::int64_t begin, std::int64_t end) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t length = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
  return length > static_cast<std::uint64_t>(kMost) ? kMost : static_cast<std::int64_t>(length);
}

void add_to(std::int64_t* sum, std::int64_t number) { *sum = saturated_sum(*sum, number); }

// Their sum, the shortest and the longest. `is_first`: of the row's lengths.
template <class Row>
void add_length(Row* row, std::int64_t length, bool is_first) {
  row->min_ps = is_first ? length : std::min(row->min_ps, length);
  row->max_ps = std::max(row->max_ps, length);
  add_to(&row->total_ps, length);
}

// Sorts the spans; puts the length of their union and of all from the first to the last.
void put_busy(std::vector<std::pair<std::int64_t, std::int64_t>>* spans, XlaDevice* device) {
  if (spans->empty()) return;
  if (!std::is_sorted(spans->begin(), spans->end())) std::sort(spans->begin(), spans->end());
  auto [begin, end] = spans->front();
  for (const auto& [next, next_end] : *spans) {
    if (next > end) {
      add_to(&device->busy_ps, length_of(begin, end));
      begin = next;
      end = next_end;
    } else {
      end = std::max(end, next_end);
    }
  }
  add_to(&device->busy_ps, length_of(begin, end));
  device->span_ps = length_of(spans->front().first, end);
}

}  // namespace

std::size_t XplaneProfileBuilder::OpKeyHash::operator()(const OpKey& key) const {
  const XplaneIdHash hash;
  const std::uint64_t place = std::uint64_t{key.device} << 32U | key.name;
  std::size_t mixed = hash(static_cast<std::int64_t>(place));
  mixed = hash(static_cast<std::int64_t>(mixed ^ key.module));
  mixed = hash(static_cast<std::int64_t>(mixed ^ key.program));
  return hash(static_cast<std::int64_t>(mixed ^ static_cast<std::uint64_t>(key.symbol)));
}

std::uint32_t XplaneProfileBuilder::text(std::string_view text) {
  if (text_bytes_ + text.size() > kMostProfileText) return 0;
  const std::size_t known = trace_.texts.size();
  const std::uint32_t number = trace_.texts.put(text);
  if (trace_.texts.size() > known) text_bytes_ += text.size();
  return number;
}

std::uint32_t XplaneProfileBuilder::text_of(const XplaneStat* stat) {
  return stat == nullptr ? 0 : text(names_->text(*stat));
}

void XplaneProfileBuilder::begin_plane(const XplanePlane& plane, XplaneFamily family,
                                       XplaneStatNames* names) {
  plane_ = &plane;
  family_ = family;
  names_ = names;
  device_.reset();
  has_no_room_ = false;
  nested_.clear();
  busy_.clear();
  if (plane.name != "/host:metadata") return;
  // Names of modules; the ids of these kinds are those of programs, but for libtpu's newest.
  for (const auto& [id, message] : plane.kinds) {
    if (module_names_.size() >= XlaProfile::kMostModules) break;
    const XplaneModuleName name = read_module_name(read_xplane_kind(message).name);
    if (name.program && !name.name.empty()) {
      module_names_.try_emplace(*name.program, text(name.name));
    }
  }
}

std::optional<std::uint32_t> XplaneProfileBuilder::device(XlaDevice::Kind kind) {
  if (device_ || has_no_room_) return device_;
  if (made_.devices.size() >= XlaProfile::kMostDevices) {
    has_no_room_ = true;
    ++made_.devices_left_out;
    return device_;
  }
  // Reports cut names at 1000 bytes: there is room for a number.
  constexpr std::size_t kMostName = 900;
  std::string name = schema::beginning_of(plane_->name, kMostName);
  // Who asks for a device names it: of two planes of one name the second has a number.
  const auto has_name = [&](std::string_view asked) {
    return std::any_of(made_.devices.begin(), made_.devices.end(),
                       [&](const XlaDevice& each) { return each.name == asked; });
  };
  for (std::size_t number = 2; has_name(name); ++number) {
    name = fmt::format("{} ({})", schema::beginning_of(plane_->name, kMostName), number);
  }
  XlaDevice& device = made_.devices.emplace_back();
  device.name = std::move(name);
  device.kind = kind;
  if (kind != XlaDevice::Kind::kCpu) device.peaks = read_xplane_peaks(*plane_);
  device_ = static_cast<std::uint32_t>(made_.devices.size() - 1);
  return device_;
}

XplaneKindFacts& XplaneProfileBuilder::kind_facts(const PlacedXplaneEvent& placed) {
  if (!*placed.kind_facts) {
    *placed.kind_facts = std::make_unique<XplaneKindFacts>();
    read_op_facts(placed.kind->stats, names_, &(*placed.kind_facts)->facts);
  }
  return **placed.kind_facts;
}

XplaneOpFacts XplaneProfileBuilder::facts_of(const PlacedXplaneEvent& placed, bool* names_op) {
  const XplaneOpFacts& of_kind = kind_facts(placed).facts;
  XplaneOpFacts facts = of_kind;
  *names_op = read_op_facts(placed.event->stats, names_, &facts);
  // A kernel of no operator of XLA's is one of the framework's, which its own values may name.
  const bool is_framework_op = family_ != XplaneFamily::kTpu && facts.op == nullptr;
  if (is_framework_op && facts.framework_op != of_kind.framework_op) *names_op = true;
  return facts;
}

std::optional<std::uint32_t> XplaneProfileBuilder::put_op(const OpKey& key,
                                                          const XplaneOpFacts& facts,
                                                          std::optional<std::uint64_t> program) {
  const auto found = ops_.find(key);
  if (found != ops_.end()) return found->second;
  if (made_.operators.size() >= XlaProfile::kMostOperators) return std::nullopt;
  trace::XlaOperator& op = made_.operators.emplace_back();
  op.device = key.device;
  op.name = key.name;
  op.module = key.module;
  op.program = program;
  op.category = text_of(facts.category);
  op.source = text_of(facts.source);
  op.framework_op = text_of(facts.framework_op);
  if (trace_.texts[op.framework_op] == kNoFrameworkOp) op.framework_op = text_of(facts.annotation);
  const auto number = static_cast<std::uint32_t>(made_.operators.size() - 1);
  ops_.emplace(key, number);
  return number;
}

std::optional<std::uint32_t> XplaneProfileBuilder::op_of(const PlacedXplaneEvent& placed,
                                                         const XplaneOpFacts& facts,
                                                         std::uint32_t device, bool is_of_kind) {
  std::optional<std::uint32_t>& known = kind_facts(placed).op;
  if (is_of_kind && known) return known;
  OpKey key;
  key.device = device;
  key.symbol = facts.symbol.value_or(0);
  std::optional<std::uint64_t> program;
  if (facts.program && *facts.program != 0) program = static_cast<std::uint64_t>(*facts.program);
  key.program = program.value_or(0);
  const std::string_view path = facts.op == nullptr ? "" : names_->text(*facts.op);
  if (family_ == XplaneFamily::kTpu) {
    // A program's symbol is one operator, whatever it is called.
    key.name = text(placed.name);
    if (key.symbol != 0) {
      OpKey by_symbol = key;
      by_symbol.name = 0;
      const auto op = put_op(by_symbol, facts, program);
      if (op && made_.operators[*op].name == 0) {
        made_.operators[*op].name = key.name;
        made_.operators[*op].module = text_of(facts.module);
      }
      if (is_of_kind) known = op;
      return op;
    }
  } else {
    key.symbol = 0;
    key.name = text(last_part_of_op(path));
    // Kernels of no operator of XLA's may be of one of the framework's.
    if (path.empty() && facts.framework_op != nullptr) {
      const std::string_view framework = names_->text(*facts.framework_op);
      if (framework != kNoFrameworkOp) key.name = text(framework);
    }
  }
  key.module = text_of(facts.module);
  const auto op = put_op(key, facts, program);
  if (is_of_kind) known = op;
  return op;
}

std::optional<std::uint32_t> XplaneProfileBuilder::put_module(
    std::uint32_t device, std::uint32_t name, std::optional<std::uint64_t> program) {
  const std::tuple key(device, name, program.value_or(0));
  const auto found = modules_.find(key);
  if (found != modules_.end()) return found->second;
  if (made_.modules.size() >= XlaProfile::kMostModules) return std::nullopt;
  trace::XlaModule& module = made_.modules.emplace_back();
  module.device = device;
  module.name = name;
  module.program = program;
  const auto number = static_cast<std::uint32_t>(made_.modules.size() - 1);
  modules_.emplace(key, number);
  return number;
}

void XplaneProfileBuilder::put_run(std::uint32_t module, std::int64_t begin, std::int64_t end,
                                   std::int64_t length_ps) {
  trace::XlaModule& row = made_.modules[module];
  ++row.runs;
  add_length(&row, length_ps, row.runs == 1);
  made_.runs.push_back({module, begin, end});
}

void XplaneProfileBuilder::add_module_run(const PlacedXplaneEvent& placed) {
  const auto in = device(XlaDevice::Kind::kTpu);
  if (!in) return;
  bool names_op = false;
  const XplaneOpFacts facts = facts_of(placed, &names_op);
  std::optional<std::uint32_t> known;
  if (!names_op) known = kind_facts(placed).module;
  if (!known) {
    XplaneModuleName name = read_module_name(placed.name);
    if (!name.program && facts.program) name.program = static_cast<std::uint64_t>(*facts.program);
    const std::uint32_t text_number = text(name.name);
    if (name.program && module_names_.size() < XlaProfile::kMostModules) {
      module_names_.try_emplace(*name.program, text_number);
    }
    known = put_module(*in, text_number, name.program);
    if (!names_op) kind_facts(placed).module = known;
  }
  if (known) {
    put_run(*known, placed.begin, placed.end, placed.event->duration_ps);
  } else {
    ++made_.modules_left_out;
  }
}

// What is placed is the trace's last slice.
void XplaneProfileBuilder::put_slice(std::uint32_t op) {
  made_.slices.push_back({static_cast<std::uint32_t>(trace_.slices.size() - 1), op});
}

// An operator of a TPU's core or of a thread of the host.
void XplaneProfileBuilder::add_nested(const PlacedXplaneEvent& placed, XlaDevice::Kind kind) {
  const auto in = device(kind);
  if (!in) return;
  bool names_op = false;
  const XplaneOpFacts facts = facts_of(placed, &names_op);
  const auto op = op_of(placed, facts, *in, !names_op);
  OpEvent event{.op = op.value_or(kNoRow), .thread = placed.thread};
  const auto end =
      placed.begin_ps ? end_of(*placed.begin_ps, placed.event->duration_ps) : std::nullopt;
  bool has_times = end.has_value();
  event.begin = placed.begin_ps.value_or(0);
  event.end = end.value_or(0);
  if (kind == XlaDevice::Kind::kTpu && facts.device_offset_ps && facts.device_duration_ps) {
    const auto device_end = end_of(*facts.device_offset_ps, *facts.device_duration_ps);
    has_times = has_times && device_end.has_value();
    event.has_device_times = true;
    event.device_begin = *facts.device_offset_ps;
    event.device_end = device_end.value_or(0);
  }
  // What has no row is still within something, or around it.
  if (has_times) nested_.push_back(event);
  if (!op || !has_times) {
    ++made_.devices[*in].left_out;
    return;
  }
  put_slice(*op);
  trace::XlaOperator& row = made_.operators[*op];
  ++row.occurrences;
  row.cost.add(xplane_cost(facts));
}

// A line's times are by the device's clock where all its operators have such times: the clocks
// have different zeros, so that what is by one of them is within nothing that is by the other.
void XplaneProfileBuilder::choose_clocks() {
  std::set<std::uint32_t> by_file;
  for (const OpEvent& event : nested_) {
    if (!event.has_device_times) by_file.insert(event.thread);
  }
  for (OpEvent& event : nested_) {
    if (by_file.contains(event.thread)) continue;
    event.begin = event.device_begin;
    event.end = event.device_end;
  }
}

// What is in what, by containment; the time of each without that of those right within it.
void XplaneProfileBuilder::sum_nested() {
  const auto is_before = [](const OpEvent& a, const OpEvent& b) {
    return std::tuple(a.thread, a.begin, b.end) < std::tuple(b.thread, b.begin, a.end);
  };
  if (!std::is_sorted(nested_.begin(), nested_.end(), is_before)) {
    std::stable_sort(nested_.begin(), nested_.end(), is_before);
  }
  struct Open {
    std::int64_t end = 0, length = 0, children = 0;
    std::uint32_t op = 0;
  };
  std::vector<Open> open;
  const auto close = [&] {
    const Open& last = open.back();
    // Those that overlap, which they should not, may be longer together.
    const std::int64_t self = std::max<std::int64_t>(last.length - last.children, 0);
    if (last.op == kNoRow) {
      add_to(&made_.devices[*device_].left_out_ps, self);
    } else {
      add_to(&made_.operators[last.op].time_ps, last.length);
      add_to(&made_.operators[last.op].self_ps, self);
    }
    open.pop_back();
  };
  std::optional<std::uint32_t> thread;
  for (const OpEvent& event : nested_) {
    while (!open.empty() && (thread != event.thread || open.back().end < event.end)) close();
    thread = event.thread;
    const std::int64_t length = length_of(event.begin, event.end);
    if (!open.empty()) add_to(&open.back().children, length);
    busy_.emplace_back(event.begin, event.end);
    open.push_back({event.end, length, 0, event.op});
  }
  while (!open.empty()) close();
}

std::optional<std::uint32_t> XplaneProfileBuilder::put_kernel(const PlacedXplaneEvent& placed,
                                                              const XplaneOpFacts& facts,
                                                              std::uint32_t device,
                                                              std::uint32_t op) {
  const std::string_view details =
      facts.kernel_details == nullptr ? "" : names_->text(*facts.kernel_details);
  // Operators are of one device.
  const KernelKey key(text(placed.name), text(details), op);
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  if (made_.kernels.size() >= XlaProfile::kMostKernels) return std::nullopt;
  const XplaneKernelDetails read = read_kernel_details(details);
  trace::XlaKernel& kernel = made_.kernels.emplace_back();
  kernel.device = device;
  kernel.name = std::get<0>(key);
  kernel.op = made_.operators[op].name;
  kernel.module = made_.operators[op].module;
  kernel.grid = text(read.grid);
  kernel.block = text(read.block);
  kernel.registers = read.registers;
  kernel.static_shared = read.static_shared;
  kernel.dynamic_shared = read.dynamic_shared;
  kernel.occupancy_pct = facts.occupancy_pct ? facts.occupancy_pct : read.occupancy_pct;
  const auto number = static_cast<std::uint32_t>(made_.kernels.size() - 1);
  kernels_.emplace(key, number);
  return number;
}

// A kernel, a copy or a set.
void XplaneProfileBuilder::add_of_stream(const PlacedXplaneEvent& placed) {
  const auto in = device(XlaDevice::Kind::kGpu);
  if (!in) return;
  const std::int64_t duration = placed.event->duration_ps;
  const auto end = placed.begin_ps ? end_of(*placed.begin_ps, duration) : std::nullopt;
  if (end) busy_.emplace_back(*placed.begin_ps, *end);
  bool names_op = false;
  const XplaneOpFacts facts = facts_of(placed, &names_op);
  // A copy that no operator made is in the table of copies.
  if (facts.op == nullptr && placed.is_memory) return;
  const auto op = op_of(placed, facts, *in, !names_op);
  if (!op || !end) {
    ++made_.devices[*in].left_out;
    add_to(&made_.devices[*in].left_out_ps, duration);
    return;
  }
  put_slice(*op);
  trace::XlaOperator& row = made_.operators[*op];
  ++row.kernels;
  add_to(&row.time_ps, duration);
  add_to(&row.self_ps, duration);
  // Apart from the numbers of kernels.
  constexpr std::uint32_t kByName = std::uint32_t{1} << 31;
  std::uint32_t signature = kByName | text(placed.name);
  if (facts.kernel_details != nullptr) {
    const auto kernel = put_kernel(placed, facts, *in, *op);
    if (kernel) {
      trace::XlaKernel& counted = made_.kernels[*kernel];
      ++counted.count;
      add_length(&counted, duration, counted.count == 1);
      signature = *kernel;
    } else {
      ++made_.kernels_left_out;
    }
  }
  // Kernels that belong to no operator cannot be told apart into executions.
  if (row.name == 0) return;
  // Without module and program there is nothing that these kernels could be a run of.
  std::optional<std::uint32_t> module;
  const bool has_module = row.module != 0 || row.program;
  if (has_module) module = put_module(*in, row.module, row.program);
  if (has_module && !module) ++made_.modules_left_out;
  executions_.add_kernel({.begin = *placed.begin_ps,
                          .end = *end,
                          .begin_ns = placed.begin,
                          .end_ns = placed.end,
                          .correlation = placed.correlation,
                          .device = *in,
                          .op = *op,
                          .module = module,
                          .thread = placed.thread,
                          .signature = signature});
}

void XplaneProfileBuilder::add_of_host(const PlacedXplaneEvent& placed) {
  if (XplaneExecutions::is_module_execution(placed.name)) {
    executions_.add_module_execution(placed.thread, placed.begin, placed.end);
  }
  if (placed.correlation) {
    executions_.add_launch(*placed.correlation, placed.thread, placed.begin);
    return;
  }
  if (placed.event->stats.empty() && placed.kind->stats.empty()) return;
  std::optional<std::int64_t> step_number;
  bool is_root = false, has_op = false;
  for (const auto* const stats : {&placed.kind->stats, &placed.event->stats}) {
    for (const XplaneStat& stat : *stats) {
      const XplaneRole role = names_->role(stat);
      if (role == XplaneRole::kStepNumber) step_number = xplane_integer(stat);
      if (role == XplaneRole::kRoot) is_root = xplane_integer(stat).value_or(0) != 0;
      has_op = has_op || role == XplaneRole::kHloOp;
    }
  }
  if (has_op) add_nested(placed, XlaDevice::Kind::kCpu);
  if (!is_root && !step_number) return;
  if (made_.steps.size() >= XlaProfile::kMostSteps) {
    ++made_.steps_left_out;
    return;
  }
  made_.steps.push_back({text(placed.name), placed.thread, step_number, placed.begin, placed.end});
}

void XplaneProfileBuilder::add(const XplaneTrack& track, const PlacedXplaneEvent& placed) {
  if (track.is_stream) return add_of_stream(placed);
  if (family_ == XplaneFamily::kHost) return add_of_host(placed);
  if (track.category == "xla_op") return add_nested(placed, XlaDevice::Kind::kTpu);
  if (track.category == "xla_module") add_module_run(placed);
}

void XplaneProfileBuilder::add_allocation(const PlacedXplaneEvent& placed, std::string_view whose,
                                          bool is_allocation) {
  const std::uint32_t name = text(whose);
  auto found = allocators_.find(name);
  if (found == allocators_.end()) {
    if (made_.allocators.size() >= XlaProfile::kMostAllocators) {
      ++made_.allocators_left_out;
      return;
    }
    found = allocators_.emplace(name, made_.allocators.size()).first;
    made_.allocators.emplace_back().name = name;
  }
  trace::XlaAllocator& allocator = made_.allocators[found->second];
  ++(is_allocation ? allocator.allocations : allocator.deallocations);
  std::optional<std::int64_t> level, free;
  const auto read = [&](const XplaneStat& stat) {
    const auto number = xplane_integer(stat);
    if (!number || *number < 0) return;
    const XplaneRole role = names_->role(stat);
    if (role == XplaneRole::kMemoryLevel) level = saturated_sum(level.value_or(0), *number);
    if (role == XplaneRole::kMemoryFree) free = number;
    if (role == XplaneRole::kMemoryPeak) {
      allocator.lifetime_peak_bytes = std::max(allocator.lifetime_peak_bytes.value_or(0), *number);
    }
  };
  const std::vector<XplaneStat>& own = placed.event->stats;
  for (const XplaneStat& stat : own) read(stat);
  for (const XplaneStat& stat : placed.kind->stats) {
    const auto is_same = [&](const XplaneStat& each) {
      return each.metadata_id == stat.metadata_id;
    };
    if (std::none_of(own.begin(), own.end(), is_same)) read(stat);
  }
  if (!level) return;
  if (!allocator.peak_bytes || *level > *allocator.peak_bytes) {
    allocator.peak_bytes = level;
    allocator.peak_time = placed.begin;
  }
  if (free) {
    const std::int64_t all = saturated_sum(*level, *free);
    allocator.capacity_bytes = std::max(allocator.capacity_bytes.value_or(0), all);
  }
}

void XplaneProfileBuilder::add_dropped(std::int64_t events) {
  if (events > 0) add_to(&made_.dropped_events, events);
}

void XplaneProfileBuilder::end_plane() {
  choose_clocks();
  sum_nested();
  if (device_) put_busy(&busy_, &made_.devices[*device_]);
  nested_ = {};
  busy_ = {};
}

void XplaneProfileBuilder::put_executions() {
  executions_.find([&](std::uint32_t op) { ++made_.operators[op].occurrences; },
                   [&](const XplaneExecutions::Run& run) {
                     put_run(run.module, run.begin_ns, run.end_ns, length_of(run.begin, run.end));
                   });
}

// An operator of a TPU says its program alone.
void XplaneProfileBuilder::name_modules() {
  const auto name = [&](auto* row, std::uint32_t* module) {
    if (*module != 0 || !row->program) return;
    const auto found = module_names_.find(*row->program);
    if (found != module_names_.end()) *module = found->second;
  };
  for (trace::XlaOperator& op : made_.operators) name(&op, &op.module);
  for (trace::XlaModule& module : made_.modules) name(&module, &module.name);
}

// Where there are too many runs, those of the modules that take the most time are kept, as
// iterations may be found by them.
void XplaneProfileBuilder::keep_longest_runs() {
  std::vector<trace::XlaRun>& runs = made_.runs;
  if (runs.size() <= XlaProfile::kMostRuns) return;
  const auto order = [&](const trace::XlaRun& run) {
    return std::tuple(-made_.modules[run.module].total_ps, run.module, run.begin);
  };
  std::stable_sort(runs.begin(), runs.end(), [&](const trace::XlaRun& a, const trace::XlaRun& b) {
    return order(a) < order(b);
  });
  made_.runs_left_out += std::ssize(runs) - static_cast<std::int64_t>(XlaProfile::kMostRuns);
  runs.resize(XlaProfile::kMostRuns);
}

XlaProfile XplaneProfileBuilder::finish() {
  put_executions();
  name_modules();
  keep_longest_runs();
  std::stable_sort(
      made_.runs.begin(), made_.runs.end(),
      [](const trace::XlaRun& a, const trace::XlaRun& b) { return a.begin < b.begin; });
  std::stable_sort(
      made_.steps.begin(), made_.steps.end(),
      [](const trace::XlaStep& a, const trace::XlaStep& b) { return a.begin < b.begin; });
  return std::move(made_);
}

}  // namespace benchhud::ingest
