#include "analysis/trace/compiled_pairs.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analysis/trace/truncate_rows.h"

namespace benchhud::analysis {

using trace::kNoSlice;
using trace::TraceArgs;

namespace {

// The forward slices that flows lead to, by backward slice.
std::unordered_map<std::uint32_t, std::uint32_t> forward_by_backward(const AutogradLinks& links) {
  std::unordered_map<std::uint32_t, std::uint32_t> forward;
  for (const AutogradLink& link : links.links) forward.emplace(link.backward, link.forward);
  return forward;
}

// A CompiledPair without its region.
struct Pair {
  std::uint32_t forward = kNoSlice, backward = kNoSlice;
  std::int64_t sequence = TraceArgs::kAbsent;
};

// The slices of one sequence number, in the order in which they begin.
struct Sides {
  std::vector<std::uint32_t> forward, backward;
};

// Takes the pairs out of `sides`; what is left in it has no partner.
void pair_up(const TraceContext& context,
             const std::unordered_map<std::uint32_t, std::uint32_t>& forward_of, Sides* sides,
             std::vector<Pair>* pairs) {
  const auto take = [&](std::uint32_t forward, std::uint32_t backward) {
    Pair& pair = pairs->emplace_back();
    pair.forward = forward;
    pair.backward = backward;
  };
  if (sides->forward.size() > 1 || sides->backward.size() > 1) {
    std::unordered_map<std::uint32_t, bool> is_free;
    for (const std::uint32_t forward : sides->forward) is_free[forward] = true;
    std::erase_if(sides->backward, [&](std::uint32_t backward) {
      auto link = forward_of.find(backward);
      // The flow may lead to autograd's call of it, which begins with it.
      const std::uint32_t parent = context.parent(backward);
      if (link == forward_of.end() && parent != kNoSlice) link = forward_of.find(parent);
      if (link == forward_of.end()) return false;
      const auto forward = is_free.find(link->second);
      if (forward == is_free.end() || !forward->second) return false;
      forward->second = false;
      take(forward->first, backward);
      return true;
    });
    std::erase_if(sides->forward, [&](std::uint32_t forward) { return !is_free[forward]; });
  }
  const std::size_t count = std::min(sides->forward.size(), sides->backward.size());
  for (std::size_t i = 0; i < count; ++i) take(sides->forward[i], sides->backward[i]);
  const auto drop = [count](std::vector<std::uint32_t>* list) {
    list->erase(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(count));
  };
  drop(&sides->forward);
  drop(&sides->backward);
}

std::vector<Pair> all_pairs(const TraceContext& context, const AutogradLinks& links) {
  std::vector<CompiledFunctionSlice> slices = compiled_function_slices(context.trace());
  if (slices.empty()) return {};
  std::sort(slices.begin(), slices.end(), [&](const auto& a, const auto& b) {
    const auto place = [&](const CompiledFunctionSlice& each) {
      return std::tuple(each.sequence, context.slice(each.slice).start, each.slice);
    };
    return place(a) < place(b);
  });
  const auto forward_of = forward_by_backward(links);
  std::vector<Pair> pairs;
  Sides sides;
  for (auto next = slices.begin(); next != slices.end();) {
    const std::int64_t sequence = next->sequence;
    sides.forward.clear();
    sides.backward.clear();
    for (; next != slices.end() && next->sequence == sequence; ++next) {
      (next->is_backward ? sides.backward : sides.forward).push_back(next->slice);
    }
    const std::size_t first = pairs.size();
    if (sequence != TraceArgs::kAbsent) pair_up(context, forward_of, &sides, &pairs);
    for (const std::uint32_t forward : sides.forward) pairs.emplace_back().forward = forward;
    for (const std::uint32_t backward : sides.backward) pairs.emplace_back().backward = backward;
    for (std::size_t i = first; i < pairs.size(); ++i) pairs[i].sequence = sequence;
  }
  const auto begin = [&](const Pair& pair) {
    return context.slice(pair.forward != kNoSlice ? pair.forward : pair.backward).start;
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const Pair& a, const Pair& b) { return begin(a) < begin(b); });
  return pairs;
}

// For each slice the innermost region around it, by its place in the list; kNoSlice: none.
std::vector<std::uint32_t> regions_around(const trace::TraceNesting& nesting,
                                          const std::vector<CompiledRegion>& regions) {
  std::vector<std::uint32_t> region_of(nesting.parent.size(), kNoSlice);  // that the slice is
  for (std::uint32_t i = 0; i < regions.size(); ++i) region_of[regions[i].slice] = i;
  auto around =
      innermost_around(nesting, [&](std::uint32_t index) { return region_of[index] != kNoSlice; });
  for (std::uint32_t& each : around) {
    if (each != kNoSlice) each = region_of[each];
  }
  return around;
}

}  // namespace

CompiledPairs compiled_pairs(const TraceContext& context,
                             const std::vector<CompiledRegion>& regions,
                             const AutogradLinks& links) {
  CompiledPairs found;
  const std::vector<Pair> pairs = all_pairs(context, links);
  if (pairs.empty()) return found;
  const std::vector<std::uint32_t> around = regions_around(context.nesting(), regions);
  std::unordered_map<std::string_view, std::size_t> groups;
  for (const Pair& pair : pairs) {
    std::string_view region;
    const bool has_forward = pair.forward != kNoSlice, has_backward = pair.backward != kNoSlice;
    if (has_forward && around[pair.forward] != kNoSlice) {
      region = regions[around[pair.forward]].id;
    }
    found.paired += has_forward && has_backward;
    found.forward_only += !has_backward;
    found.backward_only += !has_forward;
    const auto [at, is_new] = groups.try_emplace(region, found.groups.size());
    if (is_new) found.groups.emplace_back().region = region;
    CompiledPairGroup& group = found.groups[at->second];
    if (has_forward) group.forward.add(context.slice(pair.forward).duration);
    if (has_backward) group.backward.add(context.slice(pair.backward).duration);
    group.paired += has_forward && has_backward;
    if (found.pairs.size() < CompiledPairs::kMostPairs) {
      found.pairs.push_back({pair.forward, pair.backward, pair.sequence, std::string(region)});
    } else {
      ++found.pairs_left_out;
    }
  }
  found.groups_left_out = truncate_rows(&found.groups, CompiledPairs::kMostGroups);
  return found;
}

}  // namespace benchhud::analysis
