#include "schema/line_replay.h"

#include <unordered_map>
#include <utility>

#include "line_measurements.h"
#include "schema/queries.h"
#include "schema/reader.h"
#include "schema/text_store.h"

namespace benchhud::schema {

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
    const auto id = LineId(query.integer(6));
    line.timestamp = query.real(7);
    line.experiment = &experiments[ExperimentId(query.integer(8))];
    line.repeat = query.optional_integer(9);
    line.iterations_per_run = query.optional_integer(10);
    line.code = query.optional_text(11);
    line.extra = query.is_null(12) ? "" : std::string(query.text(12));
    line.error.reset();
    if (!query.is_null(13)) {
      BENCHHUD_ASSIGN(line.error,
                      unpack_text(query.blob(13), query.integer(14) != 0, query.integer(15)));
    }
    BENCHHUD_ASSIGN(auto measurements,
                    measurements_of_line(connection, id, read_own_samples(query)));
    line.metrics.clear();
    for (auto& stored : measurements) line.metrics.push_back(std::move(stored.measurement));
    visit(line);
  }
  BENCHHUD_TRY(query.status());
  query.reset();
  return {};
}

}  // namespace benchhud::schema
