#include "analysis/documents/xla_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/documents/trace_json_parts.h"
#include "analysis/trace/truncate_rows.h"
#include "analysis/trace/xla_tables.h"
#include "trace/short_name.h"

namespace benchhud::analysis {

using nlohmann::ordered_json;
using trace::short_name;
using trace::Trace;
using trace::XlaProfile;
using trace_json::or_null;

namespace {

// Devices with tables; of the others there are the sums.
constexpr std::size_t kMostTables = 16;

class XlaWriter {
 public:
  explicit XlaWriter(const Trace& trace) : trace_(trace), profile_(*trace.xla) {}

  ordered_json devices() const {
    const std::vector<std::int64_t> self_times = xla_self_times(profile_);
    ordered_json json = ordered_json::array();
    for (std::uint32_t i = 0; i < profile_.devices.size() && i < kMostReportRows; ++i) {
      const trace::XlaDevice& device = profile_.devices[i];
      ordered_json row = {{"name", short_name(device.name)},
                          {"kind", name_of(device.kind)},
                          {"span_ps", device.span_ps},
                          {"busy_ps", device.busy_ps},
                          {"idle_ps", std::max<std::int64_t>(device.span_ps - device.busy_ps, 0)},
                          {"self_ps", self_times[i]},
                          {"peaks", peaks(device.peaks)},
                          {"events_left_out", device.left_out},
                          {"events_left_out_ps", device.left_out_ps}};
      if (i < kMostTables) add_tables(i, &row);
      json.push_back(std::move(row));
    }
    return json;
  }

  ordered_json memory() const {
    ordered_json json = ordered_json::array();
    for (std::size_t i = 0; i < profile_.allocators.size() && i < kMostReportRows; ++i) {
      const trace::XlaAllocator& one = profile_.allocators[i];
      json.push_back({{"allocator", text(one.name)},
                      {"allocations", one.allocations},
                      {"deallocations", one.deallocations},
                      {"peak_bytes", or_null(one.peak_bytes)},
                      {"peak_ns", or_null(one.peak_time)},
                      {"lifetime_peak_bytes", or_null(one.lifetime_peak_bytes)},
                      {"capacity_bytes", or_null(one.capacity_bytes)}});
    }
    return json;
  }

 private:
  ordered_json text(std::uint32_t number) const {
    return number == 0 ? ordered_json() : ordered_json(short_name(trace_.texts[number]));
  }
  static ordered_json program(const std::optional<std::uint64_t>& number) {
    // Beyond what readers of JSON hold exactly.
    return number ? ordered_json(fmt::to_string(*number)) : ordered_json();
  }
  static ordered_json peak(double value) {
    return value > 0 ? ordered_json(value) : ordered_json();
  }

  static ordered_json peaks(const trace::XlaPeaks& peaks) {
    constexpr std::array<std::string_view, trace::kXlaMemories> kNames = {
        "hbm_bytes_per_s", "cmem_read_bytes_per_s", "cmem_write_bytes_per_s",
        "vmem_read_bytes_per_s", "vmem_write_bytes_per_s"};
    ordered_json json = {{"flops_per_s", peak(peaks.flops_per_s)}};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      json[std::string(kNames[i])] = peak(peaks.bytes_per_s[i]);
    }
    return json;
  }

  // What rows of all tables have.
  static void add_sums(const XlaTableRow& row, ordered_json* json) {
    const bool knows_occurrences = row.without_occurrences == 0;
    json->update(
        {{"occurrences", knows_occurrences ? ordered_json(row.sums.occurrences) : ordered_json()},
         {"kernels", row.sums.kernels},
         {"self_ps", row.sums.self_ps},
         {"share_of_span", row.share_of_span},
         {"share_of_self", row.share_of_self},
         {"flops", or_null(row.flops())},
         {"bytes", or_null(row.bytes())},
         {"flops_per_s", or_null(row.flops_per_s())},
         {"bytes_per_s", or_null(row.bytes_per_s())},
         {"flops_per_byte", or_null(row.intensity())},
         {"bound_by", row.bound ? ordered_json(row.bound->resource) : ordered_json()},
         {"utilization", row.bound ? ordered_json(row.bound->utilization) : ordered_json()}});
  }

  template <class AddName>
  void add_table(std::uint32_t device, XlaGrouping grouping, std::string_view key,
                 ordered_json* json, AddName add_name) const {
    std::vector<XlaTableRow> rows = xla_table(profile_, grouping, device);
    const std::int64_t left_out = truncate_rows(&rows, kMostReportRows);
    ordered_json list = ordered_json::array();
    for (const XlaTableRow& row : rows) {
      ordered_json one = ordered_json::object();
      add_name(row, &one);
      add_sums(row, &one);
      list.push_back(std::move(one));
    }
    (*json)[std::string(key)] = std::move(list);
    (*json)[std::string(key) + "_left_out"] = left_out;
  }

  void add_tables(std::uint32_t device, ordered_json* json) const {
    add_table(device, XlaGrouping::kOperator, "operators", json,
              [&](const XlaTableRow& row, ordered_json* one) {
                const trace::XlaOperator& op = row.sums;
                *one = {{"name", text(op.name)},
                        {"category", text(op.category)},
                        {"framework_op", text(op.framework_op)},
                        {"module", text(op.module)},
                        {"program", program(op.program)},
                        {"source", text(op.source)},
                        {"time_ps", op.time_ps}};
              });
    add_table(device, XlaGrouping::kCategory, "categories", json,
              [&](const XlaTableRow& row, ordered_json* one) {
                *one = {{"category", text(row.sums.category)}, {"operators", row.operators}};
              });
    add_table(device, XlaGrouping::kFrameworkOp, "framework_ops", json,
              [&](const XlaTableRow& row, ordered_json* one) {
                *one = {{"framework_op", text(row.sums.framework_op)},
                        {"operators", row.operators}};
              });
    add_table(device, XlaGrouping::kModule, "modules", json,
              [&](const XlaTableRow& row, ordered_json* one) {
                *one = {{"module", text(row.sums.module)},
                        {"program", program(row.sums.program)},
                        {"operators", row.operators},
                        {"runs", or_null(row.runs)},
                        {"run_ps", or_null(row.run_ps)}};
              });
    std::vector<trace::XlaKernel> kernels = xla_kernels(profile_, device);
    const std::int64_t left_out = truncate_rows(&kernels, kMostReportRows);
    ordered_json list = ordered_json::array();
    for (const trace::XlaKernel& kernel : kernels) {
      list.push_back({{"name", text(kernel.name)},
                      {"operator", text(kernel.op)},
                      {"module", text(kernel.module)},
                      {"grid", text(kernel.grid)},
                      {"block", text(kernel.block)},
                      {"registers", or_null(kernel.registers)},
                      {"static_shared_bytes", or_null(kernel.static_shared)},
                      {"dynamic_shared_bytes", or_null(kernel.dynamic_shared)},
                      {"occupancy_pct", or_null(kernel.occupancy_pct)},
                      {"count", kernel.count},
                      {"total_ps", kernel.total_ps},
                      {"min_ps", kernel.min_ps},
                      {"max_ps", kernel.max_ps}});
    }
    (*json)["kernels"] = std::move(list);
    (*json)["kernels_left_out"] = left_out;
  }

  const Trace& trace_;
  const XlaProfile& profile_;
};

ordered_json iterations_json(const XlaIterations& found) {
  const TimeTotals& length = found.length;
  const auto if_any = [&](std::int64_t ns) {
    return length.count > 0 ? ordered_json(ns) : ordered_json();
  };
  ordered_json list = ordered_json::array();
  for (const XlaIteration& one : found.iterations) {
    list.push_back({{"start_ns", one.begin},
                    {"duration_ns", one.duration},
                    {"device_busy_ns", or_null(one.busy)}});
  }
  return {{"found_by", name_of(found.found_by)},
          {"name", found.name.empty() ? ordered_json() : ordered_json(short_name(found.name))},
          {"where", found.where.empty() ? ordered_json() : ordered_json(short_name(found.where))},
          {"marks", found.marks},
          {"count", length.count},
          {"total_ns", length.total},
          {"mean_ns", length.count > 0 ? ordered_json(length.mean()) : ordered_json()},
          {"min_ns", if_any(length.least)},
          {"max_ns", if_any(length.most)},
          {"device_busy_ns", or_null(found.busy)},
          {"iterations", std::move(list)},
          {"iterations_left_out", found.left_out}};
}

}  // namespace

ordered_json xla_json(const Trace& trace, const TraceReport& report) {
  if (!trace.xla) return nullptr;
  const XlaProfile& profile = *trace.xla;
  const XlaWriter writer(trace);
  const auto beyond = [](std::size_t count, std::int64_t left_out) {
    const auto shown = static_cast<std::int64_t>(std::min(count, kMostReportRows));
    return static_cast<std::int64_t>(count) - shown + left_out;
  };
  return {{"devices", writer.devices()},
          {"devices_left_out", beyond(profile.devices.size(), profile.devices_left_out)},
          {"iterations", iterations_json(report.xla_iterations)},
          {"memory", writer.memory()},
          {"memory_left_out", beyond(profile.allocators.size(), profile.allocators_left_out)},
          {"compiling",
           {{"count", report.xla_compiling.count}, {"total_ns", report.xla_compiling.total}}},
          {"module_runs",
           {{"linked", profile.linked_runs},
            {"without_launch", profile.runs_without_launch},
            {"launches_without_run", profile.launches_without_run}}},
          {"left_out",
           {{"kernels", profile.kernels_left_out},
            {"module_runs", sum_of(profile.modules_left_out, profile.runs_left_out)},
            {"steps", profile.steps_left_out}}},
          {"dropped_events", profile.dropped_events}};
}

}  // namespace benchhud::analysis
