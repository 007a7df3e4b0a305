#include "analysis/results/run_failures.h"

#include <utility>

namespace benchhud::analysis {

RunFailures failures_of(std::span<const schema::ResultFacts> results, const ErrorTexts& errors) {
  RunFailures run;
  run.attempts.reserve(results.size());
  for (const auto& facts : results) {
    const ResultView view = judge_result(facts, {}, errors);
    const bool verified = view.verification.has_value();
    run.attempts.push_back({view.experiment, view.status != Status::kNotTimed, verified});
    if (view.failure) {
      run.failures.push_back({view.experiment, view.failure->error, view.failure->line, false,
                              view.failure->after_timing});
    }
    if (verified && view.verification->failure) {
      const FailureView& failure = *view.verification->failure;
      run.failures.push_back({view.experiment, failure.error, failure.line, true, false});
    }
  }
  return run;
}

}  // namespace benchhud::analysis
