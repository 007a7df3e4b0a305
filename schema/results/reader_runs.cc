// Reader: the store as a whole, runs, experiments.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "schema/db/key_lookup.h"
#include "schema/db/rows.h"
#include "schema/model/hud_terms.h"
#include "schema/queries.h"
#include "schema/results/experiment_visit.h"
#include "schema/results/reader.h"
#include "schema/results/results.h"
#include "schema/results/run_choice.h"

namespace benchhud::schema {
namespace {

StoredExperiment read_experiment(const Statement& row, int first) {
  StoredExperiment stored;
  stored.id = ExperimentId(row.integer(first));
  Experiment& experiment = stored.experiment;
  experiment.suite = row.text(first + 1);
  experiment.model = row.text(first + 2);
  experiment.test = row.text(first + 3);
  experiment.accelerator = row.text(first + 4);
  experiment.accelerator_model = row.text(first + 5);
  experiment.batch_size = row.optional_integer(first + 6);
  experiment.xla = row.optional_text(first + 7);
  experiment.xla_flags = row.optional_text(first + 8);
  experiment.dynamo = row.optional_text(first + 9);
  experiment.torch_xla2 = row.optional_text(first + 10);
  experiment.flags = row.text(first + 11);
  stored.timed = row.integer(first + 12) != 0;
  return stored;
}

Run read_run(const Statement& row) {
  Run run;
  run.id = RunId(row.integer(0));
  run.accelerator_model = row.text(1);
  run.name = row.text(2);
  run.started_at = row.real(3);
  run.verified_at = row.optional_real(4);
  run.result_count = row.integer(5);
  run.revision = row.integer(6);
  return run;
}

/// Gives the runs their labels.
Expected<void> read_labels(Connection& connection, std::span<Run> runs) {
  std::vector<RunId> ids;
  std::unordered_map<RunId, Run*> of_ids;
  for (Run& run : runs) {
    ids.push_back(run.id);
    of_ids.emplace(run.id, &run);
  }
  // Labels of invocations first, then those given to the run, which win.
  for (const std::string_view sql : {sql::kLabelsOfInvocations, sql::kLabelsOfRuns}) {
    BENCHHUD_TRY(look_up(
        connection, sql, std::span<const RunId>(ids), [&](const Statement& row) -> Expected<void> {
          of_ids.at(RunId(row.integer(0)))->labels[std::string(row.text(1))] = row.text(2);
          return {};
        }));
  }
  // An empty value is a label that a command removed.
  for (Run& run : runs) {
    std::erase_if(run.labels, [](const auto& label) { return label.second.empty(); });
  }
  return {};
}

bool has_labels(const Run& run, const std::vector<std::pair<std::string, std::string>>& wanted) {
  for (const auto& [key, value] : wanted) {
    const auto found = run.labels.find(key);
    if (found == run.labels.end() || found->second != value) return false;
  }
  return true;
}

}  // namespace

Expected<StoreInfo> Reader::info() {
  StoreInfo info;
  Statement query = connection_.cached(sql::kStoreInfo);
  if (query.step()) {
    info.revision = query.integer(0);
    info.run_count = query.integer(1);
    info.result_count = query.integer(2);
    info.rejected_count = query.integer(3);
    info.newest_run_at = query.optional_real(4);
  }
  BENCHHUD_TRY(query.status());
  return info;
}

Expected<std::int64_t> Reader::revision() {
  Statement query = connection_.cached(sql::kRevision);
  const std::int64_t revision = query.step() ? query.integer(0) : 0;
  BENCHHUD_TRY(query.status());
  return revision;
}

Expected<std::vector<Run>> Reader::runs(const RunFilter& filter) {
  Statement query = connection_.cached(sql::kRunsByTime);
  const double last_time = filter.after ? filter.after->first : filter.until;
  const std::int64_t last_id =
      filter.after ? to_int(filter.after->second) : std::numeric_limits<std::int64_t>::min();
  query.bind(1, filter.since).bind(2, std::min(last_time, filter.until)).bind(3, last_id);
  const auto& models = filter.accelerator_models;
  const auto is_on_one = [&](const Run& run) {
    return models.empty() ||
           std::find(models.begin(), models.end(), run.accelerator_model) != models.end();
  };
  std::vector<Run> runs;
  // As many at a time as one statement finds the labels of.
  for (bool has_more = true; has_more && runs.size() < filter.limit;) {
    const std::size_t before = runs.size();
    const std::size_t most = std::min(kKeysAStatement, filter.limit - before);
    while (runs.size() < before + most && (has_more = query.step())) {
      Run run = read_run(query);
      if (is_on_one(run)) runs.push_back(std::move(run));
    }
    if (filter.with_labels || !filter.labels.empty()) {
      BENCHHUD_TRY(read_labels(connection_, std::span(runs).subspan(before)));
    }
    runs.erase(std::remove_if(runs.begin() + static_cast<std::ptrdiff_t>(before), runs.end(),
                              [&](const Run& run) { return !has_labels(run, filter.labels); }),
               runs.end());
  }
  BENCHHUD_TRY(query.status());
  return runs;
}

Expected<Run> Reader::run(RunId id) {
  Statement query = connection_.cached(sql::kRunById);
  query.bind(1, id);
  BENCHHUD_ASSIGN(Run run, one(query, read_run, fmt::format("run {}", to_int(id))));
  BENCHHUD_TRY(read_labels(connection_, std::span(&run, 1)));
  return run;
}

Expected<void> Reader::add_labels(std::span<Run> runs) { return read_labels(connection_, runs); }

Expected<Run> Reader::find_run(std::string_view text,
                               std::optional<std::string_view> accelerator_model) {
  RunFilter filter;
  filter.with_labels = asks_for_label(text);
  BENCHHUD_ASSIGN(const std::vector<Run> all, runs(filter));
  std::vector<const Run*> places;
  for (const Run& run : all) places.push_back(&run);
  BENCHHUD_ASSIGN(const Run* const chosen, choose_run(places, text, accelerator_model));
  return run(chosen->id);
}

Expected<std::vector<std::string>> Reader::accelerator_models() {
  return collect(connection_.cached(sql::kAcceleratorModelsOfRuns),
                 [](const Statement& row) { return std::string(row.text(0)); });
}

Expected<std::vector<Invocation>> Reader::invocations(RunId run) {
  Statement query = connection_.cached(sql::kInvocationsOfRun);
  query.bind(1, run);
  BENCHHUD_ASSIGN(std::vector<Invocation> invocations, collect(query, [](const Statement& row) {
                    Invocation invocation;
                    invocation.id = InvocationId(row.integer(0));
                    invocation.timestamp = row.real(1);
                    invocation.kind = invocation_kind(row.integer(2) != 0, row.integer(3) != 0);
                    invocation.run_name = row.text(4);
                    return invocation;
                  }));
  Statement files = connection_.cached(sql::kFilesOfInvocations);
  files.bind(1, run);
  std::unordered_map<InvocationId, Invocation*> of_ids;
  for (Invocation& invocation : invocations) of_ids.emplace(invocation.id, &invocation);
  while (files.step()) {
    // Outside a transaction one may have come since.
    const auto found = of_ids.find(InvocationId(files.integer(0)));
    if (found == of_ids.end()) continue;
    found->second->files.emplace_back(files.text(1));
    found->second->line_count += files.integer(2);
  }
  BENCHHUD_TRY(files.status());
  return invocations;
}

Expected<RunCounts> Reader::run_counts(RunId run) {
  RunCounts counts;
  Statement timed = connection_.cached(sql::kTimedOfRun);
  timed.bind(1, run);
  BENCHHUD_ASSIGN(counts.timed,
                  one(timed, [](const Statement& row) { return row.integer(0); }, "count"));
  Statement failures = connection_.cached(sql::kFailuresOfRun);
  failures.bind(1, run).bind_text_view(2, kSkippedOnPurpose);
  BENCHHUD_ASSIGN(counts.untimed, collect(failures, [](const Statement& row) {
                    return RunCounts::Failures{optional_id<TextId>(row, 0), row.optional_text(1),
                                               row.integer(2)};
                  }));
  return counts;
}

Expected<StoredExperiment> Reader::experiment(ExperimentId id) {
  Statement query = connection_.cached(sql::kExperimentById);
  query.bind(1, id);
  return one(
      query, [](const Statement& row) { return read_experiment(row, 0); },
      fmt::format("experiment {}", to_int(id)));
}

Expected<std::vector<StoredExperiment>> Reader::experiments_after(ExperimentId after) {
  Statement query = connection_.cached(sql::kExperimentsAfter);
  query.bind(1, after);
  return collect(query, [](const Statement& row) { return read_experiment(row, 0); });
}

Expected<std::vector<StoredExperiment>> first_experiments(Connection& connection,
                                                          std::size_t most) {
  Statement query = connection.cached(sql::kExperimentsAfter);
  query.bind(1, ExperimentId{0});
  std::vector<StoredExperiment> experiments;
  while (experiments.size() < most && query.step()) {
    experiments.push_back(read_experiment(query, 0));
  }
  BENCHHUD_TRY(query.status());
  return experiments;
}

Expected<void> visit_experiments(
    Connection& connection, const std::function<Expected<void>(const StoredExperiment&)>& visit) {
  Statement query = connection.cached(sql::kExperimentsAfter);
  query.bind(1, ExperimentId{0});
  while (query.step()) BENCHHUD_TRY(visit(read_experiment(query, 0)));
  return query.status();
}

Expected<bool> has_experiments_after(Connection& connection, ExperimentId id) {
  Statement query = connection.cached(sql::kExperimentsAfter);
  query.bind(1, id);
  const bool has_one = query.step();
  BENCHHUD_TRY(query.status());
  return has_one;
}

Expected<void> visit_workloads(Connection& connection,
                               const std::function<Expected<void>(const Workload&)>& visit) {
  Statement query = connection.cached(sql::kWorkloads);
  while (query.step()) {
    BENCHHUD_TRY(visit(
        {std::string(query.text(0)), std::string(query.text(1)), std::string(query.text(2))}));
  }
  return query.status();
}

Expected<void> visit_experiments_of(
    Connection& connection, const Workload& workload, const std::string& backend,
    bool is_on_backend, const std::function<Expected<void>(const StoredExperiment&)>& visit) {
  Statement query = connection.cached(sql::kExperimentsOfWorkload);
  query.bind(1, workload.suite).bind(2, workload.model).bind(3, workload.test);
  query.bind(4, backend).bind(5, is_on_backend);
  while (query.step()) BENCHHUD_TRY(visit(read_experiment(query, 0)));
  return query.status();
}

Expected<std::map<ExperimentId, double>> Reader::last_runs(
    std::span<const ExperimentId> experiments) {
  std::map<ExperimentId, double> last;
  BENCHHUD_TRY(look_up(connection_, sql::kLastRuns, experiments,
                       [&](const Statement& row) -> Expected<void> {
                         if (!row.is_null(1))
                           last.emplace(ExperimentId(row.integer(0)), row.real(1));
                         return {};
                       }));
  return last;
}

Expected<std::vector<RunId>> Reader::first_timed_runs(ExperimentId experiment, std::size_t limit) {
  Statement query = connection_.cached(sql::kFirstTimedRuns);
  query.bind(1, experiment).bind(2, static_cast<std::int64_t>(limit));
  return collect(query, [](const Statement& row) { return RunId(row.integer(0)); });
}

}  // namespace benchhud::schema
