#include "schema/line_replay.h"

#include <unordered_map>
#include <utility>

#include "rows.h"
#include "schema/queries.h"
#include "schema/reader.h"
#include "schema/text_store.h"

namespace benchhud::schema {
namespace {

Expected<void> read_metrics(Connection& connection, std::int64_t line,
                            std::vector<Measurement>* metrics) {
  metrics->clear();
  Statement& query = connection.cached(sql::kMetricsOfLine);
  query.bind(1, line);
  while (query.step()) {
    Measurement metric;
    metric.metric = query.text(0);
    metric.shape = static_cast<SampleShape>(query.integer(1));
    metric.samples = to_samples(query.blob(2));
    if (!query.is_null(3)) {
      BENCHHUD_ASSIGN(metric.json,
                      unpack_text(query.blob(3), query.integer(4) != 0, query.integer(5)));
    }
    metrics->push_back(std::move(metric));
  }
  BENCHHUD_TRY(query.status());
  query.reset();
  return {};
}

}  // namespace

Expected<void> replay_whole_lines(Connection& connection,
                                  const std::function<void(const WholeLine&)>& visit) {
  std::unordered_map<ExperimentId, Experiment> experiments;
  BENCHHUD_ASSIGN(std::vector<StoredExperiment> all,
                  Reader(connection).experiments_after(ExperimentId(0)));
  for (StoredExperiment& stored : all) {
    experiments.emplace(stored.id, std::move(stored.experiment));
  }
  Statement& query = connection.cached(sql::kReplayWholeLines);
  WholeLine line;
  while (query.step()) {
    line.timestamp = query.real(1);
    line.experiment = &experiments[ExperimentId(query.integer(2))];
    line.repeat = query.optional_integer(3);
    line.iterations_per_run = query.optional_integer(4);
    line.code = query.optional_text(5);
    line.extra = query.is_null(6) ? "" : std::string(query.text(6));
    line.error.reset();
    if (!query.is_null(7)) {
      BENCHHUD_ASSIGN(line.error,
                      unpack_text(query.blob(7), query.integer(8) != 0, query.integer(9)));
    }
    BENCHHUD_TRY(read_metrics(connection, query.integer(0), &line.metrics));
    visit(line);
  }
  BENCHHUD_TRY(query.status());
  query.reset();
  return {};
}

}  // namespace benchhud::schema
