// What failed in a run, by cause.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analysis/results/result_view.h"

namespace benchhud::analysis {

/// Failures with one signature.
struct FailureGroup {
  std::shared_ptr<const ErrorText> error;         ///< of the first one; never null
  schema::LineId line{};                          ///< the first one's
  std::vector<schema::ExperimentId> experiments;  ///< each once, in the results' order
};

/// Groups failures of timing and what the verifier's own lines say, by kind and signature; a result
/// whose both lines have one signature counts once, and a stale verification's error not at all.
/// Most frequent first, then by signature.
std::vector<FailureGroup> group_failures(std::span<const ResultView> results);

}  // namespace benchhud::analysis
