#include "analysis/trace/flame_graph.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "analysis/trace/name_tree.h"

namespace benchhud::analysis {
namespace {

using trace::kNoParent;
using trace::StackSlice;

constexpr std::uint32_t kMostNodes = 1'000'000;

// The rows of the tree with the longest totals, siblings by total. A row is never longer than the
// one above it, so what is kept hangs together.
FlameGraph graph_of(const NameTree& tree, std::size_t limit) {
  std::vector<std::uint32_t> labels;
  const std::vector<NameTreeRow> all = tree.rows([&](std::uint32_t label) {
    labels.push_back(label);
    return std::string();
  });
  std::vector<std::uint32_t> kept(all.size());
  std::iota(kept.begin(), kept.end(), 0U);
  std::stable_sort(kept.begin(), kept.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (all[a].time.total != all[b].time.total) return all[a].time.total > all[b].time.total;
    return all[a].depth < all[b].depth;
  });
  FlameGraph graph;
  graph.left_out = tree.left_out();
  if (kept.size() > limit) {
    graph.left_out += static_cast<std::int64_t>(kept.size() - limit);
    kept.resize(limit);
  }
  // In that order, those above come first, and siblings as they are to be.
  std::vector<std::vector<std::uint32_t>> below(all.size());
  std::vector<std::uint32_t> roots;
  for (const std::uint32_t place : kept) {
    (all[place].parent ? below[*all[place].parent] : roots).push_back(place);
  }
  std::vector<std::uint32_t> new_places(all.size());
  std::vector<std::uint32_t> open(roots.rbegin(), roots.rend());
  while (!open.empty()) {
    const std::uint32_t place = open.back();
    open.pop_back();
    const NameTreeRow& row = all[place];
    FlameRow flame;
    flame.label = labels[place];
    flame.depth = row.depth;
    if (row.parent) flame.parent = new_places[*row.parent];
    flame.count = row.time.count;
    flame.total = row.time.total;
    flame.self = row.self;
    new_places[place] = static_cast<std::uint32_t>(graph.rows.size());
    graph.rows.push_back(flame);
    open.insert(open.end(), below[place].rbegin(), below[place].rend());
  }
  return graph;
}

}  // namespace

FlameGraph heavy_stacks(std::span<const StackSlice> slices, std::size_t limit) {
  NameTree tree(kMostNodes);
  std::vector<std::uint32_t> nodes;
  nodes.reserve(slices.size());
  for (const StackSlice& slice : slices) {
    const std::uint32_t parent = slice.parent == kNoParent ? NameTree::kRoot : nodes[slice.parent];
    nodes.push_back(tree.add(parent, slice.label, slice.part));
  }
  return graph_of(tree, limit);
}

FlameGraph callees_of(std::span<const StackSlice> slices, std::uint32_t label, std::size_t limit) {
  // What is in no slice of the label has no node.
  constexpr std::uint32_t kOutside = NameTree::kLeftOut - 1;
  NameTree tree(kMostNodes);
  std::vector<std::uint32_t> nodes;
  nodes.reserve(slices.size());
  for (const StackSlice& slice : slices) {
    const std::uint32_t parent = slice.parent == kNoParent ? kOutside : nodes[slice.parent];
    if (parent == kOutside) {
      nodes.push_back(slice.label == label ? tree.add(NameTree::kRoot, label, slice.part)
                                           : kOutside);
    } else {
      nodes.push_back(tree.add(parent, slice.label, slice.part));
    }
  }
  return graph_of(tree, limit);
}

FlameGraph callers_of(std::span<const StackSlice> slices, std::uint32_t label, std::size_t limit) {
  NameTree tree(kMostNodes);
  for (const StackSlice& slice : slices) {
    if (slice.label != label) continue;
    std::uint32_t node = tree.add(NameTree::kRoot, label, slice.part);
    std::uint32_t depth = 1;
    for (std::uint32_t at = slice.parent; at != kNoParent && depth < NameTree::kMostDepth;
         at = slices[at].parent, ++depth) {
      node = tree.add(node, slices[at].label, slice.part);
    }
  }
  return graph_of(tree, limit);
}

}  // namespace benchhud::analysis
