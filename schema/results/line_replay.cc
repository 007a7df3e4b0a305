#include "schema/results/line_replay.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "schema/db/rows.h"
#include "schema/db/text_store.h"
#include "schema/queries.h"
#include "schema/results/line_measurements.h"
#include "schema/results/reader.h"
#include "schema/results/run_assignment.h"

namespace benchhud::schema {

namespace {

using Experiments = std::unordered_map<ExperimentId, Experiment>;

Expected<Experiments> all_experiments(Connection& connection) {
  BENCHHUD_ASSIGN(std::vector<StoredExperiment> all,
                  Reader(connection).experiments_after(ExperimentId(0)));
  Experiments experiments;
  for (StoredExperiment& stored : all) {
    experiments.emplace(stored.id, std::move(stored.experiment));
  }
  return experiments;
}

/// Visits the lines of a query with the columns of `replay_whole_lines` while they are wanted.
Expected<bool> visit_lines(Connection& connection, Statement query, const Experiments& experiments,
                           const std::function<bool(const StoredResultLine&)>& visit) {
  StoredResultLine line;
  while (query.step()) {
    const auto id = LineId(query.integer(6));
    line.timestamp = query.real(7);
    line.experiment = &experiments.at(ExperimentId(query.integer(8)));
    line.repeat = query.optional_integer(9);
    line.iterations_per_run = query.optional_integer(10);
    line.code = query.optional_text(11);
    line.extra = query.is_null(12) ? "" : std::string(query.text(12));
    line.error.reset();
    if (!query.is_null(13)) {
      BENCHHUD_ASSIGN(line.error,
                      unpack_text(query.blob(13), query.integer(14) != 0, query.integer(15)));
    }
    line.mean_rel_error = query.optional_real(16);
    line.hash = hash_of(query, 17);
    line.invocation_kind = invocation_kind(query.integer(18) != 0, query.integer(19) != 0);
    BENCHHUD_ASSIGN(auto measurements,
                    measurements_of_line(connection, id, read_own_samples(query)));
    line.metrics.clear();
    for (auto& stored : measurements) line.metrics.push_back(std::move(stored.measurement));
    if (!visit(line)) {
      return false;
    }
  }
  BENCHHUD_TRY(query.status());
  return true;
}

}  // namespace

Expected<void> replay_whole_lines(Connection& connection,
                                  const std::function<void(const StoredResultLine&)>& visit) {
  BENCHHUD_ASSIGN(const Experiments experiments, all_experiments(connection));
  BENCHHUD_TRY(visit_lines(connection, connection.cached(sql::kReplayWholeLines), experiments,
                           [&](const StoredResultLine& line) {
                             visit(line);
                             return true;
                           }));
  return {};
}

Expected<bool> replay_lines_of_runs(Connection& connection, std::span<const RunId> runs,
                                    const std::function<bool(const StoredResultLine&)>& visit) {
  BENCHHUD_ASSIGN(const Experiments experiments, all_experiments(connection));
  for (const RunId run : runs) {
    Statement query = connection.cached(sql::kReplayWholeLinesOfRun);
    query.bind(1, run);
    BENCHHUD_ASSIGN(const bool goes_on,
                    visit_lines(connection, std::move(query), experiments, visit));
    if (!goes_on) return false;
  }
  return true;
}

}  // namespace benchhud::schema
