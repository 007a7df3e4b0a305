#include "analysis/trace/xla_tables.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/trace/time_totals.h"

namespace benchhud::analysis {

using trace::saturated_sum;
using trace::XlaCost;
using trace::XlaOperator;
using trace::XlaPeaks;
using trace::XlaProfile;

namespace {

constexpr std::array<std::string_view, trace::kXlaMemories> kMemoryNames = {
    "hbm", "cmem_read", "cmem_write", "vmem_read", "vmem_write"};
constexpr double kPsPerSecond = 1e12;

std::optional<std::int64_t> if_of_all(std::int64_t sum, std::int64_t stated,
                                      const XlaTableRow& row) {
  const bool is_of_all = stated > 0 && stated == row.costed && row.without_occurrences == 0;
  return is_of_all ? std::optional(sum) : std::nullopt;
}

std::optional<double> per_second(std::optional<std::int64_t> amount, std::int64_t time_ps) {
  if (!amount || time_ps <= 0) return std::nullopt;
  return static_cast<double>(*amount) * kPsPerSecond / static_cast<double>(time_ps);
}

// Clocks above the nominal one make a little more than the peak.
constexpr double kMostUtilization = 1.05;

// Whether the device cannot do so much in that time, whatever memories the bytes are in.
bool is_beyond(const XlaPeaks& peaks, const XlaCost& cost, std::int64_t time_ps) {
  if (time_ps <= 0) return false;
  double bandwidth = 0;
  for (const double peak : peaks.bytes_per_s) bandwidth += peak;
  const auto exceeds = [&](std::int64_t amount, double peak) {
    return peak > 0 && *per_second(amount, time_ps) > kMostUtilization * peak;
  };
  return exceeds(cost.flops, peaks.flops_per_s) || exceeds(cost.bytes, bandwidth);
}

// What the rows of one group have in common.
using GroupKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // device, text, program

GroupKey group_of(const XlaOperator& op, XlaGrouping grouping) {
  switch (grouping) {
    case XlaGrouping::kCategory:
      return {op.device, op.category, 0};
    case XlaGrouping::kFrameworkOp:
      return {op.device, op.framework_op, 0};
    default:
      return {op.device, op.module, op.program.value_or(0)};
  }
}

void add_operator(const XlaOperator& op, XlaTableRow* row) {
  XlaOperator& sums = row->sums;
  ++row->operators;
  // Of kernels that belong to no operator it is not known how often what launched them was called.
  row->without_occurrences += op.occurrences == 0 && op.kernels > 0;
  sums.occurrences = saturated_sum(sums.occurrences, op.occurrences);
  sums.kernels = saturated_sum(sums.kernels, op.kernels);
  sums.time_ps = saturated_sum(sums.time_ps, op.time_ps);
  sums.self_ps = saturated_sum(sums.self_ps, op.self_ps);
  if (op.self_ps < op.time_ps) return;
  row->costed = saturated_sum(row->costed, op.occurrences);
  sums.cost.add(op.cost);
}

std::vector<XlaTableRow> rows_of_operators(const XlaProfile& profile,
                                           std::optional<std::uint32_t> device) {
  std::vector<XlaTableRow> rows;
  for (const XlaOperator& op : profile.operators) {
    if (device && op.device != *device) continue;
    XlaTableRow& row = rows.emplace_back();
    row.sums = op;
    row.operators = 1;
    row.costed = op.occurrences;
    row.without_occurrences = op.occurrences == 0 && op.kernels > 0;
  }
  return rows;
}

std::vector<XlaTableRow> rows_of_groups(const XlaProfile& profile, XlaGrouping grouping,
                                        std::optional<std::uint32_t> device) {
  std::map<GroupKey, XlaTableRow> groups;
  const auto row_of = [&](const XlaOperator& op) -> XlaTableRow& {
    const auto [found, is_new] = groups.try_emplace(group_of(op, grouping));
    XlaOperator& sums = found->second.sums;
    if (is_new) {
      sums.device = op.device;
      if (grouping == XlaGrouping::kCategory) sums.category = op.category;
      if (grouping == XlaGrouping::kFrameworkOp) sums.framework_op = op.framework_op;
      if (grouping == XlaGrouping::kModule) {
        sums.module = op.module;
        sums.program = op.program;
      }
    }
    return found->second;
  };
  for (const XlaOperator& op : profile.operators) {
    if (!device || op.device == *device) add_operator(op, &row_of(op));
  }
  if (grouping == XlaGrouping::kModule) {
    for (const trace::XlaModule& module : profile.modules) {
      if (device && module.device != *device) continue;
      XlaOperator of_module;
      of_module.device = module.device;
      of_module.module = module.name;
      of_module.program = module.program;
      XlaTableRow& row = row_of(of_module);
      row.runs = saturated_sum(row.runs.value_or(0), module.runs);
      row.run_ps = saturated_sum(row.run_ps.value_or(0), module.total_ps);
    }
  }
  std::vector<XlaTableRow> rows;
  rows.reserve(groups.size());
  for (auto& [key, row] : groups) rows.push_back(row);
  return rows;
}

}  // namespace

std::optional<XlaBound> xla_bound(const XlaPeaks& peaks, const XlaCost& cost,
                                  std::int64_t executions, std::int64_t time_ps) {
  constexpr std::size_t kMain = static_cast<std::size_t>(trace::XlaMemory::kHbm);
  const bool knows_cost =
      executions > 0 && cost.flops_stated == executions && cost.bytes_stated == executions;
  const bool knows_peaks = peaks.flops_per_s > 0 && peaks.bytes_per_s[kMain] > 0;
  if (!knows_cost || !knows_peaks || time_ps <= 0) return std::nullopt;
  XlaBound bound;
  const auto consider = [&](std::string_view resource, std::int64_t amount, double peak) {
    if (peak <= 0) return;
    const double used = *per_second(amount, time_ps) / peak;
    if (used > bound.utilization) bound = {resource, used};
  };
  consider("compute", cost.flops, peaks.flops_per_s);
  for (std::size_t i = 0; i < kMemoryNames.size(); ++i) {
    consider(kMemoryNames[i], cost.memory[i], peaks.bytes_per_s[i]);
  }
  if (bound.resource.empty() || bound.utilization > kMostUtilization) return std::nullopt;
  return bound;
}

std::optional<std::int64_t> XlaTableRow::flops() const {
  return if_of_all(sums.cost.flops, sums.cost.flops_stated, *this);
}
std::optional<std::int64_t> XlaTableRow::bytes() const {
  return if_of_all(sums.cost.bytes, sums.cost.bytes_stated, *this);
}
std::optional<double> XlaTableRow::flops_per_s() const {
  return is_beyond_peaks ? std::nullopt : per_second(flops(), time());
}
std::optional<double> XlaTableRow::bytes_per_s() const {
  return is_beyond_peaks ? std::nullopt : per_second(bytes(), time());
}
std::optional<double> XlaTableRow::intensity() const {
  const auto computed = flops(), moved = bytes();
  if (!computed || !moved || *moved == 0) return std::nullopt;
  return static_cast<double>(*computed) / static_cast<double>(*moved);
}

std::vector<std::int64_t> xla_self_times(const XlaProfile& profile) {
  std::vector<std::int64_t> times;
  times.reserve(profile.devices.size());
  for (const trace::XlaDevice& device : profile.devices) times.push_back(device.left_out_ps);
  for (const XlaOperator& op : profile.operators) {
    times[op.device] = saturated_sum(times[op.device], op.self_ps);
  }
  return times;
}

std::vector<XlaTableRow> xla_table(const XlaProfile& profile, XlaGrouping grouping,
                                   std::optional<std::uint32_t> device) {
  std::vector<XlaTableRow> rows = grouping == XlaGrouping::kOperator
                                      ? rows_of_operators(profile, device)
                                      : rows_of_groups(profile, grouping, device);
  const std::vector<std::int64_t> self_times = xla_self_times(profile);
  for (XlaTableRow& row : rows) {
    const trace::XlaDevice& of = profile.devices[row.sums.device];
    row.share_of_span = share_of(row.sums.self_ps, of.span_ps);
    row.share_of_self = share_of(row.sums.self_ps, self_times[row.sums.device]);
    row.is_beyond_peaks = is_beyond(of.peaks, row.sums.cost, row.time());
    if (row.without_occurrences == 0 && !row.is_beyond_peaks) {
      row.bound = xla_bound(of.peaks, row.sums.cost, row.costed, row.time());
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const XlaTableRow& a, const XlaTableRow& b) {
    return a.sums.self_ps > b.sums.self_ps;
  });
  return rows;
}

std::vector<trace::XlaKernel> xla_kernels(const XlaProfile& profile,
                                          std::optional<std::uint32_t> device) {
  std::vector<trace::XlaKernel> kernels;
  for (const trace::XlaKernel& kernel : profile.kernels) {
    if (!device || kernel.device == *device) kernels.push_back(kernel);
  }
  std::stable_sort(
      kernels.begin(), kernels.end(),
      [](const trace::XlaKernel& a, const trace::XlaKernel& b) { return a.total_ps > b.total_ps; });
  return kernels;
}

std::string_view name_of(trace::XlaDevice::Kind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"tpu", "gpu", "cpu"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace benchhud::analysis
