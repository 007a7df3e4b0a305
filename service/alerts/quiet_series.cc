#include "service/alerts/quiet_series.h"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schema/alerts/night_mark.h"
#include "schema/results/experiment_visit.h"
#include "service/alerts/night_reader.h"
#include "service/alerts/watched_nights.h"

namespace benchhud::service {
namespace {

using analysis::CatalogEntry;
using analysis::RunObservations;
using analysis::WatchedMetric;
using schema::Expected;
using schema::StoredExperiment;

class Sorting {
 public:
  Sorting(schema::Reader& reader, const analysis::FleetRules& rules,
          std::span<const schema::NightMark> marks)
      : reader_(reader), rules_(rules), marks_(marks) {}

  Expected<SortedOut> run() {
    BENCHHUD_TRY(read_marks());
    BENCHHUD_TRY(schema::visit_workloads(reader_.connection(),
                                         [&](const auto& workload) { return sort_out(workload); }));
    if (has_restless_) BENCHHUD_TRY(count_configurations());
    return std::move(sorted_);
  }

 private:
  /// What has a speedup, and what it is against: of one accelerator model.
  using Comparable = std::pair<std::string, std::optional<std::int64_t>>;  // and the batch size
  static Comparable comparable_of(const StoredExperiment& stored) {
    return {stored.experiment.accelerator_model, stored.experiment.batch_size};
  }

  /// Nights in the order of their runs.
  using NightKey = std::pair<double, schema::RunId>;

  Expected<void> read_marks() {
    if (marks_.empty()) return {};
    schema::RunFilter all;
    all.with_labels = false;
    BENCHHUD_ASSIGN(const auto runs, reader_.runs(all));
    for (const schema::Run& run : runs) {
      const analysis::RunAnnotations said = annotations_of(run, marks_);
      if (!said.is_excluded && !said.is_new_environment && !said.is_pinned) continue;
      marked_[run.accelerator_model].emplace(NightKey(run.started_at, run.id), said);
    }
    return {};
  }

  Expected<void> sort_out(const schema::Workload& workload) {
    baselines_.clear();
    restless_.clear();
    const auto visit = [&](bool is_baseline, const auto& each) {
      return schema::visit_experiments_of(reader_.connection(), workload, rules_.baseline,
                                          is_baseline, each);
    };
    BENCHHUD_TRY(visit(true, [&](const auto& stored) { return learn_baseline(stored); }));
    BENCHHUD_TRY(visit(false, [&](const auto& stored) { return watch(stored, false); }));
    return visit(true, [&](const auto& stored) {
      return watch(stored, restless_.contains(comparable_of(stored)));
    });
  }

  Expected<std::vector<RunObservations>> nights_of(const CatalogEntry& entry) {
    constexpr double kEver = std::numeric_limits<double>::infinity();
    BENCHHUD_ASSIGN(const auto series, reader_.series(entry.id(), -kEver, kEver));
    auto measurements =
        schema::TimingMeasurements::of_series(reader_.connection(), entry.id(), -kEver, kEver);
    std::vector<RunObservations> nights;
    for (const schema::ResultFacts& facts : series) {
      RunObservations& night = nights.emplace_back();
      night.run = facts.run;
      night.started_at = facts.started_at;
      BENCHHUD_ASSIGN(auto result,
                      read_result(measurements, entry, facts, analysis::ErrorTexts::none()));
      night.results.push_back(std::move(result));
    }
    return nights;
  }

  Expected<void> learn_baseline(const StoredExperiment& stored) {
    const analysis::Catalog catalog = catalog_of(stored);
    BENCHHUD_ASSIGN(const auto nights, nights_of(catalog.entries().front()));
    for (const RunObservations& night : nights) {
      const auto& steady = steady_of(night);
      if (!steady) continue;
      const auto [found, is_first] =
          baselines_.try_emplace({night.run, stored.experiment.batch_size}, steady);
      if (!is_first) found->second.reset();
    }
    return {};
  }

  /// Counts it among the quiet ones, or keeps it.
  Expected<void> watch(const StoredExperiment& stored, bool is_needed) {
    if (is_needed) {
      keep(stored);
      return {};
    }
    const analysis::Catalog catalog = catalog_of(stored);
    const CatalogEntry& entry = catalog.entries().front();
    BENCHHUD_ASSIGN(auto nights, nights_of(entry));
    for (RunObservations& night : nights) add_speedup(entry, &night);
    if (has_changes(catalog, nights)) {
      restless_.insert(comparable_of(stored));
      keep(stored);
      return {};
    }
    for (const RunObservations& night : nights) count(night);
    return {};
  }

  void keep(const StoredExperiment& stored) {
    has_restless_ = true;
    sorted_.restless.add(stored.id, stored.experiment);
    sorted_.configurations.add(stored.experiment);
  }

  static analysis::Catalog catalog_of(const StoredExperiment& stored) {
    analysis::CatalogBuilder builder;
    builder.add(stored.id, stored.experiment);
    return std::move(builder).finish();
  }

  static const std::optional<analysis::Night>& steady_of(const RunObservations& night) {
    return night.results.front().times[place_of(WatchedMetric::kSteady)];
  }

  // As all results of a night give it (run_observations.h).
  void add_speedup(const CatalogEntry& entry, RunObservations* night) const {
    if (entry.backend() == rules_.baseline) return;
    const auto baseline = baselines_.find({night->run, entry.experiment().batch_size});
    if (baseline == baselines_.end() || !baseline->second || !steady_of(*night)) return;
    night->results.front().times[place_of(WatchedMetric::kSpeedup)] =
        analysis::speedup(*baseline->second, *steady_of(*night));
  }

  bool has_changes(const analysis::Catalog& catalog,
                   const std::vector<RunObservations>& nights) const {
    if (nights.size() < 2) return false;
    analysis::FleetRules rules = rules_;
    rules.are_judged_together = false;
    analysis::AlertDetector fleet(catalog, rules);
    // A night that is marked counts whether the experiment has a result in it or not.
    static const std::map<NightKey, analysis::RunAnnotations> kNone;
    const auto of_model = marked_.find(catalog.entries().front().experiment().accelerator_model);
    const auto& marked = of_model == marked_.end() ? kNone : of_model->second;
    auto mark = marked.begin();
    for (const RunObservations& night : nights) {
      const NightKey key(night.started_at, night.run);
      for (; mark != marked.end() && mark->first < key; ++mark) {
        fleet.add({mark->first.second, mark->first.first, {}, {}}, mark->second);
      }
      const bool is_marked = mark != marked.end() && mark->first == key;
      fleet.add(night, is_marked ? mark++->second : analysis::RunAnnotations());
      if (!fleet.members().empty()) return true;
    }
    return false;
  }

  void count(const RunObservations& night) {
    analysis::OtherSeries& others = sorted_.quiet[night.run];
    for (const auto& time : night.results.front().times) others.timed += time ? 1 : 0;
  }

  Expected<void> count_configurations() {
    return schema::visit_experiments(reader_.connection(),
                                     [&](const StoredExperiment& stored) -> Expected<void> {
                                       sorted_.configurations.add_other(stored.experiment);
                                       return {};
                                     });
  }

  schema::Reader& reader_;
  const analysis::FleetRules& rules_;
  const std::span<const schema::NightMark> marks_;
  SortedOut sorted_;
  bool has_restless_ = false;
  std::map<std::string, std::map<NightKey, analysis::RunAnnotations>>
      marked_;  // by accelerator model
  // Of one workload. By run and batch size the baseline's steady time; none: it is ambiguous.
  std::map<std::pair<schema::RunId, std::optional<std::int64_t>>, std::optional<analysis::Night>>
      baselines_;
  std::set<Comparable> restless_;
};

}  // namespace

Expected<SortedOut> sort_out_quiet(schema::Reader& reader, const analysis::FleetRules& rules,
                                   std::span<const schema::NightMark> marks) {
  return Sorting(reader, rules, marks).run();
}

Expected<WatchedExperiments> watched_experiments(schema::Reader& reader,
                                                 const analysis::FleetRules& rules,
                                                 std::span<const schema::NightMark> marks,
                                                 std::size_t most_together) {
  BENCHHUD_ASSIGN(auto experiments,
                  schema::first_experiments(reader.connection(), most_together + 1));
  if (experiments.size() <= most_together) {
    return WatchedExperiments{analysis::Catalog(std::move(experiments)), {}};
  }
  experiments = {};
  BENCHHUD_ASSIGN(SortedOut sorted, sort_out_quiet(reader, rules, marks));
  return WatchedExperiments{std::move(sorted.restless).finish(&sorted.configurations),
                            std::move(sorted.quiet)};
}

}  // namespace benchhud::service
