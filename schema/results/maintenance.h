// What a person does to a store by command. Each call is one transaction and leaves a line in the
// audit.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"
#include "schema/results/run_assignment.h"

namespace benchhud::schema {

/// Gives labels to a run: set those with a value, remove those without. What a command gave wins
/// over what came with an ingest, and stays with the run's name.
Expected<void> relabel_run(Connection& connection, const Run& run,
                           const std::map<std::string, std::optional<std::string>>& labels);

/// Gives a run another name; its labels and marks go along. Error: kConflict if a run on the same
/// accelerator model has it.
Expected<void> rename_run(Connection& connection, const Run& run, const std::string& name);

/// Makes the invocations of `from` part of `into`, which also takes the marks of `from` of the
/// kinds that it has none of; `from` is gone then. Error: kInvalidArgument if they are the same or
/// on different accelerator models.
Expected<void> merge_runs(Connection& connection, const Run& from, const Run& into);

/// Deletes a run with all its facts but people's marks. Ingesting its files again brings it back.
Expected<void> delete_run(Connection& connection, const Run& run);

/// Deletes all facts of runs with what is derived from them, and experiments that nothing refers to
/// any more; texts stay. For who holds the write transaction.
Expected<void> delete_facts_of_runs(Connection& connection, std::span<const Run> runs);

/// Deletes texts that nothing refers to any more. For who holds the write transaction.
Expected<void> delete_unused_texts(Connection& connection);

/// Drops what is derived from the facts and makes it again.
Expected<void> rebuild(Connection& connection);

/// Changes how timing invocations are put together to runs, and rebuilds.
Expected<void> regroup_runs(Connection& connection, const RunGrouping& grouping);

struct AuditLine {
  double at = 0;
  std::string action;
  std::string detail;
};

/// The audit, newest first.
Expected<std::vector<AuditLine>> audit(Connection& connection, std::size_t limit);

}  // namespace benchhud::schema
