// How many results of a group there are, and what became of them. Every page, report and answer
// that counts results counts them with this, so a word means the same number everywhere
// (docs/numbers.md, "Words").
#pragma once

#include <cstddef>

#include "analysis/results/result_view.h"

namespace benchhud::analysis {

struct ResultCounts {
  std::size_t total = 0;   ///< results
  std::size_t timed = 0;   ///< with timings in the run, whatever their verification says
  std::size_t failed = 0;  ///< were to be timed and failed; skipped on purpose is not failed
  // By the last verification, of an earlier run where the run itself did not verify the result.
  std::size_t passing = 0;
  std::size_t failing = 0;
  std::size_t undecided = 0;   ///< verified, without a verdict on the backend
  std::size_t unverified = 0;  ///< never verified
  std::size_t stale = 0;       ///< of the verified: in an earlier run
  /// What a pass rate is of: results of suites, tests and backends of which at least one was ever
  /// verified (ResultView::is_verifiable). The backend that verifies the others is not among them.
  std::size_t verifiable = 0;

  bool is_verified() const { return passing + failing + undecided > 0; }

  /// Counts a result whose last verification stands so.
  void add(Status status, bool is_verifiable, VerificationOutcome verification_outcome,
           bool is_stale) {
    add_unverified(status, is_verifiable);
    --unverified;
    passing += verification_outcome == VerificationOutcome::kPassing;
    failing += verification_outcome == VerificationOutcome::kFailing;
    undecided += verification_outcome == VerificationOutcome::kNeither;
    stale += is_stale;
  }
  /// Counts a result that was never verified.
  void add_unverified(Status status, bool is_verifiable) {
    ++total;
    ++unverified;
    timed += status == Status::kTimed;
    failed += status == Status::kFailed;
    verifiable += is_verifiable;
  }
  void add(const ResultView& view) {
    const auto& verification = view.verification;
    if (verification) {
      add(view.status, view.is_verifiable, verification->verification_outcome, verification->stale);
    } else {
      add_unverified(view.status, view.is_verifiable);
    }
  }
};

}  // namespace benchhud::analysis
