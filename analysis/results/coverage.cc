#include "analysis/results/coverage.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace benchhud::analysis {
namespace {

using schema::ExpectedResult;

/// Where an experiment was, by its place in the catalog.
struct Presence {
  std::uint64_t runs = 0;  // a bit a run before, the last one the lowest
  std::uint64_t timed = 0;
  std::optional<Outcome> now;
  bool is_timed = false;        // now
  std::optional<Outcome> last;  // in the run before
};

/// Of every experiment in the catalog's order.
std::vector<Presence> presences(const Catalog& catalog, const RunDigest& run,
                                std::span<const RunDigest* const> before) {
  std::vector<Presence> all(catalog.entries().size());
  const auto at = [&](schema::ExperimentId id) -> Presence* {
    const CatalogEntry* entry = catalog.find(id);
    return entry == nullptr ? nullptr : &all[catalog.place(*entry)];
  };
  for (const ResultDigest& result : run.results) {
    Presence* one = at(result.experiment);
    if (one == nullptr) continue;
    one->now = result.outcome;
    one->is_timed = result.status == Status::kTimed;
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    for (const ResultDigest& result : before[i]->results) {
      Presence* one = at(result.experiment);
      if (one == nullptr) continue;
      one->runs |= bit;
      if (result.is_timed()) one->timed |= bit;
      if (i == 0) one->last = result.outcome;
    }
  }
  return all;
}

std::optional<std::size_t> lowest_bit(std::uint64_t bits) {
  if (bits == 0) return std::nullopt;
  std::size_t place = 0;
  while ((bits >> place & 1) == 0) ++place;
  return place;
}

CoverageItem item_of(const CatalogEntry& entry, const Presence& presence) {
  CoverageItem item;
  item.entry = &entry;
  item.outcome = presence.now.value_or(Outcome::kNotRun);
  item.before = presence.last;
  item.is_timed = presence.is_timed;
  if (item.is_timed) {
    item.timed_runs_ago = 0;
  } else if (const auto place = lowest_bit(presence.timed)) {
    item.timed_runs_ago = *place + 1;
  }
  return item;
}

/// What is expected because it was there before.
std::vector<CoverageItem> by_history(const Catalog& catalog, const std::vector<Presence>& all) {
  const auto entries = catalog.entries();
  // Those that may stand for each other.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> siblings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].now) siblings[{entries[i].workload(), entries[i].column_group()}].push_back(i);
  }
  const auto is_replaced = [&](std::size_t missing) {
    const auto found =
        siblings.find({entries[missing].workload(), entries[missing].column_group()});
    return found != siblings.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](std::size_t other) {
             return (all[other].runs & all[missing].runs) == 0;
           });
  };
  std::vector<CoverageItem> items;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_expected = all[i].runs != 0;
    if (!all[i].now && (!is_expected || is_replaced(i))) continue;
    items.push_back(item_of(entries[i], all[i]));
    items.back().is_expected = is_expected;
  }
  return items;
}

std::vector<CoverageItem> by_manifest(const Catalog& catalog, const std::vector<Presence>& all,
                                      std::span<const ExpectedResult> manifest) {
  const auto entries = catalog.entries();
  const auto place_of = [&](const CatalogEntry& entry) -> std::optional<std::size_t> {
    const auto& e = entry.experiment();
    const auto names = std::tie(e.suite, e.model, e.test, entry.backend());
    const auto found = std::lower_bound(
        manifest.begin(), manifest.end(), names, [](const ExpectedResult& one, const auto& wanted) {
          return std::tie(one.suite, one.model, one.test, one.backend) < wanted;
        });
    if (found == manifest.end() ||
        std::tie(found->suite, found->model, found->test, found->backend) != names) {
      return std::nullopt;
    }
    return static_cast<std::size_t>(found - manifest.begin());
  };
  enum class Seen : std::uint8_t { kNever, kBefore, kNow };
  std::vector<Seen> seen(manifest.size(), Seen::kNever);
  std::vector<std::size_t> latest(manifest.size(), 0);  // where kBefore: its entry
  std::vector<bool> is_shown(all.size(), false);
  std::vector<bool> is_named(all.size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto place = place_of(entries[i]);
    is_named[i] = place.has_value();
    is_shown[i] = all[i].now.has_value();
    if (!place) continue;
    if (all[i].now) {
      seen[*place] = Seen::kNow;
    } else if (all[i].runs != 0 && seen[*place] != Seen::kNow) {
      const bool is_later = seen[*place] == Seen::kNever ||
                            lowest_bit(all[i].runs) < lowest_bit(all[latest[*place]].runs);
      if (is_later) latest[*place] = i;
      seen[*place] = Seen::kBefore;
    }
  }
  for (std::size_t i = 0; i < manifest.size(); ++i) {
    if (seen[i] == Seen::kBefore) is_shown[latest[i]] = true;
  }
  std::vector<CoverageItem> items;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_shown[i]) continue;
    items.push_back(item_of(entries[i], all[i]));
    items.back().is_expected = is_named[i];
  }
  for (std::size_t i = 0; i < manifest.size(); ++i) {
    if (seen[i] != Seen::kNever) continue;
    items.emplace_back();
    items.back().expected = &manifest[i];
  }
  return items;
}

}  // namespace

std::vector<CoverageItem> coverage(const Catalog& catalog, const RunDigest& run,
                                   std::span<const RunDigest* const> before,
                                   std::span<const schema::ExpectedResult> manifest) {
  const auto all =
      presences(catalog, run, before.first(std::min(before.size(), kMostCoverageRuns)));
  return manifest.empty() ? by_history(catalog, all) : by_manifest(catalog, all, manifest);
}

void count(const CoverageItem& item, CoverageCounts* counts) {
  if (!item.is_expected) {
    ++counts->extra;
    counts->extra_timed += item.is_timed;
    return;
  }
  ++counts->expected;
  counts->timed += item.is_timed;
  ++counts->outcomes[static_cast<std::size_t>(item.outcome)];
  counts->lost += is_lost(item);
}

bool is_lost(const CoverageItem& item) {
  return item.is_expected && item.before == Outcome::kTimed && item.outcome != Outcome::kTimed;
}

}  // namespace benchhud::analysis
