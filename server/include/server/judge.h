// What was judged is kept: each thing under a key of all that it hangs on, so that an ingest makes
// nothing anew but what it changed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/result_view.h"
#include "analysis/run_changes.h"
#include "analysis/run_speedups.h"
#include "analysis/run_summary.h"
#include "schema/reader.h"
#include "server/shared_cache.h"
#include "server/snapshot.h"

namespace benchhud::server {

/// What lists of runs show of a run beside what the snapshot holds.
struct RunCard {
  std::int64_t timed = 0;
  std::int64_t failed = 0;
  std::vector<schema::Invocation> invocations;
};

/// The runs that have lines of an ingested file, each with its revision then: whatever moves a line
/// to another run changes the revision of the run that it leaves.
struct IngestRuns {
  std::vector<std::pair<schema::RunId, std::int64_t>> runs;
};

/// What changed from one run to a later one.
struct RunChanges {
  std::vector<analysis::VerificationChange> verification;
  std::vector<analysis::Move> moves;
};

/// How many moves a page shows.
inline constexpr std::size_t kMostMoves = 20;

/// Which run a baseline's times are from.
struct BaselineChoice {
  enum class Mode { kSame, kOldest, kLatest, kNamed };
  Mode mode = Mode::kSame;
  std::string backend;
  const RunEntry* named = nullptr;  ///< kNamed
};

/// The state of the store that one request sees.
struct View {
  schema::Reader& reader;
  const Snapshot& snapshot;
};

/// Threads may share it.
class Judge {
 public:
  template <class T>
  using Kept = schema::Expected<std::shared_ptr<const T>>;

  Kept<analysis::JudgedRun> run(View view, const RunEntry& entry);
  Kept<analysis::RunSummary> summary(View view, const RunEntry& entry, std::string_view baseline);
  Kept<analysis::Baseline> baseline(View view, const RunEntry& entry, const BaselineChoice& choice,
                                    analysis::Estimator estimator);
  Kept<RunChanges> changes(View view, const RunEntry& since, const RunEntry& entry);
  Kept<RunCard> card(View view, const RunEntry& entry);

  /// The runs that have lines of an ingested file.
  Kept<IngestRuns> runs_of_ingest(View view, schema::FileId file);

  /// All that the answers about `entry` against such a baseline hang on, as a text.
  static std::string dependencies(const Snapshot& snapshot, const RunEntry& entry,
                                  const BaselineChoice& choice);

 private:
  SharedCache<analysis::JudgedRun> runs_{64};
  SharedCache<analysis::RunSummary> summaries_{16384};
  SharedCache<analysis::Baseline> baselines_{64};
  SharedCache<RunChanges> changes_{128};
  SharedCache<RunCard> cards_{65536};
  SharedCache<IngestRuns> ingests_{65536};
};

/// How error texts are looked up in that state of the store.
analysis::ErrorTexts error_texts(View view);

}  // namespace benchhud::server
