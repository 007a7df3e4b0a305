// Slices by the path of names that leads to them: what is called by what, added up over all calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/trace/time_totals.h"

namespace benchhud::analysis {

/// A node of such a tree, in a list in which every node stands before those below it and right
/// after all that is below its sibling before.
struct NameTreeRow {
  std::string name;
  std::uint32_t depth = 0;              ///< of a root 0
  std::optional<std::uint32_t> parent;  ///< its place in the list
  TimeTotals time;
  std::int64_t self = 0;  ///< ns without those below it
};

/// Grows as slices come, up to a number of nodes and a depth: a hostile trace has a new path for
/// every slice.
class NameTree {
 public:
  static constexpr std::uint32_t kRoot = 0xffffffff;  ///< above all
  static constexpr std::uint32_t kLeftOut = 0xfffffffe;
  static constexpr std::uint32_t kMostDepth = 64;

  explicit NameTree(std::uint32_t most_nodes) : most_nodes_(most_nodes) {}

  /// Adds a slice of `ns` with that name (a number of a trace's texts) below a node. Returns its
  /// node; kLeftOut where there is no more room, or where the parent is that.
  std::uint32_t add(std::uint32_t parent, std::uint32_t name, std::int64_t ns);

  std::size_t size() const { return nodes_.size(); }
  /// Slices without a node.
  std::int64_t left_out() const { return left_out_; }

  /// The nodes in the order of the rows: siblings as they came.
  std::vector<std::uint32_t> order() const;
  /// The rows; `name_of(number)` says what the numbers of names mean.
  template <class NameOf>
  std::vector<NameTreeRow> rows(NameOf name_of) const {
    std::vector<NameTreeRow> rows;
    std::vector<std::uint32_t> places(nodes_.size());
    for (const std::uint32_t number : order()) {
      const Node& node = nodes_[number];
      NameTreeRow row;
      row.name = name_of(node.name);
      row.depth = node.depth;
      if (node.parent != kRoot) row.parent = places[node.parent];
      row.time = node.time;
      // What lies in a slice may outlive it.
      row.self = std::max<std::int64_t>(0, difference_of(node.time.total, node.below));
      places[number] = static_cast<std::uint32_t>(rows.size());
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  struct Node {
    std::uint32_t name = 0, parent = kRoot, depth = 0;
    TimeTotals time;
    std::int64_t below = 0;  // ns of the nodes right below
  };

  std::uint32_t most_nodes_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of nodes, by parent and name
  std::int64_t left_out_ = 0;
};

}  // namespace benchhud::analysis
