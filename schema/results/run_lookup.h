// What is asked of all results of a run at once, without reading them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// The names of metrics that have `part`, plain letters, in them; in order.
Expected<std::vector<std::string>> metrics_named(Connection& connection, std::string_view part);

/// A metric's medians of the lines that time a run's results, by experiment. Those without a number
/// are left out.
Expected<std::vector<std::pair<ExperimentId, double>>> medians_of_run(Connection& connection,
                                                                      RunId run,
                                                                      std::string_view metric);

/// An experiment whose result in a run has dumps.
struct ExperimentDumps {
  ExperimentId experiment{};
  bool has_profile = false;  ///< a trace or an XPlane profile among them
};
/// By experiment.
Expected<std::vector<ExperimentDumps>> experiments_with_artifacts(Connection& connection,
                                                                  RunId run);

}  // namespace benchhud::schema
