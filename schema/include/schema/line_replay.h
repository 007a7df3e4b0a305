// Every line of a store with all it held, in the order in which the lines came.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schema/database.h"
#include "schema/errors.h"
#include "schema/types.h"

namespace benchhud::schema {

struct WholeLine {
  double timestamp = 0;
  const Experiment* experiment = nullptr;  ///< valid during the visit
  std::optional<std::int64_t> repeat, iterations_per_run;
  std::optional<std::string> code;
  std::optional<std::string> error;
  std::string extra;                 ///< JSON, or ""
  std::vector<Measurement> metrics;  ///< in the order in which the store first saw each metric
};

/// Visits every line. The caller holds a read transaction, so that all are of one state of the
/// store.
Expected<void> replay_whole_lines(Connection& connection,
                                  const std::function<void(const WholeLine&)>& visit);

}  // namespace benchhud::schema
