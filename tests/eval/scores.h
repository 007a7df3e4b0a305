// What is measured of change points: against one truth, or against several people's.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace benchhud::eval {

/// Hits and misses of a detector over many series.
struct EventScore {
  int hits = 0;
  int others = 0;  ///< changes that are none
  int misses = 0;

  double precision() const;
  double recall() const;
  double f1() const;
};

/// F1 and cover as van den Burg & Williams, An Evaluation of Change Point Detection Algorithms
/// (2020), define them: index 0 is a change of everybody's; a hit is within `margin`, and each
/// change is hit once; precision is over the union of all annotations, recall the mean of the
/// annotators'. Cover: each of an annotator's segments by its best overlap (Jaccard), weighted by
/// length, the mean over annotators.
struct AnnotatedScore {
  double f1 = 0;
  double cover = 0;
};
AnnotatedScore annotated_score(const std::vector<std::vector<std::size_t>>& annotations,
                               const std::vector<std::size_t>& found, std::size_t length,
                               std::size_t margin);

}  // namespace benchhud::eval
