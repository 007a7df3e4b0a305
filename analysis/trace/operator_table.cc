#include "analysis/trace/operator_table.h"

#include <algorithm>
#include <utility>

#include "analysis/trace/label_class.h"

namespace benchhud::analysis {

using trace::kNoSlice;

namespace {

// Which slices lie within another of the same label.
std::vector<bool> find_inner(const TraceContext& context) {
  const auto& parent = context.nesting().parent;
  // The slices right within each, in a list: its first, and of each the next. The last one's is of
  // those that are within none.
  std::vector<std::uint32_t> first(parent.size() + 1, kNoSlice), next(parent.size());
  for (auto i = static_cast<std::uint32_t>(parent.size()); i-- > 0;) {
    std::uint32_t& list = parent[i] == kNoSlice ? first.back() : first[parent[i]];
    next[i] = std::exchange(list, i);
  }
  // Depth first, with a stack of our own: a hostile trace nests deeper than ours goes.
  std::vector<std::uint32_t> open_labels(context.trace().labels.size());
  std::vector<bool> is_inner(parent.size());
  std::vector<std::uint32_t> path;
  for (std::uint32_t root = first.back(); root != kNoSlice; root = next[root]) {
    path.push_back(root);
    open_labels[context.slice(root).label] += 1;
    while (!path.empty()) {
      const std::uint32_t at = path.back(), below = first[at];
      if (below == kNoSlice) {
        open_labels[context.slice(at).label] -= 1;
        path.pop_back();
        continue;
      }
      first[at] = next[below];
      is_inner[below] = open_labels[context.slice(below).label]++ > 0;
      path.push_back(below);
    }
  }
  return is_inner;
}

}  // namespace

OperatorTable operator_table(const TraceContext& context,
                             const std::vector<std::int64_t>& device_times, std::size_t most) {
  const trace::Trace& trace = context.trace();
  const std::vector<bool> is_inner = find_inner(context);
  const std::vector<std::int64_t> self = self_times_of_slices(trace, context.nesting());
  struct Sums {
    std::int64_t count = 0, total = 0, self = 0, device = 0;
  };
  std::vector<Sums> by_label(trace.labels.size());
  OperatorTable table;
  const auto is_work_of = [&](std::uint32_t label) {
    const trace::TraceLabel& of = trace.labels[label];
    return is_work(label_class(trace.texts[of.name], trace.texts[of.category], of.role));
  };
  for (std::uint32_t i = 0; i < self.size(); ++i) {
    if (!is_host(context.side(i))) continue;
    Sums& row = by_label[context.slice(i).label];
    ++row.count;
    row.self = sum_of(row.self, self[i]);
    table.self = sum_of(table.self, self[i]);
    ++table.count;
    if (is_inner[i]) continue;
    row.total = sum_of(row.total, context.slice(i).duration);
    row.device = sum_of(row.device, device_times[i]);
  }
  std::vector<std::uint32_t> labels;
  for (std::uint32_t i = 0; i < by_label.size(); ++i) {
    if (by_label[i].count > 0) labels.push_back(i);
  }
  std::stable_sort(labels.begin(), labels.end(), [&](std::uint32_t a, std::uint32_t b) {
    return by_label[a].self > by_label[b].self;
  });
  std::int64_t work = 0;
  for (const std::uint32_t label : labels) {
    if (is_work_of(label)) work = sum_of(work, by_label[label].self);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Sums& sums = by_label[labels[i]];
    if (i >= most) {
      ++table.rows_left_out;
      table.left_out_count += sums.count;
      table.left_out_self = sum_of(table.left_out_self, sums.self);
      continue;
    }
    OperatorRow row;
    row.name = trace.texts[trace.labels[labels[i]].name];
    row.category = trace.texts[trace.labels[labels[i]].category];
    row.count = sums.count;
    row.total = sums.total;
    row.self = sums.self;
    row.device = sums.device;
    if (is_work_of(labels[i])) row.share = share_of(row.self, work);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace benchhud::analysis
