#include "analysis/results/rollup.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/statistics/bootstrap.h"
#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

GroupKey key_of(const CatalogEntry& entry, const Grouping& grouping) {
  GroupKey key;
  if (grouping.suite) key.suite = entry.experiment().suite;
  if (grouping.test) key.test = entry.experiment().test;
  if (grouping.backend || grouping.column) key.backend = entry.backend();
  if (grouping.column) key.column = entry.column();
  return key;
}

/// Equal for groups whose geomeans may be compared.
GroupKey peers_key(GroupKey key) {
  key.backend.reset();
  key.column.reset();
  return key;
}

struct Gathered {
  GroupRollup rollup;
  std::vector<double> compile;
  std::vector<ModelSpeedup> shown_speedups, speedups;
  bool is_shown = false;
};

void count_result(const ResultDigest& result, Gathered& into) {
  GroupRollup& group = into.rollup;
  ++group.outcomes[static_cast<std::size_t>(result.outcome)];
  if (!std::isnan(result.compile)) into.compile.push_back(result.compile);
  if (result.is_verified()) {
    group.add(result.status, result.is_verifiable, result.verification_outcome, result.stale);
  } else {
    group.add_unverified(result.status, result.is_verifiable);
  }
}

void add_geomeans(const RollupSlice& slice, std::vector<Gathered>& groups) {
  std::map<GroupKey, std::vector<Gathered*>> peers;
  for (Gathered& group : groups) peers[peers_key(group.rollup.key)].push_back(&group);
  const bool by_backend_alone = slice.grouping.backend && !slice.grouping.column;
  for (const auto& [key, of_key] : peers) {
    std::vector<std::vector<ModelSpeedup>> speedups;
    for (const Gathered* group : of_key) {
      speedups.push_back(group->is_shown ? group->shown_speedups : group->speedups);
    }
    auto means = peer_geomeans(speedups);
    for (std::size_t i = 0; i < of_key.size(); ++i) {
      GroupRollup& rollup = of_key[i]->rollup;
      if (by_backend_alone && rollup.key.backend == slice.baseline) continue;
      rollup.geomean = std::move(means[i]);
    }
  }
}

}  // namespace

std::vector<double> digest_speedups(const RunDigest& digest, const Catalog& catalog,
                                    std::string_view baseline) {
  // What speedups hang on of a judged run is all in its digest, so there is one formula for both.
  JudgedRun run;
  run.results.reserve(digest.results.size());
  for (const ResultDigest& result : digest.results) {
    ResultView& view = run.results.emplace_back();
    view.experiment = result.experiment;
    view.status = result.status;
    if (result.is_timed()) view.steady.emplace().value = result.steady;
  }
  SpeedupOptions options;
  options.intervals = false;
  const auto judged =
      run_speedups(run.run.id, run.results, catalog,
                   baseline_of_run(run, catalog, baseline, Estimator::kSteady), options);
  std::vector<double> speedups;
  speedups.reserve(judged.size());
  for (const auto& one : judged) {
    speedups.push_back(one.speedup ? one.speedup->value : ResultDigest::kNone);
  }
  return speedups;
}

SliceGroups::SliceGroups(const Catalog& catalog, RollupSlice slice)
    : catalog_(catalog),
      slice_(std::move(slice)),
      groups_(catalog.entries().size(), kNoGroup),
      shown_(catalog.entries().size()) {
  std::map<GroupKey, std::vector<std::size_t>> members;
  for (const CatalogEntry& entry : catalog.entries()) {
    if (!slice_.is_compared(entry)) continue;
    members[key_of(entry, slice_.grouping)].push_back(catalog.place(entry));
    shown_[catalog.place(entry)] = slice_.is_shown(entry);
  }
  for (auto& [key, places] : members) {
    for (const std::size_t place : places) groups_[place] = keys_.size();
    keys_.push_back(key);
  }
}

std::optional<SliceGroups::Place> SliceGroups::find(schema::ExperimentId experiment) const {
  const CatalogEntry* entry = catalog_.find(experiment);
  if (entry == nullptr) return {};
  const std::size_t place = catalog_.place(*entry);
  if (groups_[place] == kNoGroup) return {};
  return Place{entry, groups_[place], shown_[place]};
}

std::vector<GroupRollup> roll_up(const RunDigest& digest, std::span<const double> speedups,
                                 const SliceGroups& groups) {
  std::vector<Gathered> gathered(groups.keys().size());
  for (std::size_t i = 0; i < gathered.size(); ++i) gathered[i].rollup.key = groups.keys()[i];
  for (std::size_t i = 0; i < digest.results.size() && i < speedups.size(); ++i) {
    const auto place = groups.find(digest.results[i].experiment);
    if (!place) continue;
    Gathered& group = gathered[place->group];
    if (!std::isnan(speedups[i])) {
      group.speedups.emplace_back(place->entry->model(), speedups[i]);
      if (place->is_shown) group.shown_speedups.push_back(group.speedups.back());
    }
    if (!place->is_shown) continue;
    group.is_shown = true;
    count_result(digest.results[i], group);
  }
  add_geomeans(groups.slice(), gathered);
  std::vector<GroupRollup> rollups;
  for (Gathered& group : gathered) {
    if (!group.is_shown) continue;
    if (!group.compile.empty()) {
      group.rollup.compile =
          CompileSummary{median(group.compile), mean(group.compile), group.compile.size()};
    }
    rollups.push_back(std::move(group.rollup));
  }
  return rollups;
}

std::vector<SteadyLevels> steady_levels(std::span<const RunDigest* const> runs,
                                        const SliceGroups& groups) {
  struct Timed {
    std::size_t experiment;  // place in the catalog
    std::size_t group;
    double steady;
  };
  const Catalog& catalog = groups.catalog();
  std::vector<std::vector<Timed>> timed(runs.size());
  // In how many runs each experiment is timed, and each group has one that is.
  std::vector<std::size_t> experiment_runs(catalog.entries().size());
  std::vector<std::size_t> group_runs(groups.keys().size());
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::vector<bool> seen(groups.keys().size());
    for (const ResultDigest& result : runs[run]->results) {
      const auto place = result.is_timed() ? groups.find(result.experiment) : std::nullopt;
      if (!place || !place->is_shown) continue;
      timed[run].push_back({catalog.place(*place->entry), place->group, result.steady});
      ++experiment_runs[timed[run].back().experiment];
      seen[place->group] = true;
    }
    for (std::size_t i = 0; i < seen.size(); ++i) group_runs[i] += seen[i];
  }

  std::vector<SteadyLevels> levels(groups.keys().size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].key = groups.keys()[i];
    levels[i].levels.resize(runs.size());
  }
  std::vector<bool> is_counted(experiment_runs.size());
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::vector<std::vector<double>> values(levels.size());
    for (const Timed& one : timed[run]) {
      SteadyLevels& group = levels[one.group];
      const bool always = experiment_runs[one.experiment] == group_runs[one.group];
      if (!is_counted[one.experiment]) {
        is_counted[one.experiment] = true;
        ++group.of;
        group.n += always;
      }
      if (always) values[one.group].push_back(one.steady);
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (!values[i].empty()) levels[i].levels[run] = geometric_mean(values[i]);
    }
  }
  std::erase_if(levels, [](const SteadyLevels& group) { return group.of == 0; });
  return levels;
}

SpanChange span_change(std::span<const double> before, std::span<const double> after) {
  const auto finite = [](std::span<const double> values) {
    std::vector<double> kept;
    std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
                 [](double value) { return std::isfinite(value); });
    return kept;
  };
  const auto value_of = [](const std::vector<double>& values) {
    return values.empty() ? SpanValue{} : SpanValue{median(values), values.size()};
  };
  const auto first = finite(before), last = finite(after);
  SpanChange change{value_of(first), value_of(last), {}, {}};
  if (!(change.before.value > 0) || !(change.after.value > 0)) return change;
  const double ratio = change.after.value / change.before.value;
  if (!std::isfinite(ratio) || ratio <= 0) return change;
  change.ratio = ratio;
  change.interval = ratio_of_medians_interval(last, first);
  return change;
}

}  // namespace benchhud::analysis
