#include "analysis/trace/autograd_links.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "analysis/trace/truncate_rows.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::TraceFlow;
using trace::TraceSlice;

namespace {

// Operators by thread and beginning.
class Operators {
 public:
  explicit Operators(const TraceContext& context) : context_(context) {
    for (const std::uint32_t index : context.nesting().order) {
      if (context.side(index) == SliceSide::kOperator) operators_.push_back(index);
    }
  }

  // The innermost that begins there, or kNoSlice.
  std::uint32_t at(const TraceFlow& flow) const {
    const auto after =
        std::partition_point(operators_.begin(), operators_.end(), [&](std::uint32_t index) {
          const TraceSlice& slice = context_.slice(index);
          if (slice.thread != flow.thread) return slice.thread < flow.thread;
          return slice.start <= flow.time;
        });
    if (after == operators_.begin()) return kNoSlice;
    const TraceSlice& slice = context_.slice(*(after - 1));
    return slice.thread == flow.thread && slice.start == flow.time ? *(after - 1) : kNoSlice;
  }

 private:
  const TraceContext& context_;
  std::vector<std::uint32_t> operators_;
};

void add_groups(const TraceContext& context, AutogradLinks* found) {
  const trace::Trace& trace = context.trace();
  const auto name = [&](std::uint32_t index) {
    return std::uint64_t{trace.labels[context.slice(index).label].name};
  };
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (const AutogradLink& link : found->links) {
    const auto [at, is_new] =
        places.try_emplace(name(link.forward) << 32 | name(link.backward), found->groups.size());
    if (is_new) {
      found->groups.push_back({std::string(context.name(link.forward)),
                               std::string(context.name(link.backward)),
                               {},
                               {}});
    }
    found->groups[at->second].forward_time.add(context.slice(link.forward).duration);
    found->groups[at->second].backward_time.add(context.slice(link.backward).duration);
  }
  const auto length = [](const AutogradLinkGroup& group) {
    return sum_of(group.forward_time.total, group.backward_time.total);
  };
  std::stable_sort(found->groups.begin(), found->groups.end(),
                   [&](const auto& a, const auto& b) { return length(a) > length(b); });
  found->groups_left_out = truncate_rows(&found->groups, AutogradLinks::kMostGroups);
}

}  // namespace

AutogradLinks autograd_links(const TraceContext& context) {
  const trace::Trace& trace = context.trace();
  const auto is_link = [&](const TraceFlow& flow) {
    return trace.texts[flow.category] == "fwdbwd";
  };
  if (std::none_of(trace.flows.begin(), trace.flows.end(), is_link)) return {};
  const Operators operators(context);
  std::unordered_map<std::uint64_t, const TraceFlow*> starts;
  for (const TraceFlow& flow : trace.flows) {
    if (flow.step == TraceFlow::Step::kStart && is_link(flow)) {
      starts.emplace(flow.key, &flow);
    }
  }
  AutogradLinks found;
  for (const TraceFlow& flow : trace.flows) {
    if (flow.step != TraceFlow::Step::kEnd || !is_link(flow)) continue;
    const auto start = starts.find(flow.key);
    if (start == starts.end()) {
      ++found.without_start;
      continue;
    }
    const AutogradLink link = {operators.at(*start->second), operators.at(flow)};
    if (link.forward == kNoSlice || link.backward == kNoSlice) {
      ++found.without_operator;
    } else {
      found.links.push_back(link);
    }
  }
  found.count = static_cast<std::int64_t>(found.links.size());
  add_groups(context, &found);
  return found;
}

}  // namespace benchhud::analysis
