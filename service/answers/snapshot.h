// What every answer needs of one state of the store: its runs and experiments.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/results/catalog.h"
#include "analysis/results/result_view.h"
#include "schema/results/reader.h"
#include "service/answers/shared_cache.h"

namespace benchhud::service {

/// Error texts that were read, by id. Threads may share it.
class ErrorTextCache {
 public:
  ErrorTextCache();
  schema::Expected<std::shared_ptr<const analysis::ErrorText>> get(schema::Reader& reader,
                                                                   schema::TextId id);
  /// Reads those of `ids` that are not there, together; of very many the first ones. What cannot be
  /// read is said by get().
  schema::Expected<void> read_ahead(schema::Reader& reader, std::span<const schema::TextId> ids);

 private:
  SharedCache<analysis::ErrorText> texts_;
};

struct RunEntry {
  schema::Run run;
  /// Changes whenever this run or an earlier one of its accelerator model does: what a run shows
  /// (stale verifications, changes since) hangs on no more than that.
  std::uint64_t history = 0;
  /// The run before it on its accelerator model, as a place in Snapshot::runs; none for the first.
  std::optional<std::size_t> previous;
};

/// Whose verification it is that a run shows.
struct VerifiedRuns {
  const RunEntry* run = nullptr;     ///< the newest run with verifications of its own; null: none
  const RunEntry* before = nullptr;  ///< the one before that; null: none
};

/// Immutable; threads share it.
struct Snapshot {
  std::int64_t revision = 0;
  std::int64_t result_count = 0;
  std::vector<RunEntry> runs;  ///< newest first
  std::unordered_map<schema::RunId, std::size_t> places;
  /// Places in `runs`, newest first, of each accelerator model; the model with the newest run
  /// first.
  std::vector<std::pair<std::string, std::vector<std::size_t>>> accelerators;
  std::shared_ptr<const analysis::Catalog> catalog;
  std::uint64_t catalog_version = 0;  ///< changes with the catalog
  std::shared_ptr<ErrorTextCache> error_texts;

  const RunEntry* find(schema::RunId id) const;
  /// Null if the accelerator model has no runs.
  const std::vector<std::size_t>* runs_of(std::string_view accelerator_model) const;
  const RunEntry& newest_of(const RunEntry& entry) const;
  /// The run before it on its accelerator model; null for the first.
  const RunEntry* before(const RunEntry& entry) const {
    return entry.previous ? &runs[*entry.previous] : nullptr;
  }
  /// Among `entry` and the runs before it on its accelerator model.
  VerifiedRuns verified_runs(const RunEntry& entry) const;
  /// The length of the longest prefix of `nights` (places in `runs`), at most `most`, whose runs
  /// have at most `results` results in total.
  std::size_t nights_within(std::int64_t results, std::span<const std::size_t> nights,
                            std::size_t most) const;
};

/// Makes snapshots, each from the one before: a store of a thousand runs that got one more is a
/// matter of a millisecond. Threads may share it.
class Snapshots {
 public:
  /// The snapshot of the state that `reader` sees in its transaction.
  schema::Expected<std::shared_ptr<const Snapshot>> current(schema::Reader& reader);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Snapshot>> recent_;  // newest first, a few
};

}  // namespace benchhud::service
