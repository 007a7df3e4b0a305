#include "analysis/trace/kernel_table.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/trace/truncate_rows.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::TraceArgs;
using trace::TraceSlice;

namespace {

// Sorts by time, gives shares, and keeps the first `most`.
template <class Row>
void finish(std::int64_t all, std::size_t most, std::vector<Row>* rows, std::int64_t* rows_left_out,
            TimeTotals* left_out) {
  std::stable_sort(rows->begin(), rows->end(),
                   [](const Row& a, const Row& b) { return a.time.total > b.time.total; });
  for (Row& row : *rows) row.share = share_of(row.time.total, all);
  for (std::size_t i = most; i < rows->size(); ++i) left_out->add((*rows)[i].time);
  *rows_left_out = truncate_rows(rows, most);
}

// Operators by their `External id`.
class OperatorIds {
 public:
  explicit OperatorIds(const TraceContext& context) : context_(context) {
    for (const std::uint32_t index : context.nesting().order) {
      if (context.side(index) != SliceSide::kOperator) continue;
      const std::int64_t id = context.trace().args_of(context.slice(index)).external_id;
      if (id != TraceArgs::kAbsent) by_id_.emplace(id, index);
    }
  }

  // The operator that a slice of a device names, or kNoSlice.
  std::uint32_t find(const DeviceSlice& device) const {
    const std::int64_t id = context_.trace().args_of(context_.slice(device.slice)).external_id;
    // 0 is what kineto writes where it knows of none.
    if (id == TraceArgs::kAbsent || id == 0) return kNoSlice;
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? kNoSlice : found->second;
  }

  bool is_around(std::uint32_t op, std::uint32_t launch) const {
    const TraceSlice& outer = context_.slice(op);
    const TraceSlice& inner = context_.slice(launch);
    return outer.thread == inner.thread && outer.start <= inner.start && inner.start <= outer.end();
  }

  // Whether operators and what they launched count alike: in traces of 2022 and 2023 they do
  // not, and a number leads to any operator.
  bool agree_with_launches() const {
    std::int64_t agree = 0, disagree = 0;
    for (const DeviceSlice& device : context_.device()) {
      const std::uint32_t op = device.launch == kNoSlice ? kNoSlice : find(device);
      if (op != kNoSlice) ++(is_around(op, device.launch) ? agree : disagree);
    }
    return agree >= disagree;
  }

 private:
  const TraceContext& context_;
  std::unordered_map<std::int64_t, std::uint32_t> by_id_;
};

}  // namespace

std::vector<std::uint32_t> launching_operators(const TraceContext& context) {
  std::vector<std::uint32_t> operators;
  operators.reserve(context.device().size());
  if (context.device().empty()) return operators;
  const auto around = innermost_around(context.nesting(), [&](std::uint32_t index) {
    return context.side(index) == SliceSide::kOperator;
  });
  const OperatorIds ids(context);
  const bool are_trusted = ids.agree_with_launches();
  for (const DeviceSlice& device : context.device()) {
    const std::uint32_t by_id = are_trusted ? ids.find(device) : kNoSlice;
    if (device.launching_operator != kNoSlice) {
      operators.push_back(device.launching_operator);
    } else if (device.launch == kNoSlice ||
               (by_id != kNoSlice && ids.is_around(by_id, device.launch))) {
      operators.push_back(by_id);
    } else {
      operators.push_back(around[device.launch]);
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
    if (behind != kNoSlice) add(behind, context.own_time(device));
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
  const trace::Trace& trace = context.trace();
  KernelTable table;
  std::unordered_map<std::uint64_t, std::size_t> rows, operator_rows;  // by name (and kind)
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const DeviceSlice& device = context.device()[i];
    const TraceSlice& slice = context.slice(device.slice);
    const std::uint64_t key = std::uint64_t{trace.labels[slice.label].name} << 8 |
                              static_cast<std::uint64_t>(device.kind);
    const auto [row, is_new] = rows.try_emplace(key, table.rows.size());
    if (is_new) table.rows.push_back({std::string(trace.name(slice)), device.kind, {}, 0});
    table.rows[row->second].time.add(context.own_time(device));
    const std::uint32_t name =
        operators[i] == kNoSlice ? 0 : trace.labels[context.slice(operators[i]).label].name;
    const auto [behind, is_new_operator] = operator_rows.try_emplace(name, table.operators.size());
    if (is_new_operator) table.operators.push_back({std::string(trace.texts[name]), {}, 0});
    table.operators[behind->second].time.add(context.own_time(device));
    table.all.add(context.own_time(device));
    table.kernels += device.is_kernel;
    table.short_kernels += device.is_kernel && slice.duration < kShortKernel;
  }
  finish(table.all.total, most, &table.rows, &table.rows_left_out, &table.left_out);
  finish(table.all.total, most, &table.operators, &table.operators_left_out,
         &table.operators_left_out_time);
  return table;
}

}  // namespace benchhud::analysis
