#include "analysis/profile_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "analysis/device_activity.h"

namespace benchhud::analysis {

using schema::Trace;
using schema::TraceSlice;
using Kind = ProfileChange::Kind;

ProfileDifference diff_profiles(const std::vector<ProfileItem>& before,
                                const std::vector<ProfileItem>& after,
                                std::optional<double> total_before,
                                std::optional<double> total_after) {
  struct Pair {
    ProfileItem before, after;
    bool was = false, is = false;
  };
  std::map<std::string_view, Pair> pairs;
  double sum_before = 0, sum_after = 0;
  for (const ProfileItem& item : before) {
    Pair& pair = pairs[item.name];
    pair.was = true;
    pair.before.amount += item.amount;
    pair.before.calls += item.calls;
    sum_before += item.amount;
  }
  for (const ProfileItem& item : after) {
    Pair& pair = pairs[item.name];
    pair.is = true;
    pair.after.amount += item.amount;
    pair.after.calls += item.calls;
    sum_after += item.amount;
  }
  ProfileDifference difference;
  difference.before = total_before.value_or(sum_before);
  difference.after = total_after.value_or(sum_after);
  const double total = difference.after - difference.before;
  if (total_before || total_after) difference.unexplained = total - (sum_after - sum_before);
  for (const auto& [name, pair] : pairs) {
    const double delta = pair.after.amount - pair.before.amount;
    if (pair.was && pair.is && delta == 0 && pair.before.calls == pair.after.calls) continue;
    ProfileChange change;
    change.name = name;
    change.kind = !pair.was ? Kind::kAppeared : !pair.is ? Kind::kGone : Kind::kChanged;
    change.before = pair.before.amount;
    change.after = pair.after.amount;
    change.calls_before = pair.before.calls;
    change.calls_after = pair.after.calls;
    if (total != 0) change.share = delta / total;
    difference.changes.push_back(std::move(change));
  }
  std::stable_sort(difference.changes.begin(), difference.changes.end(),
                   [](const ProfileChange& a, const ProfileChange& b) {
                     const auto size = [](const ProfileChange& change) {
                       return std::pair(std::abs(change.after - change.before),
                                        std::abs(change.calls_after - change.calls_before));
                     };
                     return size(a) > size(b);
                   });
  return difference;
}

std::vector<ProfileItem> self_times(const Trace& trace, const TraceNesting& nesting,
                                    bool on_device) {
  std::vector<std::int64_t> self(trace.slices.size());
  for (std::size_t i = 0; i < self.size(); ++i) {
    self[i] += trace.slices[i].duration;
    if (nesting.parent[i] != kNoSlice) self[nesting.parent[i]] -= trace.slices[i].duration;
  }
  std::vector<ProfileItem> by_name(trace.texts.size());
  for (std::size_t i = 0; i < self.size(); ++i) {
    const TraceSlice& slice = trace.slices[i];
    const std::string_view category = trace.texts[slice.category];
    if (is_device_category(category) != on_device) continue;
    // The profiler's own window is no work, nor are the device's shadows of annotations.
    if (!on_device && (category == "Trace" || category.starts_with("gpu_"))) continue;
    by_name[slice.name].amount += static_cast<double>(self[i]);
    ++by_name[slice.name].calls;
  }
  std::vector<ProfileItem> items;
  for (std::uint32_t name = 0; name < by_name.size(); ++name) {
    if (by_name[name].calls == 0) continue;
    by_name[name].name = trace.texts[name];
    items.push_back(std::move(by_name[name]));
  }
  return items;
}

}  // namespace benchhud::analysis
