#include "analysis/profiles/profile_sections.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analysis/trace/compiled_regions.h"
#include "analysis/trace/device_activity.h"
#include "analysis/trace/trace_context.h"
#include "trace/trace_nesting.h"

namespace benchhud::analysis {

namespace {

ProfileItem count_of(std::string name, double count) { return {std::move(name), count, count}; }

// Compilation begins in one of these, by PyTorch's version: of a frame, or of its backward graph.
// They contain all other functions but those that run in other processes.
bool is_outermost(std::string_view function) {
  return function == "_compile.compile_inner" || function == "_compile.<locals>.compile_inner" ||
         function == "_compile" || function == "backward._backward_impl";
}

// "IrToHlo.129" is "IrToHlo": the number is the last instruction's.
std::string stable_name(const std::string& module) {
  const std::size_t end = module.find_last_not_of("0123456789");
  const bool has_number = end != module.npos && end + 1 < module.size() && module[end] == '.';
  const std::string name = has_number ? module.substr(0, end) : module;
  return name.empty() ? "(no name)" : name;
}

// "dot(f32[2,3], f32[3,4]) → f32[2,4], lhs_contracting_dims={1}, …"
std::string shapes_of(const schema::IrContraction& contraction) {
  std::string text = contraction.op + "(";
  for (const std::string& operand : contraction.operands) {
    if (!text.ends_with('(')) text += ", ";
    text += operand;
  }
  text += ") → " + contraction.result;
  if (!contraction.dimensions.empty()) text += ", " + contraction.dimensions;
  return text;
}

std::vector<ProfileSection> sections_of_trace(const trace::Trace& trace,
                                              const trace::TraceNesting& nesting,
                                              const CompiledRegions& regions,
                                              const DeviceActivity& activity, std::size_t most) {
  const CompiledFunctions functions = compiled_functions(trace);
  // Breaks are regions, and regions are counted by frame once more.
  ProfileSection counts{"counts", ProfileUnit::kCount, {}, {}, true};
  const auto add = [&](std::string name, std::int64_t count) {
    if (count != 0) counts.items.push_back(count_of(std::move(name), static_cast<double>(count)));
  };
  add("graph breaks", regions.graph_breaks);
  add("graph breaks, distinct frames", regions.graph_breaks_distinct.value_or(0));
  add("recompilations", regions.recompiles.value_or(0));
  add("compiled regions", regions.count);
  for (const auto& [frame, count] : regions.by_frame) add("compiled region " + frame, count);
  add("compiled functions, forward", functions.forward);
  add("compiled functions, backward", functions.backward);
  for (const auto& [name, count] : activity.launches) add("launches by " + name, count);
  SelfTimes times = self_times(trace, nesting, most);
  // Where a device's slices may be among them, it is not the host's alone.
  const char* const host =
      activity.unknowns.device.empty() ? "self time on the host" : "self time of all slices";
  // Not in braces, which would copy them.
  std::vector<ProfileSection> sections;
  sections.push_back(std::move(counts));
  sections.push_back({host, ProfileUnit::kNs, std::move(times.host), {}, false, times.host_rest});
  sections.push_back({"self time on the device",
                      ProfileUnit::kNs,
                      std::move(times.device),
                      {},
                      false,
                      times.device_rest});
  return sections;
}

// The profiler prints with up to three decimals.
constexpr double kRounding = 1e-3;

/// A table's rows as far as a device's self time goes. The profiler lists what ran on a device
/// (kernels, copies, and the device's side of annotations) in rows of its own, without any time on
/// the CPU, and adds their time to the row of the operator that launched them as well.
class DeviceRows {
 public:
  /// `column`: the device's self time. `total`: the stated one of that column.
  DeviceRows(const schema::OperatorTable& table, std::size_t column, std::optional<double> total)
      : table_(table), column_(column), is_item_(table.rows.size()) {
    const auto cpu = table.column("CPU total"), self_cpu = table.column("Self CPU");
    const auto time_of = [&](std::size_t row, const std::optional<std::size_t>& of) {
      return of ? table.rows[row][*of].value.value_or(0) : 0;
    };
    double sum = 0;
    bool has_device_row = false;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const bool is_on_device = (cpu || self_cpu) && time_of(row, cpu) == 0 &&
                                time_of(row, self_cpu) == 0 && amount(row) > 0;
      is_item_[row] = is_on_device;
      if (is_on_device) sum += amount(row);
      has_device_row = has_device_row || is_on_device;
    }
    if (!has_device_row) {
      is_item_.assign(is_item_.size(), true);
    } else if (total) {
      leave_annotations_out(*total, sum);
    }
  }

  /// Whether the row is a part of the whole: each nanosecond is in one row.
  bool is_item(std::size_t row) const { return is_item_[row]; }
  /// Parts still contain each other.
  bool overlaps() const { return overlaps_; }

 private:
  double amount(std::size_t row) const { return table_.rows[row][column_].value.value_or(0); }

  // The device's side of an annotation contains kernels; the total does not count it. It is called
  // as the annotation on the CPU is, as a kernel may be, too: the longest go first, while there is
  // more than the total.
  void leave_annotations_out(double total, double sum) {
    const auto name = table_.column("Name");
    if (!name) return;
    std::set<std::string_view> on_host;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      if (!is_item_[row]) on_host.insert(table_.rows[row][*name].text);
    }
    std::vector<std::size_t> annotations;
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      if (is_item_[row] && on_host.contains(table_.rows[row][*name].text)) {
        annotations.push_back(row);
      }
    }
    std::stable_sort(annotations.begin(), annotations.end(),
                     [&](std::size_t a, std::size_t b) { return amount(a) > amount(b); });
    const double most = total * (1 + kRounding);
    for (const std::size_t row : annotations) {
      if (sum <= most) break;
      is_item_[row] = false;
      sum -= amount(row);
    }
    overlaps_ = sum > most;
  }

  const schema::OperatorTable& table_;
  const std::size_t column_;
  std::vector<bool> is_item_;  // by row
  bool overlaps_ = false;
};

}  // namespace

std::string_view unit_name(ProfileUnit unit) {
  switch (unit) {
    case ProfileUnit::kCount:
      return "count";
    case ProfileUnit::kNs:
      return "ns";
    case ProfileUnit::kBytes:
      return "bytes";
  }
  return "";
}

std::vector<ProfileSection> profile_sections(const std::vector<schema::OperatorTable>& tables) {
  std::vector<ProfileSection> sections;
  const double share = 1.0 / static_cast<double>(tables.size());
  for (const schema::OperatorTable& table : tables) {
    const auto name = table.column("Name"), calls = table.column("# of Calls");
    if (!name) continue;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const std::string& header = table.columns[column].name;
      // "Self CPU", and what the table calls the device's self time ("Self CUDA").
      if (table.columns[column].kind != schema::OperatorColumn::Kind::kTime ||
          !header.starts_with("Self ")) {
        continue;
      }
      const std::string of = "self " + header.substr(5) + " time";
      auto section = std::find_if(sections.begin(), sections.end(),
                                  [&](const ProfileSection& known) { return known.of == of; });
      if (section == sections.end()) {
        sections.push_back({of, ProfileUnit::kNs, {}, {}});
        section = sections.end() - 1;
      }
      std::optional<double> total;
      for (const auto& [what, ns] : table.totals) {
        if (what == header + " time total") total = total.value_or(0) + ns;
      }
      if (total) section->total = section->total.value_or(0) + *total * share;
      std::optional<DeviceRows> device;
      if (header != "Self CPU") device.emplace(table, column, total);
      section->overlaps = section->overlaps || (device && device->overlaps());
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (device && !device->is_item(row)) continue;
        const auto& cells = table.rows[row];
        section->items.push_back({cells[*name].text, cells[column].value.value_or(0) * share,
                                  calls ? cells[*calls].value.value_or(0) * share : 0});
      }
    }
  }
  return sections;
}

std::vector<ProfileSection> profile_sections(const schema::MetricsReport& report) {
  using ValueKind = schema::MetricValue::Kind;
  ProfileSection times{"time of metrics", ProfileUnit::kNs, {}, {}, true};
  ProfileSection sizes{"size of metrics", ProfileUnit::kBytes, {}, {}, true};
  ProfileSection others{"other metrics", ProfileUnit::kCount, {}, {}, true};
  ProfileSection counters{"counters", ProfileUnit::kCount, {}, {}, true};
  for (const schema::XlaMetric& metric : report.metrics) {
    if (!metric.accumulator) continue;
    const ValueKind kind = metric.accumulator->kind;
    ProfileSection& section = kind == ValueKind::kTime    ? times
                              : kind == ValueKind::kBytes ? sizes
                                                          : others;
    section.items.push_back(
        {metric.name, metric.accumulator->value, static_cast<double>(metric.total_samples)});
  }
  for (const auto& [name, count] : report.counters) {
    counters.items.push_back(count_of(name, static_cast<double>(count)));
  }
  return {std::move(times), std::move(sizes), std::move(others), std::move(counters)};
}

std::vector<ProfileSection> profile_sections(const schema::DynamoCounters& counters) {
  // "frames: total" contains "frames: ok".
  ProfileSection section{"counters", ProfileUnit::kCount, {}, {}, true};
  for (const schema::DynamoCounters::Group& group : counters.groups) {
    for (const auto& [name, count] : group.counters) {
      section.items.push_back(count_of(group.name + ": " + name, static_cast<double>(count)));
    }
  }
  return {std::move(section)};
}

std::vector<ProfileSection> profile_sections(const trace::Trace& trace) {
  const trace::TraceNesting nesting = trace::nest(trace);
  return sections_of_trace(trace, nesting, compiled_regions(trace, nesting),
                           device_activity(TraceContext(trace, nesting)),
                           std::numeric_limits<std::size_t>::max());
}

std::vector<ProfileSection> profile_sections(const trace::Trace& trace,
                                             const trace::TraceNesting& nesting,
                                             const TraceReport& report, std::size_t most) {
  return sections_of_trace(trace, nesting, report.regions, report.activity, most);
}

std::vector<ProfileSection> profile_sections(const schema::CompileTimes& times) {
  ProfileSection section{"time by function", ProfileUnit::kNs, {}, {}, true};
  double longest = 0;
  for (const schema::CompileTimes::Function& function : times.functions) {
    const double ns = function.total() * 1e9;
    section.items.push_back({function.name, ns, static_cast<double>(function.seconds.size())});
    longest = std::max(longest, ns);
    if (is_outermost(function.name)) section.total = section.total.value_or(0) + ns;
  }
  if (!section.total) section.total = longest;
  return {std::move(section)};
}

std::vector<ProfileSection> profile_sections(const std::vector<schema::IrModule>& modules) {
  ProfileSection counts{"counts", ProfileUnit::kCount, {}, {}, true};  // of unlike things
  ProfileSection names{"modules", ProfileUnit::kCount, {}, {}};
  ProfileSection operations{"operations", ProfileUnit::kCount, {}, {}};
  ProfileSection fusions{"fusions", ProfileUnit::kCount, {}, {}};
  ProfileSection contractions{"convolutions and dots", ProfileUnit::kCount, {}, {}};
  ProfileSection calls{"custom calls", ProfileUnit::kCount, {}, {}};
  ProfileSection parameters{"size of parameters", ProfileUnit::kBytes, {}, {}};
  const auto add = [](const schema::IrHistogram& histogram, ProfileSection* section) {
    for (const auto& [name, count] : histogram) {
      section->items.push_back(count_of(name, static_cast<double>(count)));
    }
  };
  std::int64_t computations = 0, instructions = 0, unfinished = 0;
  for (const schema::IrModule& module : modules) {
    const std::string name = stable_name(module.name);
    names.items.push_back(count_of(name, 1));
    computations += module.computation_count;
    instructions += module.instruction_count;
    unfinished += module.is_unfinished ? 1 : 0;
    add(module.ops, &operations);
    add(module.fusion_kinds, &fusions);
    add(module.custom_calls, &calls);
    for (const schema::IrContraction& contraction : module.contractions) {
      contractions.items.push_back(
          count_of(shapes_of(contraction), static_cast<double>(contraction.count)));
    }
    if (module.parameter_bytes) {
      parameters.items.push_back({name, static_cast<double>(*module.parameter_bytes),
                                  static_cast<double>(module.parameters.size())});
    }
  }
  add({{"modules", static_cast<std::int64_t>(modules.size())},
       {"computations", computations},
       {"instructions", instructions},
       {"unfinished modules", unfinished}},
      &counts);
  return {std::move(counts),       std::move(names), std::move(operations), std::move(fusions),
          std::move(contractions), std::move(calls), std::move(parameters)};
}

void add_sections(std::vector<ProfileSection> more, std::vector<ProfileSection>* sum) {
  for (ProfileSection& section : more) {
    const auto same = std::find_if(sum->begin(), sum->end(), [&](const ProfileSection& known) {
      return known.of == section.of;
    });
    if (same == sum->end()) {
      sum->push_back(std::move(section));
      continue;
    }
    if (section.total) same->total = same->total.value_or(0) + *section.total;
    std::map<std::string, std::size_t, std::less<>> places;
    for (std::size_t i = 0; i < same->items.size(); ++i) places.emplace(same->items[i].name, i);
    for (ProfileItem& item : section.items) {
      const auto [place, is_new] = places.try_emplace(item.name, same->items.size());
      if (is_new) {
        same->items.push_back(std::move(item));
      } else {
        same->items[place->second].amount += item.amount;
        same->items[place->second].calls += item.calls;
      }
    }
  }
}

namespace {

// Without those of which the other side does not say how much there is.
std::vector<ProfileItem> known_items(const ProfileSection& section, const ProfileSection& other) {
  std::vector<ProfileItem> items = section.items;
  std::erase_if(items, [&](const ProfileItem& item) {
    return std::find(other.unknown.begin(), other.unknown.end(), item.name) != other.unknown.end();
  });
  return items;
}

}  // namespace

std::vector<SectionDifference> compare_sections(const std::vector<ProfileSection>& before,
                                                const std::vector<ProfileSection>& after) {
  const ProfileSection nothing;
  std::vector<std::pair<const ProfileSection*, const ProfileSection*>> pairs;
  for (const ProfileSection& section : before) pairs.emplace_back(&section, &nothing);
  for (const ProfileSection& section : after) {
    const auto same = std::find_if(pairs.begin(), pairs.end(),
                                   [&](const auto& pair) { return pair.first->of == section.of; });
    if (same != pairs.end()) {
      same->second = &section;
    } else {
      pairs.emplace_back(&nothing, &section);
    }
  }
  std::vector<SectionDifference> differences;
  for (const auto& [was, is] : pairs) {
    if (was->items.empty() && is->items.empty()) continue;
    const ProfileSection& named = was == &nothing ? *is : *was;
    // A total of one side alone could not be compared with the other's sum, but where sums mean
    // nothing.
    const bool overlaps = was->overlaps || is->overlaps;
    const auto says_total = [&](const ProfileSection* one) {
      return one == &nothing || one->total.has_value();
    };
    const bool has_total = !overlaps || (says_total(was) && says_total(is));
    const bool has_totals = (was->total && is->total) || overlaps;
    const bool is_one_sided = was->items.empty() != is->items.empty();
    const auto total = [&](const ProfileSection& section) {
      if (!has_totals) return std::optional<double>();
      return std::optional(has_total ? section.total.value_or(0) : 0);
    };
    SectionDifference& difference = differences.emplace_back(SectionDifference{
        named.of, named.unit, has_total, is_one_sided,
        diff_profiles(known_items(*was, *is), known_items(*is, *was), total(*was), total(*is))});
    if (overlaps) difference.difference.unexplained = 0;
  }
  return differences;
}

}  // namespace benchhud::analysis
