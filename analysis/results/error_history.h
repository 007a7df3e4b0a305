// Which errors there were over a span of runs: since when, how often, and whether they are over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/results/run_failures.h"

namespace benchhud::analysis {

/// Which experiments are looked at.
using ExperimentChoice = std::function<bool(schema::ExperimentId)>;

/// Runs on one accelerator model, oldest first; never null.
using FailureRuns = std::span<const std::shared_ptr<const RunFailures>>;

/// How an experiment, or all of an error's, have it at the end of the span.
enum class ErrorStanding : std::uint8_t {
  kNew,      ///< it was tried before within the span, and did not have it
  kBack,     ///< it had it before, then not, and has it again
  kLasting,  ///< it has had it since it was first tried within the span: it may be older
  kOver,     ///< it does not have it any more
};
/// "new", "back", "lasting" or "over".
std::string_view error_standing_name(ErrorStanding verification_outcome);

/// Experiments that have an error now and have had it without a break since the same run.
struct ErrorSince {
  std::size_t run = 0;  ///< a place in the span
  ErrorStanding verification_outcome = ErrorStanding::kNew;
  std::size_t experiments = 0;
};

/// All failures of a signature. Runs are places in the span.
///
/// An experiment *has* an error in a run if it is in the run and its last attempt up to that run
/// failed with it: at being timed, or at being verified, each counted by its own last attempt. So a
/// run that was not verified says of verifications what the last one said, as everywhere; the
/// counts do not alternate with nights that are verified and nights that are not.
struct ErrorTrend {
  std::shared_ptr<const ErrorText> error;  ///< the newest one; never null
  schema::LineId line{};                   ///< the newest one's
  std::size_t line_run = 0;                ///< the run of that line
  std::size_t first = 0, last = 0;         ///< the first and the last run with it
  std::size_t run_count = 0;               ///< runs with it
  std::size_t now = 0;                     ///< experiments that have it in the newest run
  /// Those by since when each has it, the latest first; together they are `now`.
  std::vector<ErrorSince> since;
  std::vector<schema::ExperimentId> experiments;  ///< that ever had it, by id
  /// One a run: how many experiments have it. None where nothing is known: none of its experiments
  /// is in the run and was tried up to then in the way in which it fails of it.
  std::vector<std::optional<std::size_t>> counts;
};

/// A trend a signature, whatever kinds its errors are of. Those of most experiments now first, then
/// those seen last, those of most runs, by signature.
std::vector<ErrorTrend> error_trends(FailureRuns runs, const ExperimentChoice& fits);

/// Experiments that have any error in the newest run, skips on purpose aside, each once.
struct FailingNow {
  std::size_t experiments = 0;
  std::size_t failed = 0;        ///< of them: that failed to be timed, as ResultCounts::failed
  std::size_t verification = 0;  ///< of them: of which the verifier's line has an error
};
FailingNow failing_now(FailureRuns runs, const ExperimentChoice& fits);

/// What is known of an experiment and an error in a run, by its last attempts up to it.
enum class ErrorNight : char {
  kThis = 'x',     ///< it has it
  kOther = 'o',    ///< it has another error
  kNone = '.',     ///< it has none
  kUntried = '-',  ///< unknown, or the experiment is not in the run
};

/// An experiment that at least once failed of a signature.
struct FailingExperiment {
  schema::ExperimentId experiment{};
  schema::LineId line{};             ///< the newest one's
  std::size_t first = 0, last = 0;   ///< runs in which it has it, as places in the span
  std::size_t failed = 0;            ///< runs in which an attempt failed with it
  std::size_t tried = 0;             ///< runs in which there was an attempt that could have
  bool now = false;                  ///< it has it in the newest run
  std::optional<std::size_t> since;  ///< where it has it now: since which run without a break
  ErrorStanding verification_outcome = ErrorStanding::kOver;
  bool of_verification = false;    ///< the newest one is the verifier's
  std::vector<ErrorNight> nights;  ///< one a run
};

/// Those that fail now first, then those that failed most often, by id.
std::vector<FailingExperiment> failing_experiments(FailureRuns runs, std::string_view signature,
                                                   const ExperimentChoice& fits);

}  // namespace benchhud::analysis
