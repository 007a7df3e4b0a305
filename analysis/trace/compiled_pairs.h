// Compiled forward functions and their backward.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/autograd_links.h"
#include "analysis/trace/compiled_regions.h"
#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// A `CompiledFunction` and its `CompiledFunctionBackward`, or one of them alone.
struct CompiledPair {
  std::uint32_t forward = trace::kNoSlice, backward = trace::kNoSlice;  ///< slices
  std::int64_t sequence = trace::TraceArgs::kAbsent;
  std::string region;  ///< "F/C" of the innermost region around the forward; "": none, or no ids
};

/// The pairs of a region; of "" those without one.
struct CompiledPairGroup {
  std::string region;
  TimeTotals forward, backward;
  std::int64_t paired = 0;
};

struct CompiledPairs {
  static constexpr std::size_t kMostPairs = 200, kMostGroups = 64;

  std::vector<CompiledPair> pairs;  ///< in the order of beginnings, the first kMostPairs
  std::int64_t pairs_left_out = 0;
  std::vector<CompiledPairGroup> groups;  ///< by regions as they come
  std::int64_t groups_left_out = 0;
  std::int64_t paired = 0;
  /// Their backward was not called, or lies outside of the trace: the inputs require gradients, but
  /// nobody asks for them. Memory for it was kept all the same.
  std::int64_t forward_only = 0;
  /// Their forward lies before the trace.
  std::int64_t backward_only = 0;
};

/// A pair has one sequence number. Threads number for themselves, so a number may come twice: then
/// a fwdbwd flow decides, and where there is none, the order in which they begin.
CompiledPairs compiled_pairs(const TraceContext& context,
                             const std::vector<CompiledRegion>& regions,
                             const AutogradLinks& links);

}  // namespace benchhud::analysis
