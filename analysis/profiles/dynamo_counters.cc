#include "analysis/profiles/dynamo_counters.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace benchhud::analysis {
namespace {

using schema::DynamoCounters;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

std::int64_t plus(std::int64_t a, std::int64_t b) { return a > kLargest - b ? kLargest : a + b; }

/// One repetition's counters: (group, counter) to count.
using Counts = std::map<std::pair<std::string_view, std::string_view>, std::int64_t>;

Counts counts_of(const DynamoCounters& counters) {
  Counts counts;
  for (const auto& [group, members] : counters.groups) {
    for (const auto& [name, count] : members) {
      auto& sum = counts[{group, name}];
      sum = plus(sum, std::max<std::int64_t>(count, 0));
    }
  }
  return counts;
}

bool is_recompile_group(std::string_view group) { return group.starts_with("recompile"); }

std::int64_t count_of(const Counts& counts, std::string_view group, std::string_view name) {
  const auto found = counts.find({group, name});
  return found == counts.end() ? 0 : found->second;
}

std::int64_t recompiles_of(const Counts& counts) {
  std::int64_t sum = 0;
  for (const auto& [key, count] : counts) {
    if (is_recompile_group(key.first)) sum = plus(sum, count);
  }
  return sum;
}

std::int64_t captured_of(const Counts& counts) {
  return std::max({count_of(counts, "frames", "ok"), count_of(counts, "stats", "unique_graphs"),
                   count_of(counts, "aot_autograd", "total"), recompiles_of(counts)});
}

/// Whether nothing that was counted before shrinks or vanishes in `after`.
bool goes_on(const Counts& before, const Counts& after) {
  return std::all_of(before.begin(), before.end(), [&](const auto& counter) {
    const auto found = after.find(counter.first);
    return counter.second == 0 || (found != after.end() && found->second >= counter.second);
  });
}

bool are_running_totals(const std::vector<Counts>& repetitions, bool slow_start) {
  if (repetitions.size() < 2 || captured_of(repetitions.front()) == 0) return false;
  bool grows = false;
  for (std::size_t i = 1; i < repetitions.size(); ++i) {
    if (!goes_on(repetitions[i - 1], repetitions[i])) return false;
    grows = grows || captured_of(repetitions[i]) > captured_of(repetitions[i - 1]);
  }
  return grows || slow_start;
}

/// What grew since `before`.
Counts growth(const Counts& before, const Counts& after) {
  Counts grown;
  for (const auto& [key, count] : after) {
    grown[key] = count - count_of(before, key.first, key.second);
  }
  return grown;
}

/// Older versions write a reason as Python shows a text, quotation marks included.
std::string_view without_quotes(std::string_view reason) {
  const bool quoted = reason.size() >= 2 && reason.front() == reason.back() &&
                      (reason.front() == '\'' || reason.front() == '"');
  return quoted ? reason.substr(1, reason.size() - 2) : reason;
}

std::vector<GraphBreak> by_count(const Counts& totals, std::string_view group) {
  std::vector<GraphBreak> found;
  for (const auto& [key, count] : totals) {
    if (key.first == group && count > 0) {
      found.push_back({std::string(without_quotes(key.second)), count});
    }
  }
  std::sort(found.begin(), found.end(), [](const GraphBreak& a, const GraphBreak& b) {
    return std::pair(-a.count, std::string_view(a.reason)) <
           std::pair(-b.count, std::string_view(b.reason));
  });
  return found;
}

/// The sums, in the order in which groups and counters first appear.
DynamoCounters in_order(std::span<const DynamoCounters> repetitions, Counts totals) {
  DynamoCounters ordered;
  std::map<std::string_view, std::size_t> places;
  for (const auto& repetition : repetitions) {
    for (const auto& [group, members] : repetition.groups) {
      for (const auto& [name, count] : members) {
        const auto left = totals.find({group, name});
        if (left == totals.end()) continue;
        const auto [place, is_new] = places.try_emplace(group, ordered.groups.size());
        if (is_new) ordered.groups.push_back({group, {}});
        ordered.groups[place->second].counters.emplace_back(name, left->second);
        totals.erase(left);
      }
    }
  }
  return ordered;
}

}  // namespace

bool is_of_cache(std::string_view group, std::string_view counter) {
  if (group == "graph_break" || group == "unimplemented" || is_recompile_group(group)) return false;
  return counter.find("cache") != counter.npos || counter.find("Cache") != counter.npos;
}

DynamoReport read_dynamo(std::span<const DynamoCounters> repetitions, bool slow_start) {
  std::vector<Counts> counts;
  counts.reserve(repetitions.size());
  for (const auto& repetition : repetitions) counts.push_back(counts_of(repetition));

  DynamoReport report;
  report.repetitions = repetitions.size();
  report.running_totals = are_running_totals(counts, slow_start);
  if (report.running_totals) {
    for (std::size_t i = counts.size(); i-- > 1;) counts[i] = growth(counts[i - 1], counts[i]);
  }
  Counts totals;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    report.captured.push_back(captured_of(counts[i]));
    if (i > 0) {
      report.recaptured_graphs =
          plus(report.recaptured_graphs, count_of(counts[i], "stats", "unique_graphs"));
    }
    for (const auto& [key, count] : counts[i]) {
      auto& sum = totals[key];
      sum = plus(sum, count);
    }
  }
  report.unique_graphs = count_of(totals, "stats", "unique_graphs");
  report.calls_captured = count_of(totals, "stats", "calls_captured");
  report.frames_total = count_of(totals, "frames", "total");
  report.frames_ok = count_of(totals, "frames", "ok");
  report.recompiles = recompiles_of(totals);
  report.graph_breaks = by_count(totals, "graph_break");
  for (const auto& graph_break : report.graph_breaks) {
    report.graph_break_count = plus(report.graph_break_count, graph_break.count);
  }
  report.unimplemented = by_count(totals, "unimplemented");
  report.totals = in_order(repetitions, std::move(totals));
  return report;
}

}  // namespace benchhud::analysis
