#include "analysis/results/group_changes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

/// What a run says of a model in a group.
struct ModelResult {
  const CatalogEntry* entry = nullptr;
  std::vector<double> speedups, compile;
  bool is_timed = false;
  Outcome outcome = Outcome::kNotRun;  ///< the gravest of its results
  std::shared_ptr<const ErrorText> error;
};

using GroupName = std::pair<std::string_view, std::string_view>;  // test, backend
using Models = std::map<std::size_t, ModelResult>;                // by CatalogEntry::model

/// Of two outcomes of a model without timings the one that says more of why: a failure before a
/// skip, a skip before nothing.
bool says_more(Outcome a, Outcome b) {
  const auto rank = [](Outcome outcome) {
    switch (outcome) {
      case Outcome::kCrashed:
      case Outcome::kTimedOut:
      case Outcome::kOutOfMemory:
        return 0;
      case Outcome::kRaised:
        return 1;
      case Outcome::kSkipped:
        return 2;
      case Outcome::kWrong:
      case Outcome::kTimed:
      case Outcome::kNotTimed:
        return 3;
      case Outcome::kNotRun:
        return 4;
    }
    return 4;
  };
  return rank(a) < rank(b);
}

std::map<GroupName, Models> models_of(const JudgedRun& run, const Catalog& catalog,
                                      std::string_view backend) {
  SpeedupOptions options;
  options.intervals = false;
  const auto speedups =
      run_speedups(run.run.id, run.results, catalog,
                   baseline_of_run(run, catalog, backend, Estimator::kSteady), options);
  std::map<GroupName, Models> groups;
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const ResultView& view = run.results[i];
    const CatalogEntry* entry = catalog.find(view.experiment);
    if (entry == nullptr) continue;
    ModelResult& model = groups[{entry->experiment().test, entry->backend()}][entry->model()];
    if (model.entry == nullptr) model.entry = entry;
    model.is_timed = model.is_timed || view.status == Status::kTimed;
    const Outcome outcome = outcome_of(view);
    if (says_more(outcome, model.outcome)) {
      model.outcome = outcome;
      model.error = view.failure ? view.failure->error : nullptr;
    }
    if (speedups[i].speedup && entry->backend() != backend) {
      model.speedups.push_back(speedups[i].speedup->value);
    }
    if (view.compile && *view.compile > 0) model.compile.push_back(*view.compile);
  }
  return groups;
}

/// The geometric means of a value over the models that have it in both.
MeanChange mean_over_both(const Models& before, const Models& after,
                          std::vector<double> ModelResult::* values) {
  std::vector<ModelValues> both;
  for (const auto& [model, now] : after) {
    const auto found = before.find(model);
    if (found == before.end()) continue;
    const auto &was = found->second.*values, &is = now.*values;
    if (!was.empty() && !is.empty()) {
      both.push_back({model, geometric_mean(was), geometric_mean(is)});
    }
  }
  return mean_change(std::move(both));
}

std::size_t count_with_speedup(const Models& models) {
  return static_cast<std::size_t>(std::count_if(models.begin(), models.end(), [](const auto& item) {
    return !item.second.speedups.empty();
  }));
}

GroupChange change_of(const GroupName& name, const Models& before, const Models& after) {
  GroupChange change;
  std::tie(change.test, change.backend) = name;
  change.speedup = mean_over_both(before, after, &ModelResult::speedups);
  change.compile = mean_over_both(before, after, &ModelResult::compile);
  change.speedups_before = count_with_speedup(before);
  change.speedups_after = count_with_speedup(after);
  for (const auto& [model, was] : before) {
    const auto now = after.find(model);
    if (!was.is_timed || (now != after.end() && now->second.is_timed)) continue;
    UntimedModel& lost = change.no_longer_timed.emplace_back();
    lost.experiment = was.entry->id();
    if (now == after.end()) continue;
    lost.outcome = now->second.outcome;
    lost.error = now->second.error;
  }
  for (const auto& [model, is] : after) {
    const auto was = before.find(model);
    change.newly_timed += is.is_timed && (was == before.end() || !was->second.is_timed);
  }
  return change;
}

}  // namespace

std::vector<GroupChange> group_changes(const JudgedRun& before, const JudgedRun& after,
                                       const Catalog& catalog, std::string_view baseline) {
  std::map<GroupName, std::pair<Models, Models>> groups;
  for (auto& [name, models] : models_of(before, catalog, baseline)) {
    groups[name].first = std::move(models);
  }
  for (auto& [name, models] : models_of(after, catalog, baseline)) {
    groups[name].second = std::move(models);
  }
  std::vector<GroupChange> changes;
  for (const auto& [name, models] : groups) {
    changes.push_back(change_of(name, models.first, models.second));
  }
  return changes;
}

}  // namespace benchhud::analysis
