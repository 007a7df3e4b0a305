// What was tried in a run and what of it failed, small enough to be kept for every run.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analysis/results/result_view.h"
#include "schema/results/reader.h"

namespace benchhud::analysis {

/// What was tried of an experiment in a run.
struct Attempt {
  schema::ExperimentId experiment{};
  bool timing = false;        ///< it was timed, failed at it, or was skipped on purpose
  bool verification = false;  ///< it was verified in this run

  bool operator==(const Attempt&) const = default;
};

/// An error that a line of a result tells of.
struct Failure {
  schema::ExperimentId experiment{};
  std::shared_ptr<const ErrorText> error;  ///< never null
  schema::LineId line{};
  bool of_verification = false;  ///< else of timing
  bool after_timing = false;     ///< the result has timings; a later attempt failed
};

struct RunFailures {
  std::vector<Attempt> attempts;  ///< by experiment
  std::vector<Failure> failures;  ///< by experiment; of one with two, that of timing first
};

/// Sums up a run's results, given by experiment; their samples are not looked at. `errors` tells
/// whether their texts could be read.
RunFailures failures_of(std::span<const schema::ResultFacts> results, const ErrorTexts& errors);

}  // namespace benchhud::analysis
