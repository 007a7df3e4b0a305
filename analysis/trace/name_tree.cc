#include "analysis/trace/name_tree.h"

#include <utility>

namespace benchhud::analysis {

std::uint32_t NameTree::add(std::uint32_t parent, std::uint32_t name, std::int64_t ns) {
  const auto leave_out = [&] {
    ++left_out_;
    return kLeftOut;
  };
  if (parent == kLeftOut) return leave_out();
  const std::uint32_t depth = parent == kRoot ? 0 : nodes_[parent].depth + 1;
  const std::uint64_t key = std::uint64_t{parent} << 32 | name;
  auto found = numbers_.find(key);
  if (found == numbers_.end()) {
    if (nodes_.size() >= most_nodes_ || depth >= kMostDepth) return leave_out();
    found = numbers_.emplace(key, static_cast<std::uint32_t>(nodes_.size())).first;
    Node node;
    node.name = name;
    node.parent = parent;
    node.depth = depth;
    nodes_.push_back(node);
  }
  nodes_[found->second].time.add(ns);
  if (parent != kRoot) nodes_[parent].below = sum_of(nodes_[parent].below, ns);
  return found->second;
}

std::vector<std::uint32_t> NameTree::order() const {
  // Children of each node, the last first, as a stack gives them back the other way round.
  std::vector<std::vector<std::uint32_t>> below(nodes_.size() + 1);
  for (std::uint32_t i = static_cast<std::uint32_t>(nodes_.size()); i-- > 0;) {
    const std::uint32_t parent = nodes_[i].parent;
    below[parent == kRoot ? nodes_.size() : parent].push_back(i);
  }
  std::vector<std::uint32_t> order, open = std::move(below.back());
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    order.push_back(node);
    open.insert(open.end(), below[node].begin(), below[node].end());
  }
  return order;
}

}  // namespace benchhud::analysis
