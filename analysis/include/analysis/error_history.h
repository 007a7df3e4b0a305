// Which errors there were over a span of runs: since when, how often, and whether they are over.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/run_failures.h"

namespace benchhud::analysis {

/// Which experiments are looked at.
using ExperimentChoice = std::function<bool(schema::ExperimentId)>;

/// Runs on one accelerator model, oldest first; never null.
using FailureRuns = std::span<const std::shared_ptr<const RunFailures>>;

/// All failures of a signature. Runs are places in the span.
struct ErrorTrend {
  std::shared_ptr<const ErrorText> error;  ///< the newest one; never null
  schema::LineId line{};                   ///< the newest one's
  std::size_t first = 0, last = 0;         ///< the first and the last run with it
  std::size_t run_count = 0;               ///< runs with it
  /// Where it is still there: the run since which every run that could show it has it.
  std::optional<std::size_t> since;
  /// It is in the first run of the span that could show it: it may be older than the span.
  bool maybe_older = false;
  /// Experiments that have it in the newest run that was timed, or for the verifier's errors in the
  /// newest that was verified.
  std::size_t now = 0;
  std::vector<schema::ExperimentId> experiments;  ///< that ever had it, by id
  /// One a run: how many experiments have it. None where nothing could show it: none of its
  /// experiments was tried in the way in which they fail of it (timed, verified).
  std::vector<std::optional<std::size_t>> counts;
};

/// A trend a signature, whatever kinds its errors are of. Those of most experiments now first, then
/// those seen last, those of most runs, by signature.
std::vector<ErrorTrend> error_trends(FailureRuns runs, const ExperimentChoice& fits);

/// What a run says of an experiment and an error.
enum class ErrorNight : char {
  kThis = 'x',     ///< it failed of it
  kOther = 'o',    ///< it failed of something else
  kNone = '.',     ///< it was tried in the way in which it otherwise fails of it, without an error
  kUntried = '-',  ///< it was not
};

/// An experiment that at least once failed of a signature.
struct FailingExperiment {
  schema::ExperimentId experiment{};
  schema::LineId line{};            ///< the newest one's
  std::size_t first = 0, last = 0;  ///< runs, as places in the span
  std::size_t failed = 0;           ///< runs in which it failed of it
  std::size_t tried = 0;            ///< runs in which it could have
  bool now = false;                 ///< as in ErrorTrend
  bool of_verification = false;     ///< the newest one is the verifier's
  std::vector<ErrorNight> nights;   ///< one a run
};

/// Those that fail now first, then those that failed most often, by id.
std::vector<FailingExperiment> failing_experiments(FailureRuns runs, std::string_view signature,
                                                   const ExperimentChoice& fits);

}  // namespace benchhud::analysis
