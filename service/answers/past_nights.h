// The nights before two runs that are compared: what is known of how nights differ of which nothing
// changed.
#pragma once

#include <unordered_map>

#include "analysis/results/run_comparison.h"
#include "service/answers/analysis_cache.h"

namespace benchhud::service {

class PastNightsOfRuns {
 public:
  /// Reads what comparing `left` with `right` needs, at most analysis::kNoiseNights nights of a
  /// series. Nights that people excluded do not count.
  static schema::Expected<PastNightsOfRuns> read(View view, AnalysisCache& analyses,
                                                 const RunEntry& left, const RunEntry& right);

  /// The nights of an experiment up to the earlier of two runs of one accelerator model. Where too
  /// few of them were timed to bear a step among them, up to the later one, which is not among
  /// them; of two accelerator models, up to the run of its own. Null: it was timed in none.
  const analysis::PastNights* find(schema::ExperimentId experiment) const;

  /// How many runs lie from the one to the other on their accelerator model; 0 of two models.
  std::size_t apart() const { return apart_; }

 private:
  // All nights of one accelerator model stand in one order, whichever of the two hold them.
  using Nights = std::unordered_map<schema::ExperimentId, analysis::PastNights>;
  Nights up_to_earlier_, up_to_later_;
  std::size_t apart_ = 0;
};

}  // namespace benchhud::service
