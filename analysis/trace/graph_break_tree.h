// Chains of graph breaks: which compiled region led to which, added up over all executions.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/trace/compiled_code.h"
#include "analysis/trace/compiled_regions.h"
#include "analysis/trace/name_tree.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// A region by the regions that lead to it. Its row's name is "F/C", "" where PyTorch wrote no ids;
/// its time that of its executions, those of nested regions included, its self time without them.
struct GraphBreakNode {
  NameTreeRow row;
  /// Operators that Python ran right in it, outside of compiled code (OperatorPlace::kEager), ns.
  TimeTotals eager;
};

struct GraphBreakTree {
  static constexpr std::uint32_t kMostNodes = 512;

  std::vector<GraphBreakNode> nodes;  ///< in NameTreeRow's order
  std::int64_t chains = 0;            ///< executions of roots
  std::int64_t broken_chains = 0;     ///< of those with at least one region inside
  std::int64_t longest_chain = 0;     ///< regions, from the root on; 0 without any
  std::int64_t left_out = 0;          ///< executions beyond kMostNodes or NameTree::kMostDepth
};

/// A root and what lies in it is one call of a compiled function: nested regions are code behind a
/// graph break, or functions compiled for themselves that disabled or skipped code called. Regions
/// beside each other are functions compiled independently. ("Profiling to understand torch.compile
/// performance", PyTorch's documentation.)
GraphBreakTree graph_break_tree(const TraceContext& context,
                                const std::vector<CompiledRegion>& regions,
                                const CompiledCode& code);

}  // namespace benchhud::analysis
