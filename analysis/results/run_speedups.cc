#include "analysis/results/run_speedups.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/statistics/bootstrap.h"

namespace benchhud::analysis {
namespace {

BaselineResult baseline_result(schema::RunId run, const ResultView& view, Estimator estimator) {
  return {run, view.experiment, view.status, time_of(view, estimator), view.steady_samples};
}

/// The order in which configurations of one backend stand for it.
auto configuration_rank(const CatalogEntry& entry) {
  return std::tuple(entry.configuration().size(), std::string_view(entry.configuration()));
}

/// What of its configuration a result has in common with another backend's of the same.
std::string flags_of(const CatalogEntry& entry) {
  return entry.experiment().accelerator + '\n' + entry.experiment().flags;
}

std::optional<Exclusion> without_time(const ResultView& view, bool has_time) {
  if (view.status == Status::kFailed) return Exclusion::kFailed;
  if (view.status == Status::kSkipped) return Exclusion::kSkipped;
  if (view.status == Status::kNotTimed) return Exclusion::kNotTimed;
  if (!has_time) return Exclusion::kTooFewSamples;
  return {};
}

std::optional<Exclusion> not_passing(const ResultView& view) {
  if (!view.verification) return Exclusion::kNotVerified;
  if (view.verification->verification_outcome == VerificationOutcome::kPassing) return {};
  return verification_info(view.verification->code).is_verdict ? Exclusion::kVerificationFailed
                                                               : Exclusion::kNotVerified;
}

Exclusion missing_baseline(const Baseline& baseline, const BaselineResult* found,
                           const CatalogEntry& entry) {
  if (found != nullptr && found->status == Status::kTimed) return Exclusion::kTooFewSamples;
  if (found != nullptr && found->status != Status::kNotTimed) return Exclusion::kBaselineFailed;
  if (baseline.failed_without_batch_size(entry)) return Exclusion::kBaselineFailed;
  if (baseline.timed_with_another_batch_size(entry)) return Exclusion::kBatchSizeDiffers;
  return Exclusion::kBaselineMissing;
}

EstimateFlags either(const EstimateFlags& a, const EstimateFlags& b) {
  return {a.no_warmup_dropped || b.no_warmup_dropped, a.few_samples || b.few_samples,
          a.unusable_samples || b.unusable_samples};
}

std::optional<SpeedupView> compare(const ResultView& view, const Estimate& own,
                                   const BaselineResult& against, const SpeedupOptions& options) {
  const double value = against.time->value / own.value;
  if (!std::isfinite(value) || value <= 0) return {};
  SpeedupView speedup;
  speedup.value = value;
  speedup.n = std::min(own.n, against.time->n);
  speedup.flags = either(own.flags, against.time->flags);
  speedup.baseline_run = against.run;
  speedup.baseline_experiment = against.experiment;
  if (options.intervals && options.estimator == Estimator::kSteady) {
    speedup.interval = ratio_of_medians_interval(against.steady_samples, view.steady_samples);
  }
  return speedup;
}

GeomeanView geomean_of(const std::vector<double>& ratios) {
  GeomeanView view;
  view.n = ratios.size();
  if (ratios.empty()) return view;
  const double value = geometric_mean(ratios);
  if (std::isfinite(value)) view.value = value;
  view.interval = geomean_interval(ratios);
  return view;
}

using Model = std::size_t;  // CatalogEntry::model

struct Group {
  std::string_view test, column, backend;
  std::vector<ModelSpeedup> speedups;  // of every result
  std::vector<std::pair<Exclusion, const CatalogEntry*>> excluded;
};

/// Of each model the geomean over its results, in the models' order.
std::vector<ModelSpeedup> by_model(std::vector<ModelSpeedup> speedups) {
  std::stable_sort(speedups.begin(), speedups.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ModelSpeedup> models;
  for (auto at = speedups.begin(); at != speedups.end();) {
    std::vector<double> values;
    const Model model = at->first;
    for (; at != speedups.end() && at->first == model; ++at) values.push_back(at->second);
    models.emplace_back(model, geometric_mean(values));
  }
  return models;
}

/// The models that every group has which has any; the groups are by_model().
std::vector<Model> common_models(const std::vector<std::vector<ModelSpeedup>>& groups) {
  std::vector<Model> common;
  bool first = true;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    std::vector<Model> own, both;
    for (const auto& [model, value] : group) own.push_back(model);
    if (first) {
      both = std::move(own);
    } else {
      std::set_intersection(common.begin(), common.end(), own.begin(), own.end(),
                            std::back_inserter(both));
    }
    common = std::move(both);
    first = false;
  }
  return common;
}

std::vector<ExcludedModels> excluded_models(const Group& group) {
  auto results = group.excluded;
  std::stable_sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second->model()) < std::pair(b.first, b.second->model());
  });
  std::vector<ExcludedModels> excluded;
  Model last = 0;
  for (const auto& [reason, entry] : results) {
    const bool is_new = excluded.empty() || excluded.back().reason != reason;
    if (is_new) excluded.push_back({reason, 0, {}});
    ++excluded.back().count;
    if (is_new || entry->model() != last) {
      const auto& e = entry->experiment();
      excluded.back().models.push_back(e.suite + "/" + e.model);
    }
    last = entry->model();
  }
  return excluded;
}

/// `models` are by_model().
PeerGeomeans geomeans_over(const std::vector<ModelSpeedup>& models,
                           const std::vector<Model>& matched) {
  std::vector<double> all, common;
  for (const auto& [model, value] : models) {
    all.push_back(value);
    if (std::binary_search(matched.begin(), matched.end(), model)) common.push_back(value);
  }
  PeerGeomeans means;
  means.all = geomean_of(all);
  means.matched = common.size() == all.size() ? means.all : geomean_of(common);
  return means;
}

/// A page of the runs that timed an experiment; the first nearly always does.
constexpr std::size_t kFirstRuns = 4;

/// The first result of `experiment` that has a time.
schema::Expected<std::optional<BaselineResult>> first_time(schema::Reader& reader,
                                                           const CatalogEntry& entry,
                                                           Estimator estimator) {
  std::optional<BaselineResult> untimed;
  std::size_t seen = 0;
  for (std::size_t limit = kFirstRuns;; limit *= 8) {
    BENCHHUD_ASSIGN(const auto runs, reader.first_timed_runs(entry.id(), limit));
    for (; seen < runs.size(); ++seen) {
      BENCHHUD_ASSIGN(const auto facts, reader.result(runs[seen], entry.id()));
      const ResultView view = judge_result(facts, {}, ErrorTexts::none());
      BaselineResult result = baseline_result(runs[seen], view, estimator);
      if (result.time) return std::optional(std::move(result));
      if (!untimed) untimed = std::move(result);
    }
    if (runs.size() < limit) return untimed;
  }
}

}  // namespace

std::string_view exclusion_name(Exclusion exclusion) {
  switch (exclusion) {
    case Exclusion::kIsBaseline:
      return "is_baseline";
    case Exclusion::kFailed:
      return "failed";
    case Exclusion::kSkipped:
      return "skipped";
    case Exclusion::kNotTimed:
      return "not_timed";
    case Exclusion::kTooFewSamples:
      return "too_few_samples";
    case Exclusion::kBaselineMissing:
      return "baseline_missing";
    case Exclusion::kBaselineFailed:
      return "baseline_failed";
    case Exclusion::kBatchSizeDiffers:
      return "batch_size_differs";
    case Exclusion::kNotVerified:
      return "not_verified";
    case Exclusion::kVerificationFailed:
      return "verification_failed";
  }
  return "baseline_missing";
}

std::optional<Estimate> time_of(const ResultView& view, Estimator estimator) {
  if (estimator == Estimator::kSteady) return view.steady;
  // A mean of zero or less is no time that anything can be divided by.
  if (!view.upstream || !(view.upstream->mean > 0)) return {};
  Estimate estimate;
  estimate.value = view.upstream->mean;
  estimate.n = view.upstream->n;
  estimate.warmup_dropped = 3;
  estimate.flags.few_samples = view.upstream->n < 5;
  return estimate;
}

void Baseline::offer(const CatalogEntry& entry, BaselineResult result) {
  Workload& workload = workloads_[entry.workload()];
  workload.timed |= result.time.has_value();
  workload.failed_without_batch_size |=
      !entry.experiment().batch_size &&
      (result.status == Status::kFailed || result.status == Status::kSkipped);
  backend_ = entry.backend();
  if (result.time) timed_[entry.comparable()].push_back({flags_of(entry), result});
  const auto [place, is_new] = results_.try_emplace(entry.comparable(), result);
  if (!is_new && !place->second.time && result.time) place->second = std::move(result);
}

const BaselineResult* Baseline::find(const CatalogEntry& entry) const {
  const auto timed = timed_.find(entry.comparable());
  // The baseline's own configurations are compared with each other.
  if (timed != timed_.end() && entry.backend() != backend_) {
    const std::string flags = flags_of(entry);
    for (const Timed& one : timed->second) {
      if (one.flags == flags) return &one.result;
    }
  }
  const auto found = results_.find(entry.comparable());
  return found == results_.end() ? nullptr : &found->second;
}

bool Baseline::failed_without_batch_size(const CatalogEntry& entry) const {
  const auto found = workloads_.find(entry.workload());
  return found != workloads_.end() && found->second.failed_without_batch_size;
}

bool Baseline::timed_with_another_batch_size(const CatalogEntry& entry) const {
  const auto found = workloads_.find(entry.workload());
  return found != workloads_.end() && found->second.timed;
}

std::vector<schema::RunId> Baseline::runs() const {
  std::set<schema::RunId> runs;
  for (const auto& [comparable, timed] : timed_) {
    for (const Timed& one : timed) runs.insert(one.result.run);
  }
  return {runs.begin(), runs.end()};
}

Baseline baseline_of_run(const JudgedRun& run, const Catalog& catalog, std::string_view backend,
                         Estimator estimator) {
  std::vector<std::pair<const CatalogEntry*, const ResultView*>> candidates;
  for (const auto& view : run.results) {
    const auto* entry = catalog.find(view.experiment);
    if (entry != nullptr && entry->backend() == backend) candidates.emplace_back(entry, &view);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return configuration_rank(*a.first) < configuration_rank(*b.first);
  });
  Baseline baseline;
  for (const auto& [entry, view] : candidates) {
    baseline.offer(*entry, baseline_result(run.run.id, *view, estimator));
  }
  return baseline;
}

schema::Expected<Baseline> oldest_baseline(schema::Reader& reader, const Catalog& catalog,
                                           std::string_view backend,
                                           std::string_view accelerator_model,
                                           Estimator estimator) {
  struct Candidate {
    const CatalogEntry* entry;
    BaselineResult result;
    double started_at;
  };
  std::vector<Candidate> candidates;
  std::map<schema::RunId, double> started;
  for (const auto& entry : catalog.entries()) {
    if (entry.backend() != backend || entry.experiment().accelerator_model != accelerator_model) {
      continue;
    }
    BENCHHUD_ASSIGN(auto first, first_time(reader, entry, estimator));
    if (!first) continue;
    const auto [place, is_new] = started.try_emplace(first->run, 0.0);
    if (is_new) {
      BENCHHUD_ASSIGN(const auto run, reader.run(first->run));
      place->second = run.started_at;
    }
    candidates.push_back({&entry, *std::move(first), place->second});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    const auto key = [](const Candidate& c) {
      return std::pair(c.started_at, configuration_rank(*c.entry));
    };
    return key(a) < key(b);
  });
  Baseline baseline;
  for (auto& candidate : candidates) baseline.offer(*candidate.entry, std::move(candidate.result));
  return baseline;
}

std::vector<JudgedSpeedup> run_speedups(schema::RunId run, std::span<const ResultView> results,
                                        const Catalog& catalog, const Baseline& baseline,
                                        const SpeedupOptions& options) {
  std::vector<JudgedSpeedup> judged;
  judged.reserve(results.size());
  for (const auto& view : results) {
    JudgedSpeedup& one = judged.emplace_back();
    const auto* entry = catalog.find(view.experiment);
    if (entry == nullptr) {
      one.excluded = Exclusion::kBaselineMissing;
      continue;
    }
    const auto own = time_of(view, options.estimator);
    const BaselineResult* against = baseline.find(*entry);
    const bool is_baseline =
        against != nullptr && against->run == run && against->experiment == view.experiment;
    if (const auto untimed = without_time(view, own.has_value())) {
      one.excluded = untimed;
    } else if (is_baseline) {
      one.excluded = Exclusion::kIsBaseline;
    } else if (options.verified_only && not_passing(view)) {
      one.excluded = not_passing(view);
    } else if (against == nullptr || !against->time) {
      one.excluded = missing_baseline(baseline, against, *entry);
    } else {
      one.speedup = compare(view, *own, *against, options);
      // Times so far apart that their ratio is no number: as good as no sample.
      if (!one.speedup) one.excluded = Exclusion::kTooFewSamples;
    }
  }
  return judged;
}

std::vector<PeerGeomeans> peer_geomeans(const std::vector<std::vector<ModelSpeedup>>& groups) {
  std::vector<std::vector<ModelSpeedup>> models;
  models.reserve(groups.size());
  for (const auto& group : groups) models.push_back(by_model(group));
  const auto matched = common_models(models);
  std::vector<PeerGeomeans> means;
  means.reserve(groups.size());
  for (const auto& group : models) means.push_back(geomeans_over(group, matched));
  return means;
}

std::vector<ColumnGeomean> geomeans(std::span<const ResultView> results, const Catalog& catalog,
                                    std::span<const JudgedSpeedup> speedups, GroupBy group_by) {
  const bool by_column = group_by == GroupBy::kColumn;
  std::map<std::size_t, Group> groups;
  for (std::size_t i = 0; i < results.size() && i < speedups.size(); ++i) {
    const auto* entry = catalog.find(results[i].experiment);
    if (entry == nullptr) continue;
    Group& group = groups[by_column ? entry->column_group() : entry->backend_group()];
    group.test = entry->experiment().test;
    group.column = by_column ? entry->column() : entry->backend();
    group.backend = entry->backend();
    if (speedups[i].speedup) {
      group.speedups.emplace_back(entry->model(), speedups[i].speedup->value);
    } else if (speedups[i].excluded) {
      group.excluded.emplace_back(*speedups[i].excluded, entry);
    }
  }
  // Groups are in the order of tests.
  std::map<std::string_view, std::vector<const Group*>> tests;
  for (const auto& [number, group] : groups) tests[group.test].push_back(&group);
  std::vector<ColumnGeomean> rows;
  for (const auto& [test, of_test] : tests) {
    std::vector<std::vector<ModelSpeedup>> peers;
    for (const Group* group : of_test) peers.push_back(group->speedups);
    auto means = peer_geomeans(peers);
    for (std::size_t i = 0; i < of_test.size(); ++i) {
      const Group& group = *of_test[i];
      rows.push_back({std::string(test), std::string(group.column), std::string(group.backend),
                      std::move(means[i].all), std::move(means[i].matched),
                      excluded_models(group)});
    }
  }
  return rows;
}

}  // namespace benchhud::analysis
