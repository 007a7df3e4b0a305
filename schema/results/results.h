// Derives runs and results from the facts: which run an invocation belongs to, which lines count
// for a result. docs/data-model.md gives the rules in prose.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"
#include "schema/model/types.h"
#include "schema/results/run_assignment.h"

namespace benchhud::schema {

/// What has changed among the facts.
struct ChangedFacts {
  std::set<std::string> accelerator_models;  ///< with new, moved or removed invocations
  std::set<InvocationId> invocations;        ///< with new lines or labels
  /// Experiment::family() hashed, of experiments that have timings for the first time; each as
  /// often as there are such.
  std::vector<ContentHash> newly_timed_families;
};

/// Lines of a run that are held in memory at once.
inline constexpr std::int64_t kLinesAtOnce = 100'000;

/// Brings runs and results up to date with the facts. The caller holds the write transaction.
/// Returns whether anything derived changed.
Expected<bool> derive(Connection& connection, const ChangedFacts& changed);

/// Derives the runs again that the results of these lines are in: what counts for them has changed,
/// though no line has. The caller holds the write transaction.
Expected<void> derive_results_of(Connection& connection, std::span<const ResultKey> keys);

/// Drops all runs and results and derives them again from the facts. Ids of runs that exist stay. A
/// run of more than `lines_at_once` lines is derived part by part, to the same results.
Expected<void> derive_all(Connection& connection, std::int64_t lines_at_once = kLinesAtOnce);

/// How timing invocations are put together to runs in this store.
Expected<RunGrouping> run_grouping(Connection& connection);
Expected<void> set_run_grouping(Connection& connection, const RunGrouping& grouping);

/// Lines that a run's invocations hold, of all results and of none.
Expected<std::int64_t> count_lines(Connection& connection, RunId run);

/// Counts one committed change. The caller holds the write transaction. Returns the new revision.
Expected<std::int64_t> next_revision(Connection& connection);

}  // namespace benchhud::schema
