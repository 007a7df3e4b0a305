#include "service/alerts/alert_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace benchhud::service {
namespace {

using analysis::AlertScope;
using analysis::WatchedAlert;

std::string subject_of(const AlertContext& context, const analysis::AlertGroup& group) {
  // No subject begins like another: a moved alert is known again by how its key begins.
  std::string subject = group.is_of_failures ? "failures\t" : "";
  subject += analysis::alert_scope_name(group.scope);
  if (group.scope == AlertScope::kBackend) subject += "\t" + group.backend;
  if (group.scope == AlertScope::kModel) {
    // Models are numbered in the order of the entries.
    const auto entries = context.catalog.entries();
    const auto entry = std::ranges::lower_bound(entries, group.model, {},
                                                [](const auto& one) { return one.model(); });
    if (entry != entries.end()) {
      subject += "\t" + entry->experiment().suite + "\t" + entry->experiment().model;
    }
  }
  return subject;
}

/// How many nights before that one count.
std::size_t counted_before(const analysis::AlertDetector& fleet, std::size_t night) {
  const auto excluded = fleet.excluded();
  return night -
         static_cast<std::size_t>(std::ranges::lower_bound(excluded, night) - excluded.begin());
}

}  // namespace

std::vector<FoundAlert> found_alerts(const AlertContext& context) {
  std::vector<FoundAlert> all;
  all.reserve(context.fleet.alerts().size());
  std::unordered_map<std::string, int> seen;  // several alerts may have begun in one night
  for (const WatchedAlert& watched : context.fleet.alerts()) {
    FoundAlert& found = all.emplace_back();
    found.watched = &watched;
    found.key = subject_of(context, watched.at_first);
    found.subject_bytes = found.key.size();
    found.key += fmt::format("\t{}", context.nights[watched.at_first.onset].started_at);
    if (const int number = ++seen[found.key]; number > 1) found.key += fmt::format("\t{}", number);
  }
  return all;
}

std::size_t nearest_night(std::span<const schema::Run> nights, double time) {
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (std::abs(nights[i].started_at - time) < std::abs(nights[nearest].started_at - time)) {
      nearest = i;
    }
  }
  return nearest;
}

std::size_t nights_between(const AlertContext& context, std::size_t one, std::size_t other) {
  return analysis::nights_apart(counted_before(context.fleet, one),
                                counted_before(context.fleet, other));
}

std::vector<std::optional<std::size_t>> match_alerts(const AlertContext& context,
                                                     std::span<const FoundAlert> found,
                                                     std::span<const schema::AlertOutline> stored) {
  std::vector<std::optional<std::size_t>> matches(found.size());
  std::vector<std::pair<std::string_view, std::size_t>> by_key;
  for (std::size_t k = 0; k < stored.size(); ++k) by_key.emplace_back(stored[k].key, k);
  std::sort(by_key.begin(), by_key.end());
  const auto from = [&](std::string_view key) {
    return std::ranges::lower_bound(by_key, key, {}, [](const auto& one) { return one.first; });
  };
  std::vector<bool> is_taken(stored.size(), false);
  const auto take = [&](std::size_t i, std::size_t k) {
    if (matches[i] || is_taken[k]) return;
    is_taken[k] = true;
    matches[i] = k;
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto same = from(found[i].key);
    if (same != by_key.end() && same->first == found[i].key) take(i, same->second);
  }
  // Pairs by how near they are, then by number.
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> near;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (matches[i]) continue;
    const std::string start = std::string(found[i].subject()) + "\t";
    for (auto one = from(start); one != by_key.end() && one->first.starts_with(start); ++one) {
      const std::size_t k = one->second;
      if (is_taken[k]) continue;
      const std::size_t off = nights_between(
          context, nearest_night(context.nights, stored[k].onset), found[i].watched->group.onset);
      if (off <= analysis::kSameCause) near.emplace_back(off, k, i);
    }
  }
  std::sort(near.begin(), near.end());
  for (const auto& [off, k, i] : near) take(i, k);
  return matches;
}

}  // namespace benchhud::service
