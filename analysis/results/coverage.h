// What should have run and did not, and what became of what did.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/results/catalog.h"
#include "analysis/results/run_digest.h"
#include "schema/results/manifest.h"

namespace benchhud::analysis {

/// An experiment that was expected in a run, or ran in it.
struct CoverageItem {
  /// Null for what a manifest names and no run before has: then `expected` is set.
  const CatalogEntry* entry = nullptr;
  const schema::ExpectedResult* expected = nullptr;
  Outcome outcome = Outcome::kNotRun;
  bool is_timed = false;    ///< it has timings in the run, be they of a wrong result
  bool is_expected = true;  ///< else it ran for the first time, or the manifest does not name it
  /// How it was in the run before, if it should have been in that too.
  std::optional<Outcome> before;
  /// How many runs ago it was last timed, this one being 0; none: not among those looked at.
  std::optional<std::size_t> timed_runs_ago;

  const std::string& test() const { return entry ? entry->experiment().test : expected->test; }
  const std::string& suite() const { return entry ? entry->experiment().suite : expected->suite; }
  const std::string& backend() const { return entry ? entry->backend() : expected->backend; }
};

/// The most runs before a run that may say what is expected of it, where no manifest does: a bit
/// each.
inline constexpr std::size_t kMostCoverageRuns = 63;

/// The coverage of `run`. `before` are the runs before it on its accelerator model, the last one
/// first; of more than kMostCoverageRuns the first ones are looked at.
///
/// Without a manifest every experiment is expected that has a line in one of `before`. One is not
/// missed where another one of the same suite, model, test and column is in the run in its stead:
/// with another batch size, say, or with the one that a crash had kept unknown. In its stead is
/// what was in no run together with it.
///
/// With a manifest (sorted; not empty) that is expected which it names, of whatever batch size and
/// flags: each experiment of that name that is in the run, and where there is none the one that
/// `before` had last.
///
/// In the catalog's order; behind them what no run had, in the manifest's.
std::vector<CoverageItem> coverage(const Catalog& catalog, const RunDigest& run,
                                   std::span<const RunDigest* const> before,
                                   std::span<const schema::ExpectedResult> manifest);

/// Counts by outcome.
struct CoverageCounts {
  std::array<std::size_t, kOutcomes> outcomes{};  ///< of what was expected, by Outcome
  std::size_t expected = 0;                       ///< their sum
  std::size_t timed = 0;        ///< of those expected: with timings, as ResultCounts::timed
  std::size_t extra = 0;        ///< ran and was not expected
  std::size_t extra_timed = 0;  ///< of these: with timings
  std::size_t lost = 0;  ///< of those expected: timed in the run before, and now not, or wrong
};

void count(const CoverageItem& item, CoverageCounts* counts);

/// Whether it was timed in the run before and now is not, or is wrong.
bool is_lost(const CoverageItem& item);

}  // namespace benchhud::analysis
