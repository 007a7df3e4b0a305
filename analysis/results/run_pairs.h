// Two runs side by side: which result of the one is set against which of the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/catalog.h"
#include "analysis/results/result_view.h"

namespace benchhud::analysis {

/// Why one side of a pair has no time.
enum class Absence : std::uint8_t {
  kNotRun,            ///< the run has no such result
  kBatchSizeDiffers,  ///< the run has it with other batch sizes alone
  kNotTimed,          ///< nothing tried to time it
  kSkipped,
  kCrashed,
  kTimedOut,
  kOutOfMemory,
  kRaised,         ///< failed otherwise: an exception, or nobody knows
  kTooFewSamples,  ///< it was timed, and no repetition is usable
};
/// "not_run", "batch_size_differs", …
std::string_view absence_name(Absence absence);

/// What one run has of a pair.
struct PairedSide {
  const CatalogEntry* entry = nullptr;  ///< null: it has no such result
  const ResultView* view = nullptr;     ///< null with it
  std::optional<Absence> absent;        ///< none: there is a steady time
};

/// At least one side has a result.
struct ResultPair {
  PairedSide left, right;

  const CatalogEntry& entry() const { return right.entry ? *right.entry : *left.entry; }
  bool is_timed() const { return !left.absent && !right.absent; }
  /// The same result of the same run stands on both sides.
  bool is_one_result() const { return left.view != nullptr && left.view == right.view; }
  bool is_one_experiment() const { return left.entry != nullptr && left.entry == right.entry; }
};

/// A run and what of it is compared.
struct PairedRun {
  const JudgedRun& run;
  /// A backend or a column (catalog.h); "": all of them.
  std::string_view backend;
};

/// Pairs results of one suite, model, test and batch size. Where both sides ask for the same
/// backend, or for all, a backend's configuration is paired with the same configuration; where the
/// backends differ, each stands for its side by one configuration: of those that have a time the
/// shortest, of equals the first in the alphabet. What failed before its batch size was known is
/// paired with what is left of that model on the other side, if that is one. By suite, model, test,
/// backend, configuration and batch size. Entries and views live as long as the catalog and the
/// runs.
std::vector<ResultPair> pair_results(const PairedRun& left, const PairedRun& right,
                                     const Catalog& catalog);

}  // namespace benchhud::analysis
