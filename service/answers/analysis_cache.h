// Caches analyses, each under a key of everything that it depends on, so that an ingest invalidates
// only what it changed.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/results/group_changes.h"
#include "analysis/results/result_view.h"
#include "analysis/results/rollup.h"
#include "analysis/results/run_changes.h"
#include "analysis/results/run_digest.h"
#include "analysis/results/run_failures.h"
#include "analysis/results/run_speedups.h"
#include "analysis/results/run_summary.h"
#include "schema/alerts/night_mark.h"
#include "schema/results/reader.h"
#include "service/answers/search_index.h"
#include "service/answers/shared_cache.h"
#include "service/answers/snapshot.h"

namespace benchhud::service {

/// What is told of a run beside what the snapshot holds.
struct RunCard {
  std::int64_t timed = 0;
  std::int64_t failed = 0;
  std::vector<schema::Invocation> invocations;
  std::vector<schema::NightMark> marks;
};

/// The runs that have lines of an ingested file, each with its revision then: whatever moves a line
/// to another run changes the revision of the run that it leaves.
using RunsOfIngest = std::vector<std::pair<schema::RunId, std::int64_t>>;

/// What changed from one run to a later one.
struct RunChanges {
  std::vector<analysis::VerificationChange> verification;
  std::vector<analysis::Move> moves;
};

/// How many moves a page shows.
inline constexpr std::size_t kMostMoves = 20;

/// Of how many runs of an accelerator model errors are found by a search.
inline constexpr std::size_t kSearchedRuns = 90;

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
class AnalysisCache {
 public:
  AnalysisCache();

  template <class T>
  using Kept = schema::Expected<std::shared_ptr<const T>>;

  Kept<analysis::JudgedRun> run(View view, const RunEntry& entry);
  /// The run without its samples: a year of runs is kept at once.
  Kept<analysis::RunDigest> digest(View view, const RunEntry& entry);
  /// The speedups over a backend of the same run: one a result of the run's digest, in its order.
  Kept<std::vector<double>> speedups(View view, const RunEntry& entry, std::string_view baseline);
  /// `slice` says what `groups` are of: equal texts, equal groups.
  Kept<std::vector<analysis::GroupRollup>> rollup(View view, const RunEntry& entry,
                                                  const analysis::SliceGroups& groups,
                                                  std::string_view slice);
  Kept<analysis::RunSummary> summary(View view, const RunEntry& entry, std::string_view baseline);
  Kept<analysis::Baseline> baseline(View view, const RunEntry& entry, const BaselineChoice& choice,
                                    analysis::Estimator estimator);
  Kept<RunChanges> changes(View view, const RunEntry& since, const RunEntry& entry);
  /// What became of each test and backend since an earlier run, over the same models.
  Kept<std::vector<analysis::GroupChange>> group_changes(View view, const RunEntry& since,
                                                         const RunEntry& entry,
                                                         std::string_view baseline);
  /// What was tried in a run and what failed of it: cheap for hundreds of runs.
  Kept<analysis::RunFailures> failures(View view, const RunEntry& entry);
  Kept<RunCard> card(View view, const RunEntry& entry);
  Kept<RunsOfIngest> runs_of(View view, const schema::IngestedFile& file);

  /// What can be found by its name; of errors those of the newest kSearchedRuns runs of each
  /// accelerator model.
  Kept<SearchIndex> search_index(View view);

  /// All that the answers about `entry` against such a baseline hang on, as a text.
  static std::string dependencies(const Snapshot& snapshot, const RunEntry& entry,
                                  const BaselineChoice& choice);

 private:
  Kept<analysis::JudgedRun> compute_uncached(View view, const RunEntry& entry);
  /// Adds the errors of the newest of an accelerator model's runs, places in the snapshot.
  schema::Expected<void> known_errors(View view, const std::vector<std::size_t>& places,
                                      std::vector<KnownError>* errors);

  SharedCache<analysis::JudgedRun> runs_;
  SharedCache<analysis::RunDigest> digests_;
  SharedCache<std::vector<double>> speedups_;
  SharedCache<std::vector<analysis::GroupRollup>> rollups_;
  SharedCache<analysis::RunSummary> summaries_{16384};
  SharedCache<analysis::Baseline> baselines_{64};
  SharedCache<RunChanges> changes_{128};
  SharedCache<std::vector<analysis::GroupChange>> group_changes_{128};
  SharedCache<analysis::RunFailures> failures_;
  SharedCache<RunCard> cards_{65536};
  SharedCache<RunsOfIngest> runs_of_ingests_{65536};
  SharedCache<SearchIndex> searches_{2};
  std::mutex last_search_mutex_;
  std::shared_ptr<const SearchIndex> last_search_;  // of the state that was asked for last
};

/// How error texts are looked up in that state of the store.
analysis::ErrorTexts error_texts(View view);

}  // namespace benchhud::service
