// Which operator of the backward pass belongs to which of the forward pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/time_totals.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

/// Two operators, by the indices of their slices.
struct AutogradLink {
  std::uint32_t forward = 0, backward = 0;
};

/// Operators of one name whose backward operators have one name.
struct AutogradLinkGroup {
  std::string forward, backward;
  TimeTotals forward_time, backward_time;
};

struct AutogradLinks {
  static constexpr std::size_t kMostGroups = 64;

  std::vector<AutogradLink> links;        ///< as the ends of their flows come
  std::int64_t count = 0;                 ///< of them
  std::int64_t without_start = 0;         ///< ends of flows whose start is not in the trace
  std::int64_t without_operator = 0;      ///< flows with an end at which no operator begins
  std::vector<AutogradLinkGroup> groups;  ///< the longest together first
  std::int64_t groups_left_out = 0;
};

/// The flows of category `fwdbwd`. An end binds to the operator that begins exactly then on that
/// thread, the innermost if there are several, as Holistic Trace Analysis does it (the last in the
/// order of beginnings).
AutogradLinks autograd_links(const TraceContext& context);

}  // namespace benchhud::analysis
