// Takes what is old out of a store, for good: unlike a deleted run, what was pruned does not come
// back with the next ingest of the same files.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/artifact.h"

namespace benchhud::service {

/// Nights of an accelerator model before the onset of an alert that is not over, which the alert is
/// judged by.
inline constexpr std::int64_t kNightsOfAlert = 60;

struct PruneRequest {
  /// Kinds of dumps whose content goes. What remains of each says that it was there. A dump is as
  /// old as the newest result that it belongs to; an orphan, as the day on which it came.
  std::set<schema::ArtifactKind> dumps;
  /// Rejected lines. They count for nothing any more, and reading their file again tells nobody.
  bool rejected_lines = false;
  /// Runs, with all their lines, and the dumps that belong to them alone.
  bool runs = false;
  double before = 0;  ///< what is of that time or later stays: seconds since 1970, UTC
  double now = 0;     ///< is noted with what goes
  /// Also what people or alerts refer to: dumps with notes, dumps and runs of alerts that are not
  /// over, runs that are pinned. Otherwise these stay.
  bool with_referred = false;
  /// What goes is not overwritten with zeros, where SQLite would do so: it is left in free parts of
  /// the file until these are used again, and the log takes a tenth of the room or less.
  bool saves_room = false;
  bool is_rehearsal = false;  ///< everything is done and then undone: the report is the same
};

struct PruneReport {
  struct Item {
    std::string words;     ///< what it is: "trace resnet/0/trace-….json (dump 12)"
    double at = 0;         ///< of when: seconds since 1970, UTC
    std::string referred;  ///< what refers to it: "2 notes"; "" where nothing does
  };
  std::vector<Item> dumps;      ///< that went
  std::vector<Item> runs;       ///< that went
  std::vector<Item> kept;       ///< old enough, but referred to
  std::int64_t dump_bytes = 0;  ///< of the dumps' files, decompressed
  std::int64_t lines = 0;       ///< of the runs
  std::int64_t rejected_lines = 0;
  std::int64_t freed_bytes = 0;  ///< of the store's file, for it to be filled again
  std::int64_t free_bytes = 0;   ///< all that is free in it now
  bool changed() const { return !dumps.empty() || !runs.empty() || rejected_lines > 0; }
};

/// One transaction, with a line in the audit. Alerts are to be found anew after runs went. Error:
/// kInvalidArgument where nothing is asked for.
schema::Expected<PruneReport> prune(schema::Connection& connection, const PruneRequest& request);

/// What was pruned is taken in again when its files are ingested. One transaction, with a line in
/// the audit. Returns how many invocations, dumps and rejected lines there were.
schema::Expected<std::int64_t> forget_pruned(schema::Connection& connection);

}  // namespace benchhud::service
