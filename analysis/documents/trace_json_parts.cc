#include "analysis/documents/trace_json_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/trace/truncate_rows.h"
#include "schema/base/text_excerpt.h"
#include "trace/short_name.h"

namespace benchhud::analysis::trace_json {

using Kind = analysis::DeviceSlice::Kind;
using nlohmann::ordered_json;

ordered_json unknowns(const analysis::TraceUnknowns& unknowns) {
  const auto reason = [](const std::string& text) {
    return text.empty() ? ordered_json() : ordered_json(trace::short_name(text));
  };
  return {{"device", reason(unknowns.device)}, {"launches", reason(unknowns.launches)}};
}

ordered_json device(const analysis::DeviceActivity& activity) {
  const std::string& unknown = activity.unknowns.device;
  return {{"kernels", unless(unknown, activity.kernels)},
          {"busy_ns", unless(unknown, activity.busy)},
          {"span_ns", unless(unknown, activity.span)},
          {"utilization", or_null(activity.utilization)},
          {"utilization_of_steps", or_null(activity.utilization_of_steps)},
          {"devices", unless(unknown, activity.devices)},
          {"least_busy_ns", unless(unknown, activity.least_busy)},
          {"most_busy_ns", unless(unknown, activity.most_busy)}};
}

ordered_json kernel_classes(const analysis::DeviceActivity& activity) {
  if (!activity.unknowns.device.empty()) return nullptr;
  ordered_json json;
  for (std::size_t i = 0; i < analysis::kKernelClasses; ++i) {
    const auto kind = static_cast<Kind>(i);
    const auto found = activity.kinds.find(kind);
    json[std::string(name_of(kind))] = found == activity.kinds.end() ? 0 : found->second;
  }
  // What tells such a kernel is the call that launched it.
  if (!activity.unknowns.launches.empty()) json[std::string(name_of(Kind::kUserTriton))] = nullptr;
  return json;
}

ordered_json quantiles(const std::optional<analysis::Quantiles>& quantiles) {
  if (!quantiles) return nullptr;
  return {{"p50", quantiles->p50}, {"p90", quantiles->p90}, {"max", quantiles->most}};
}

ordered_json idle(const analysis::DeviceActivity& activity) {
  const std::string& unknown = activity.unknowns.launches;
  return {{"host_wait", unless(unknown, activity.host_wait)},
          {"kernel_wait", unless(unknown, activity.kernel_wait)},
          {"other", unless(unknown, activity.other_wait)},
          {"unknown", unless(activity.unknowns.device, activity.unknown_wait)}};
}

void add_memory(ordered_json* json, const trace::MemoryByDevice& memory) {
  ordered_json rows = ordered_json::array();
  for (const trace::DeviceMemory& one : memory.devices) {
    rows.push_back({{"allocator", name_of_device(one)},
                    {"allocations", one.allocations},
                    {"deallocations", one.deallocations},
                    {"peak_bytes", or_null(one.peak_allocated)},
                    {"peak_ns", or_null(one.peak_time)},
                    {"peak_reserved_bytes", or_null(one.peak_reserved)}});
  }
  (*json)["memory"] = memory.is_empty() ? ordered_json() : std::move(rows);
  (*json)["memory_events_left_out"] = memory.events_left_out;
}

void add_problems(ordered_json* json, const trace::Trace& trace) {
  ordered_json problems = ordered_json::array();
  for (const trace::TraceProblem& problem : trace.problems) {
    problems.push_back({{"offset", problem.offset}, {"reason", problem.reason}});
  }
  (*json)["unclosed"] = trace.unclosed;
  (*json)["broken"] = trace.broken;
  (*json)["problem_count"] = trace.problem_count;
  (*json)["problems"] = std::move(problems);
}

NamedCounts named_counts(const std::map<std::string, std::int64_t>& counts, std::size_t most) {
  std::vector<std::pair<std::string_view, std::int64_t>> names(counts.begin(), counts.end());
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  NamedCounts found{ordered_json::object(), analysis::truncate_rows(&names, most)};
  for (const auto& [name, count] : names) {
    // Names that differ behind their first thousand bytes are one here.
    ordered_json& sum = found.by_name[trace::short_name(name)];
    sum = sum.is_null() ? count : sum.get<std::int64_t>() + count;
  }
  return found;
}

}  // namespace benchhud::analysis::trace_json
