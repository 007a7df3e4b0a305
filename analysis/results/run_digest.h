// A run's results in few bytes each: what a year of runs is looked through for.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/result_view.h"

namespace benchhud::analysis {

/// What became of an experiment in a run: exactly one of these.
enum class Outcome : std::uint8_t {
  kTimed,        ///< has timings, and its last verification does not say that the result is wrong
  kWrong,        ///< its last verification says FAIL, be it of an earlier run: not every night is
                 ///< verified; whether there are timings or not
  kCrashed,      ///< was to be timed, and a signal, an abort or a failed check ended it
  kTimedOut,     ///< was to be timed, and the runner's time limit was reached
  kOutOfMemory,  ///< was to be timed, and memory did not suffice
  kRaised,       ///< was to be timed, and failed otherwise: an exception, or nobody knows
  kSkipped,      ///< the runner knew it not to work and did not try
  kNotTimed,     ///< has a line (of the verifier, say), but nothing tried to time it
  kNotRun,       ///< has no line in the run, though it should have run; never in a digest
};
inline constexpr std::size_t kOutcomes = 9;

/// "timed", "wrong", "crashed", "timed_out", "out_of_memory", "raised", "skipped", "not_timed" or
/// "not_run".
std::string_view outcome_name(Outcome outcome);

Outcome outcome_of(const ResultView& view);

struct ResultDigest {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  schema::ExperimentId experiment{};
  // NaN where there is none.
  double steady = kNone;        ///< s, the median after warm-up
  double low = kNone;           ///< s, its interval within the run
  double high = kNone;          ///< s
  double compile = kNone;       ///< s, in all repetitions (compile_time())
  std::int32_t n = 0;           ///< steady samples
  std::int32_t code = -1;       ///< a place in RunDigest::codes; -1: never verified
  std::int8_t error_kind = -1;  ///< an ErrorKind, of the failure to time; -1: none
  VerificationOutcome verification_outcome = VerificationOutcome::kNeither;
  Status status = Status::kNotTimed;
  Outcome outcome = Outcome::kNotTimed;
  bool stale = false;          ///< the code is of an earlier run
  bool is_verifiable = false;  ///< as ResultView has it

  bool is_timed() const { return steady == steady; }
  bool is_verified() const { return code >= 0; }
};

struct RunDigest {
  std::vector<ResultDigest> results;  ///< in the catalog's order, as JudgedRun has them
  std::vector<std::string> codes;

  /// The code of one of its results; "" if it was never verified.
  std::string_view code_of(const ResultDigest& result) const;
};

RunDigest digest_run(const JudgedRun& run);

}  // namespace benchhud::analysis
