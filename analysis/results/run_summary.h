// What a run says of each backend in each test, small enough to be kept for every run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/result_counts.h"
#include "analysis/results/run_speedups.h"

namespace benchhud::analysis {

struct CodeCount {
  std::string code;
  std::size_t count = 0;  ///< results, stale ones included
  std::size_t stale = 0;  ///< of them: verified in an earlier run
};

struct CompileSummary {
  double median = 0;  ///< s
  double mean = 0;    ///< s
  std::size_t n = 0;
};

struct RunGroup : ResultCounts {
  std::string test;
  std::string backend;
  /// Speedup against the baseline in the same run; none for the baseline's own backend.
  std::optional<GeomeanView> all, matched;
  std::optional<CompileSummary> compile;  ///< over results with a compile time
  std::vector<CodeCount> codes;           ///< by code
};

struct RunSummary {
  std::vector<RunGroup> groups;  ///< by test, then backend
  /// Some result was verified in this run itself.
  bool verified = false;
};

/// Sums up a run against `baseline_backend`, by the steady estimator.
RunSummary summarize_run(const JudgedRun& run, const Catalog& catalog,
                         std::string_view baseline_backend);

}  // namespace benchhud::analysis
