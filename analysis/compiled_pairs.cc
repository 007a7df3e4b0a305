#include "analysis/compiled_pairs.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/keep_first.h"

namespace benchhud::analysis {

using schema::kNoSlice;
using schema::TraceArgs;

namespace {

// The forward slices that flows lead to, by backward slice.
std::unordered_map<std::uint32_t, std::uint32_t> forward_by_backward(const AutogradLinks& links) {
  std::unordered_map<std::uint32_t, std::uint32_t> forward;
  for (const AutogradLink& link : links.links) forward.emplace(link.backward, link.forward);
  return forward;
}

// Takes the pairs out of `sides`; what is left in it has no partner.
void pair_up(const TraceContext& context,
             const std::unordered_map<std::uint32_t, std::uint32_t>& forward_of,
             CompiledFunctionSlices* sides, std::vector<CompiledPair>* pairs) {
  const auto take = [&](std::uint32_t forward, std::uint32_t backward) {
    CompiledPair& pair = pairs->emplace_back();
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

std::vector<CompiledPair> all_pairs(const TraceContext& context, const AutogradLinks& links) {
  auto by_sequence = compiled_function_slices(context.trace());
  const auto forward_of = forward_by_backward(links);
  const auto begins_first = [&](std::uint32_t a, std::uint32_t b) {
    return context.slice(a).start < context.slice(b).start;
  };
  std::vector<CompiledPair> pairs;
  for (auto& [sequence, sides] : by_sequence) {
    std::stable_sort(sides.forward.begin(), sides.forward.end(), begins_first);
    std::stable_sort(sides.backward.begin(), sides.backward.end(), begins_first);
    const std::size_t first = pairs.size();
    if (sequence != TraceArgs::kAbsent) pair_up(context, forward_of, &sides, &pairs);
    for (const std::uint32_t forward : sides.forward) pairs.emplace_back().forward = forward;
    for (const std::uint32_t backward : sides.backward) pairs.emplace_back().backward = backward;
    for (std::size_t i = first; i < pairs.size(); ++i) pairs[i].sequence = sequence;
  }
  std::stable_sort(pairs.begin(), pairs.end(), [&](const CompiledPair& a, const CompiledPair& b) {
    return begins_first(a.forward != kNoSlice ? a.forward : a.backward,
                        b.forward != kNoSlice ? b.forward : b.backward);
  });
  return pairs;
}

}  // namespace

CompiledPairs compiled_pairs(const TraceContext& context,
                             const std::vector<CompiledRegion>& regions,
                             const AutogradLinks& links) {
  std::unordered_map<std::uint32_t, std::string_view> ids;  // by a region's slice
  for (const CompiledRegion& region : regions) ids.emplace(region.slice, region.id);
  const auto around =
      innermost_around(context.nesting(), [&](std::uint32_t index) { return ids.contains(index); });
  CompiledPairs found;
  std::unordered_map<std::string, std::size_t> groups;
  for (CompiledPair& pair : all_pairs(context, links)) {
    const bool has_forward = pair.forward != kNoSlice, has_backward = pair.backward != kNoSlice;
    if (has_forward && around[pair.forward] != kNoSlice) {
      pair.region = ids.find(around[pair.forward])->second;
    }
    found.paired += has_forward && has_backward;
    found.forward_only += !has_backward;
    found.backward_only += !has_forward;
    const auto [at, is_new] = groups.try_emplace(pair.region, found.groups.size());
    if (is_new) found.groups.emplace_back().region = pair.region;
    CompiledPairGroup& group = found.groups[at->second];
    if (has_forward) group.forward.add(context.slice(pair.forward).duration);
    if (has_backward) group.backward.add(context.slice(pair.backward).duration);
    group.paired += has_forward && has_backward;
    if (found.pairs.size() < CompiledPairs::kMostPairs) {
      found.pairs.push_back(std::move(pair));
    } else {
      ++found.pairs_left_out;
    }
  }
  found.groups_left_out = keep_first(&found.groups, CompiledPairs::kMostGroups);
  return found;
}

}  // namespace benchhud::analysis
