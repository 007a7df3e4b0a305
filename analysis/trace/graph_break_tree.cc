#include "analysis/trace/graph_break_tree.h"

#include <algorithm>
#include <string>

namespace benchhud::analysis {

using trace::kNoSlice;

GraphBreakTree graph_break_tree(const TraceContext& context,
                                const std::vector<CompiledRegion>& regions,
                                const CompiledCode& code) {
  const trace::Trace& trace = context.trace();
  GraphBreakTree tree;
  NameTree names(GraphBreakTree::kMostNodes);
  std::vector<std::uint32_t> nodes(regions.size());  // by region
  std::vector<bool> is_broken(regions.size());
  std::vector<std::string_view> ids(GraphBreakTree::kMostNodes);  // by node
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const CompiledRegion& region = regions[i];
    const trace::TraceSlice& slice = context.slice(region.slice);
    const bool is_root = region.around == kNoSlice;
    nodes[i] = names.add(is_root ? NameTree::kRoot : nodes[region.around],
                         trace.labels[slice.label].name, slice.duration);
    if (nodes[i] != NameTree::kLeftOut) ids[nodes[i]] = region.id;
    tree.chains += is_root;
    if (!is_root && regions[region.around].around == kNoSlice) is_broken[region.around] = true;
    tree.longest_chain = std::max<std::int64_t>(tree.longest_chain, region.depth + 1);
  }
  tree.broken_chains = std::count(is_broken.begin(), is_broken.end(), true);
  tree.left_out = names.left_out();
  std::vector<TimeTotals> eager(names.size());
  for (const PlacedOperator& placed : code.operators) {
    if (placed.place != OperatorPlace::kEager || nodes[placed.region] == NameTree::kLeftOut)
      continue;
    eager[nodes[placed.region]].add(context.slice(placed.slice).duration);
  }
  std::vector<NameTreeRow> rows = names.rows([](std::uint32_t) { return std::string(); });
  const std::vector<std::uint32_t> order = names.order();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].name = ids[order[i]];
    tree.nodes.push_back({std::move(rows[i]), eager[order[i]]});
  }
  return tree;
}

}  // namespace benchhud::analysis
