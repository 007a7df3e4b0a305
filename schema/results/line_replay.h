// Every line of a store with all it held, in the order in which the lines came.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

struct StoredResultLine {
  double timestamp = 0;
  const Experiment* experiment = nullptr;  ///< valid during the visit
  std::optional<std::int64_t> repeat, iterations_per_run;
  std::optional<std::string> code;
  std::optional<double> mean_rel_error;
  std::optional<std::string> error;
  std::string extra;  ///< JSON, or ""
  ContentHash hash;   ///< that tells it from others of its invocation
  InvocationKind invocation_kind = InvocationKind::kTiming;
  std::vector<Measurement> metrics;  ///< in the order in which the store first saw each metric
};

/// Visits every line. The caller holds a read transaction, so that all are of one state of the
/// store.
Expected<void> replay_whole_lines(Connection& connection,
                                  const std::function<void(const StoredResultLine&)>& visit);

/// Those of `runs`, one run behind the other, each in the order of time and arrival. `visit` says
/// whether to go on; false where it did not.
Expected<bool> replay_lines_of_runs(Connection& connection, std::span<const RunId> runs,
                                    const std::function<bool(const StoredResultLine&)>& visit);

}  // namespace benchhud::schema
