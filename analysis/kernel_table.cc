#include "analysis/kernel_table.h"

#include <algorithm>
#include <unordered_map>

namespace benchhud::analysis {

using schema::kNoSlice;
using schema::TraceArgs;
using schema::TraceSlice;

namespace {

// Sorts by time, gives shares, and keeps the first `most`.
template <class Row>
void finish(std::int64_t all, std::size_t most, std::vector<Row>* rows, std::int64_t* rows_left_out,
            TimeTotals* left_out) {
  std::stable_sort(rows->begin(), rows->end(),
                   [](const Row& a, const Row& b) { return a.time.total > b.time.total; });
  for (Row& row : *rows) row.share = share_of(row.time.total, all);
  if (rows->size() <= most) return;
  *rows_left_out = static_cast<std::int64_t>(rows->size() - most);
  for (std::size_t i = most; i < rows->size(); ++i) left_out->add((*rows)[i].time);
  rows->resize(most);
}

}  // namespace

std::vector<std::uint32_t> launching_operators(const TraceContext& context) {
  const schema::Trace& trace = context.trace();
  std::vector<std::uint32_t> operators;
  operators.reserve(context.device().size());
  if (context.device().empty()) return operators;
  std::unordered_map<std::int64_t, std::uint32_t> by_id;
  for (const std::uint32_t index : context.nesting().order) {
    if (context.side(index) != SliceSide::kOperator) continue;
    const std::int64_t id = trace.args_of(context.slice(index)).external_id;
    if (id != TraceArgs::kAbsent) by_id.emplace(id, index);
  }
  const auto around = innermost_around(context.nesting(), [&](std::uint32_t index) {
    return context.side(index) == SliceSide::kOperator;
  });
  for (const DeviceSlice& device : context.device()) {
    // 0 is what kineto writes where it knows of none.
    const std::int64_t id = trace.args_of(context.slice(device.slice)).external_id;
    const auto found = id != TraceArgs::kAbsent && id != 0 ? by_id.find(id) : by_id.end();
    if (found != by_id.end()) {
      operators.push_back(found->second);
    } else {
      operators.push_back(device.launch == kNoSlice ? kNoSlice : around[device.launch]);
    }
  }
  return operators;
}

std::vector<std::int64_t> device_time_of_slices(const TraceContext& context,
                                                const std::vector<std::uint32_t>& operators) {
  std::vector<std::int64_t> times(context.trace().slices.size());
  const auto add = [&](std::uint32_t index, std::int64_t ns) {
    times[index] = sum_of(times[index], ns);
  };
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const DeviceSlice& device = context.device()[i];
    const std::uint32_t behind = operators[i] != kNoSlice ? operators[i] : device.launch;
    if (behind != kNoSlice) add(behind, context.slice(device.slice).duration);
  }
  // What lies in a slice stands behind it in the order.
  const std::vector<std::uint32_t>& order = context.nesting().order;
  for (auto index = order.rbegin(); index != order.rend(); ++index) {
    const std::uint32_t parent = context.parent(*index);
    if (parent != kNoSlice && times[*index] != 0) add(parent, times[*index]);
  }
  return times;
}

KernelTable kernel_table(const TraceContext& context, const std::vector<std::uint32_t>& operators,
                         std::size_t most) {
  const schema::Trace& trace = context.trace();
  KernelTable table;
  std::unordered_map<std::uint64_t, std::size_t> rows, operator_rows;  // by name (and kind)
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const DeviceSlice& device = context.device()[i];
    const TraceSlice& slice = context.slice(device.slice);
    const std::uint64_t key = std::uint64_t{trace.labels[slice.label].name} << 8 |
                              static_cast<std::uint64_t>(device.kind);
    const auto [row, is_new] = rows.try_emplace(key, table.rows.size());
    if (is_new) table.rows.push_back({std::string(trace.name(slice)), device.kind, {}, 0});
    table.rows[row->second].time.add(slice.duration);
    const std::uint32_t name =
        operators[i] == kNoSlice ? 0 : trace.labels[context.slice(operators[i]).label].name;
    const auto [behind, is_new_operator] = operator_rows.try_emplace(name, table.operators.size());
    if (is_new_operator) table.operators.push_back({std::string(trace.texts[name]), {}, 0});
    table.operators[behind->second].time.add(slice.duration);
    table.all.add(slice.duration);
    const bool is_kernel = context.side(device.slice) == SliceSide::kKernel;
    table.kernels += is_kernel;
    table.short_kernels += is_kernel && slice.duration < kShortKernel;
  }
  finish(table.all.total, most, &table.rows, &table.rows_left_out, &table.left_out);
  finish(table.all.total, most, &table.operators, &table.operators_left_out,
         &table.operators_left_out_time);
  return table;
}

}  // namespace benchhud::analysis
