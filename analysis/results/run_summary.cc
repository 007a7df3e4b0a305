#include "analysis/results/run_summary.h"

#include <map>
#include <utility>

#include "analysis/statistics/summary.h"

namespace benchhud::analysis {
namespace {

struct GatheredGroup {
  RunGroup group;
  std::vector<double> compile;
  std::map<std::string, CodeCount> codes;
};

void add_code(GatheredGroup& into, const std::optional<VerificationView>& verification) {
  if (!verification) return;
  CodeCount& code = into.codes[verification->code];
  ++code.count;
  code.stale += verification->stale;
}

RunGroup finish(GatheredGroup gathered) {
  RunGroup group = std::move(gathered.group);
  if (!gathered.compile.empty()) {
    group.compile =
        CompileSummary{median(gathered.compile), mean(gathered.compile), gathered.compile.size()};
  }
  for (auto& [name, count] : gathered.codes) {
    count.code = name;
    group.codes.push_back(std::move(count));
  }
  return group;
}

}  // namespace

RunSummary summarize_run(const JudgedRun& run, const Catalog& catalog,
                         std::string_view baseline_backend) {
  RunSummary summary;
  std::map<std::pair<std::string_view, std::string_view>, GatheredGroup> groups;
  for (const auto& view : run.results) {
    const auto* entry = catalog.find(view.experiment);
    if (entry == nullptr) continue;
    GatheredGroup& gathered = groups[{entry->experiment().test, entry->backend()}];
    gathered.group.add(view);
    if (view.compile) gathered.compile.push_back(*view.compile);
    add_code(gathered, view.verification);
    summary.verified |= view.verification && !view.verification->stale;
  }

  const Baseline baseline = baseline_of_run(run, catalog, baseline_backend, Estimator::kSteady);
  SpeedupOptions options;
  options.intervals = false;
  const auto speedups = run_speedups(run.run.id, run.results, catalog, baseline, options);
  std::map<std::pair<std::string_view, std::string_view>, const ColumnGeomean*> means;
  const auto rows = geomeans(run.results, catalog, speedups, GroupBy::kBackend);
  for (const auto& row : rows) means[{row.test, row.backend}] = &row;

  for (auto& [key, gathered] : groups) {
    RunGroup group = finish(std::move(gathered));
    group.test = key.first;
    group.backend = key.second;
    const auto found = means.find(key);
    if (key.second != baseline_backend && found != means.end()) {
      group.all = found->second->all;
      group.matched = found->second->matched;
    }
    summary.groups.push_back(std::move(group));
  }
  return summary;
}

}  // namespace benchhud::analysis
