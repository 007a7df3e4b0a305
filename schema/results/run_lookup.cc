#include "schema/results/run_lookup.h"

#include "schema/db/rows.h"
#include "schema/queries.h"

namespace benchhud::schema {

Expected<std::vector<std::string>> metrics_named(Connection& connection, std::string_view part) {
  Statement query = connection.cached(sql::kMetricsNamed);
  query.bind(1, part);
  return collect(query, [](const Statement& row) { return std::string(row.text(0)); });
}

Expected<std::vector<std::pair<ExperimentId, double>>> medians_of_run(Connection& connection,
                                                                      RunId run,
                                                                      std::string_view metric) {
  Statement query = connection.cached(sql::kMediansOfRun);
  query.bind(1, run).bind(2, metric);
  return collect(query, [](const Statement& row) {
    return std::pair(ExperimentId(row.integer(0)), row.real(1));
  });
}

Expected<std::vector<ExperimentDumps>> experiments_with_artifacts(Connection& connection,
                                                                  RunId run) {
  Statement query = connection.cached(sql::kExperimentsWithArtifacts);
  query.bind(1, run);
  return collect(query, [](const Statement& row) {
    return ExperimentDumps{ExperimentId(row.integer(0)), row.integer(1) != 0};
  });
}

}  // namespace benchhud::schema
