#include "analysis/profiles/profile_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/trace/slice_side.h"
#include "analysis/trace/trace_context.h"

namespace benchhud::analysis {

using trace::Trace;
using trace::TraceNesting;
using trace::TraceSlice;
using Kind = ProfileChange::Kind;

std::string_view change_name(ProfileChange::Kind kind) {
  switch (kind) {
    case ProfileChange::Kind::kChanged:
      return "changed";
    case ProfileChange::Kind::kAppeared:
      return "appeared";
    case ProfileChange::Kind::kGone:
      return "gone";
  }
  return "";
}

ProfileDifference diff_profiles(const std::vector<ProfileItem>& before,
                                const std::vector<ProfileItem>& after,
                                std::optional<double> total_before,
                                std::optional<double> total_after) {
  struct Side {
    double amount = 0, calls = 0;
    bool is_there = false;
  };
  std::map<std::string_view, std::pair<Side, Side>> pairs;
  // The sum of all items, each added to its side of its name's pair.
  const auto add_up = [&](const std::vector<ProfileItem>& items, Side std::pair<Side, Side>::* of) {
    double sum = 0;
    for (const ProfileItem& item : items) {
      Side& side = pairs[item.name].*of;
      side.is_there = true;
      side.amount += item.amount;
      side.calls += item.calls;
      sum += item.amount;
    }
    return sum;
  };
  const double sum_before = add_up(before, &std::pair<Side, Side>::first);
  const double sum_after = add_up(after, &std::pair<Side, Side>::second);
  ProfileDifference difference;
  difference.before = total_before.value_or(sum_before);
  difference.after = total_after.value_or(sum_after);
  const double total = difference.after - difference.before;
  const bool has_shares =
      total != 0 && std::abs(total) >= kWorthSaying * std::max(difference.before, difference.after);
  if (total_before || total_after) difference.unexplained = total - (sum_after - sum_before);
  for (const auto& [name, pair] : pairs) {
    const auto& [was, is] = pair;
    const double delta = is.amount - was.amount;
    if (was.is_there && is.is_there && delta == 0 && was.calls == is.calls) continue;
    ProfileChange change;
    change.name = name;
    if (!was.is_there) change.kind = Kind::kAppeared;
    if (!is.is_there) change.kind = Kind::kGone;
    change.before = was.amount;
    change.after = is.amount;
    change.calls_before = was.calls;
    change.calls_after = is.calls;
    if (has_shares) change.share = delta / total;
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

SelfTimes self_times(const Trace& trace, const TraceNesting& nesting, std::size_t most) {
  struct Sum {
    double ns = 0;
    std::int64_t calls = 0;
  };
  const std::vector<std::int64_t> self = self_times_of_slices(trace, nesting);
  std::vector<Sum> by_label(trace.labels.size());
  for (std::size_t i = 0; i < self.size(); ++i) {
    Sum& sum = by_label[trace.slices[i].label];
    sum.ns += static_cast<double>(self[i]);
    ++sum.calls;
  }
  // Labels of one name differ in their category.
  const std::vector<SliceSide> sides = sides_of_labels(trace);
  const auto sum_where = [&](auto is_wanted, std::vector<ProfileItem>* items, ProfileItem* rest) {
    std::vector<std::uint32_t> labels;
    for (std::uint32_t label = 0; label < by_label.size(); ++label) {
      if (by_label[label].calls > 0 && is_wanted(sides[label])) labels.push_back(label);
    }
    const auto name_of = [&](std::uint32_t label) { return trace.labels[label].name; };
    std::stable_sort(labels.begin(), labels.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return name_of(a) < name_of(b); });
    // The first label of each name has the sum of all.
    std::size_t count = 0;
    for (const std::uint32_t label : labels) {
      if (count > 0 && name_of(labels[count - 1]) == name_of(label)) {
        by_label[labels[count - 1]].ns += by_label[label].ns;
        by_label[labels[count - 1]].calls += by_label[label].calls;
      } else {
        labels[count++] = label;
      }
    }
    labels.resize(count);
    if (count > most) {
      std::stable_sort(labels.begin(), labels.end(), [&](std::uint32_t a, std::uint32_t b) {
        return by_label[a].ns > by_label[b].ns;
      });
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [ns, calls] = by_label[labels[i]];
      if (i < most) {
        items->push_back(
            {std::string(trace.texts[name_of(labels[i])]), ns, static_cast<double>(calls)});
      } else {
        rest->amount += ns;
        rest->calls += static_cast<double>(calls);
      }
    }
  };
  SelfTimes times;
  sum_where(is_host, &times.host, &times.host_rest);
  sum_where(is_device, &times.device, &times.device_rest);
  return times;
}

}  // namespace benchhud::analysis
