#include "analysis/iterations/framework_operators.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <unordered_set>

#include "analysis/trace/label_class.h"
#include "analysis/trace/time_totals.h"
#include "schema/base/segmented_vector.h"
#include "trace/xla_profile.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using Where = FrameworkOperators::Where;

namespace {

constexpr std::string_view kTriton = "triton_";
constexpr std::int64_t kPsPerNs = 1000;

// Without digits at its end and the character in front of them, which is `mark`.
std::string_view without_number(std::string_view name, char mark) {
  const std::size_t end = name.find_last_not_of("0123456789");
  const bool has_number = end != name.npos && end > 0 && end + 1 < name.size();
  return has_number && name[end] == mark ? name.substr(0, end) : name;
}

// Adds up time by the names that operators have in common. A trace may have a name for each slice:
// they are not copied, and what is alike is added up when all are there.
class OperatorSums {
 public:
  // `name`: as the profile has it; it must outlive this.
  void add(std::string_view name, std::int64_t time, std::int64_t count) {
    std::string common = framework_operator_name(name);
    if (common.empty()) {
      add_to(&nameless_, {{}, time, count});
      return;
    }
    const std::size_t place = name.find(common);
    rows_.push_back({place != name.npos ? name.substr(place, common.size())
                                        : made_up_.emplace_back(std::move(common)),
                     time, count});
  }
  void add_nameless(std::int64_t time, std::int64_t count) {
    add_to(&nameless_, {{}, time, count});
  }

  FrameworkOperators finish(Where where) {
    std::sort(rows_.begin(), rows_.end(),
              [](const Row& a, const Row& b) { return a.name < b.name; });
    std::size_t count = 0;
    for (const Row& row : rows_) {
      if (count > 0 && rows_[count - 1].name == row.name) {
        add_to(&rows_[count - 1], row);
      } else {
        rows_[count++] = row;
      }
    }
    std::sort(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count),
              [](const Row& a, const Row& b) {
                return a.time != b.time ? a.time > b.time : a.name < b.name;
              });
    FrameworkOperators made;
    made.where = where;
    made.without_operator = row_of(nameless_);
    made.total = nameless_.time;
    Row rest;
    for (std::size_t i = 0; i < count; ++i) {
      made.total = sum_of(made.total, rows_[i].time);
      if (i < FrameworkOperators::kMostRows) {
        made.rows.push_back(row_of(rows_[i]));
      } else {
        add_to(&rest, rows_[i]);
      }
    }
    made.rest = row_of(rest);
    return made;
  }

 private:
  struct Row {
    std::string_view name = {};
    std::int64_t time = 0, count = 0;
  };

  static void add_to(Row* row, const Row& other) {
    row->time = sum_of(row->time, other.time);
    row->count = sum_of(row->count, other.count);
  }
  static FrameworkOperator row_of(const Row& row) {
    return {std::string(row.name), row.time, row.count};
  }

  schema::SegmentedVector<Row> rows_;
  std::deque<std::string> made_up_;  // names that no profile has so
  Row nameless_;
};

// How long something took, and how often it ran.
struct TimeAndCount {
  std::int64_t time = 0, count = 0;  // ns

  void add(std::int64_t ns) {
    time = sum_of(time, ns);
    ++count;
  }
};

LabelClass class_of_label(const trace::Trace& trace, const trace::TraceLabel& label) {
  return label_class(trace.texts[label.name], trace.texts[label.category], label.role);
}

bool is_of_host(const trace::XlaDevice& device) {
  return device.kind == trace::XlaDevice::Kind::kCpu;
}

FrameworkOperators operators_of_xla(const trace::Trace& trace, bool on_device) {
  OperatorSums sums;
  for (const trace::XlaOperator& row : trace.xla->operators) {
    if (is_of_host(trace.xla->devices[row.device]) == on_device) continue;
    sums.add(trace.texts[row.framework_op], row.self_ps / kPsPerNs, row.occurrences);
  }
  for (const trace::XlaDevice& device : trace.xla->devices) {
    if (is_of_host(device) != on_device)
      sums.add_nameless(device.left_out_ps / kPsPerNs, device.left_out);
  }
  FrameworkOperators made = sums.finish(on_device ? Where::kDevice : Where::kHost);
  if (made.without_operator.time > 0) {
    made.unknown =
        "The profile does not name the framework's operator of all of XLA's. PyTorch/XLA writes "
        "it where the program runs with XLA_HLO_DEBUG=1.";
  }
  return made;
}

FrameworkOperators operators_of_kernels(const TraceContext& context,
                                        const std::vector<std::uint32_t>& device_operators) {
  const trace::Trace& trace = context.trace();
  std::vector<bool> is_operator;  // by label
  is_operator.reserve(trace.labels.size());
  for (const trace::TraceLabel& label : trace.labels) {
    is_operator.push_back(class_of_label(trace, label).name == "operator");
  }
  // Of each label the time that is its; label 0 is no slice's.
  std::vector<TimeAndCount> by_label(trace.labels.size());
  for (std::size_t i = 0; i < context.device().size(); ++i) {
    const DeviceSlice& device = context.device()[i];
    std::uint32_t label = 0;
    if (device.kind == DeviceSlice::Kind::kInductorTriton) {
      label = context.slice(device.slice).label;
    } else if (device_operators[i] != kNoSlice) {
      const std::uint32_t found = context.slice(device_operators[i]).label;
      if (is_operator[found]) label = found;
    }
    by_label[label].add(context.own_time(device));
  }
  OperatorSums sums;
  for (std::size_t i = 0; i < by_label.size(); ++i) {
    if (by_label[i].count == 0) continue;
    sums.add(trace.texts[trace.labels[i].name], by_label[i].time, by_label[i].count);
  }
  FrameworkOperators made = sums.finish(Where::kDevice);
  made.names_triton_kernels = true;
  if (made.without_operator.time > 0) {
    made.unknown =
        "Of some kernels and copies no operator is known: their launch is not in the trace, or no "
        "operator is around it.";
  }
  return made;
}

FrameworkOperators operators_of_host(const TraceContext& context,
                                     const std::vector<bool>& executing) {
  const trace::Trace& trace = context.trace();
  const std::vector<std::int64_t> self = self_times_of_slices(trace, context.nesting());
  std::vector<TimeAndCount> by_label(trace.labels.size());
  bool has_any = false;
  for (std::size_t i = 0; i < self.size(); ++i) {
    if (!executing[i]) continue;
    by_label[trace.slices[i].label].add(self[i]);
    has_any = true;
  }
  OperatorSums sums;
  for (std::size_t i = 0; i < by_label.size(); ++i) {
    if (by_label[i].count == 0) continue;
    const bool is_operator = class_of_label(trace, trace.labels[i]).name == "operator";
    if (is_operator) {
      sums.add(trace.texts[trace.labels[i].name], by_label[i].time, by_label[i].count);
    } else {
      sums.add_nameless(by_label[i].time, by_label[i].count);
    }
  }
  FrameworkOperators made = sums.finish(has_any ? Where::kHost : Where::kNowhere);
  if (made.without_operator.time > 0) {
    made.unknown =
        "Code that torch.compile made for a CPU leaves no events of its own: what it computes is "
        "known as a whole.";
  } else if (!has_any) {
    made.unknown = "The profile shows nothing that is known to execute the model.";
  }
  return made;
}

// Whether XLA's operators ran on a device, or on the host.
bool has_operators(const trace::Trace& trace, bool on_device) {
  return trace.xla && std::ranges::any_of(trace.xla->operators, [&](const trace::XlaOperator& row) {
           return is_of_host(trace.xla->devices[row.device]) != on_device;
         });
}

}  // namespace

bool is_triton_name(std::string_view name) { return name.starts_with(kTriton); }

std::string framework_operator_name(std::string_view name) {
  if (is_triton_name(name)) return std::string(without_number(name, '_'));
  if (name.find("::") != name.npos) return std::string(name);
  // "path:type", where either may be empty.
  if (const std::size_t type = name.rfind(':'); type != name.npos && type > 0) {
    name = name.substr(0, type);
  }
  if (const std::size_t slash = name.rfind('/'); slash != name.npos && slash + 1 < name.size()) {
    name = name.substr(slash + 1);
  }
  name = without_number(name, '.');
  // PyTorch/XLA writes `_` for `:`.
  constexpr std::array<std::string_view, 7> kNamespaces = {
      "aten", "xla", "prim", "prims", "torch", "torchvision", "quantized"};
  for (const std::string_view space : kNamespaces) {
    if (name.starts_with(space) && name.substr(space.size()).starts_with("__")) {
      return std::string(space) + "::" + std::string(name.substr(space.size() + 2));
    }
  }
  return std::string(name);
}

std::string_view name_of(Where where) {
  constexpr std::array<std::string_view, 3> kNames = {"nowhere", "device", "host"};
  return kNames[static_cast<std::size_t>(where)];
}

std::vector<bool> find_executing_slices(const TraceContext& context) {
  const trace::Trace& trace = context.trace();
  enum class Kind : std::uint8_t { kOther, kExecuting, kCompiling };
  const bool is_of_xla = has_operators(trace, false);
  std::unordered_set<std::uint32_t> xla_names;
  if (is_of_xla) {
    for (const trace::XlaOperator& row : trace.xla->operators) {
      if (is_of_host(trace.xla->devices[row.device]) && row.name != 0) xla_names.insert(row.name);
    }
  }
  std::vector<Kind> kinds;
  kinds.reserve(trace.labels.size());
  for (const trace::TraceLabel& label : trace.labels) {
    const std::string_view name = trace.texts[label.name];
    const auto of = class_of_label(trace, label);
    const bool executes =
        is_of_xla ? of.side == TrackSide::kHost && xla_names.contains(label.name)
                  : (of.name == "operator" || of.name == "compiled") && !is_dynamo_lookup(name);
    kinds.push_back(executes               ? Kind::kExecuting
                    : of.name == "compile" ? Kind::kCompiling
                                           : Kind::kOther);
  }
  std::vector<bool> executing(trace.slices.size()), compiles(trace.slices.size());
  // What is around a slice stands before it in the order.
  for (const std::uint32_t index : context.nesting().order) {
    const Kind kind = kinds[context.slice(index).label];
    const std::uint32_t parent = context.parent(index);
    compiles[index] = kind == Kind::kCompiling || (parent != kNoSlice && compiles[parent]);
    executing[index] = kind == Kind::kExecuting && !compiles[index];
  }
  return executing;
}

FrameworkOperators framework_operators(const TraceContext& context,
                                       const std::vector<std::uint32_t>& device_operators,
                                       const std::vector<bool>& executing) {
  const trace::Trace& trace = context.trace();
  if (!context.device().empty()) {
    FrameworkOperators made = has_operators(trace, true)
                                  ? operators_of_xla(trace, true)
                                  : operators_of_kernels(context, device_operators);
    made.device_count = std::max<std::int64_t>(1, std::ssize(context.devices()));
    return made;
  }
  FrameworkOperators made;
  if (!context.unknowns().device.empty()) {
    made.unknown = context.unknowns().device;
    return made;
  }
  return has_operators(trace, false) ? operators_of_xla(trace, false)
                                     : operators_of_host(context, executing);
}

}  // namespace benchhud::analysis
