// Whether a result's time is what it looks like: was the device waited for, was it warm, did a
// profiler watch, do the repetitions agree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/timing/phases.h"
#include "analysis/timing/timing_concerns.h"
#include "analysis/timing/timing_facts.h"

namespace benchhud::analysis {

struct HygieneFlag {
  Concern concern{};
  Severity severity{};
  std::string sentence;  ///< what it means here, with the numbers
  /// The numbers of the sentence by name. Names end with their unit, as Advice's do: `_s` seconds,
  /// `_share` shares of 1. `p_value`, `dip` and `critical_dip` have none; all others are counts.
  std::vector<std::pair<std::string_view, double>> values;
  std::vector<std::size_t> repetitions;  ///< that it is about, from 0; empty: all of them
};

struct HygieneReport {
  std::vector<HygieneFlag> flags;  ///< what was found, the gravest first
  /// One for each of kConcerns, in that order. What the metrics of the line do not let one tell is
  /// not the same as what is not there.
  std::array<CheckOutcome, kConcerns.size()> outcomes{};
};

/// What the line itself does not say.
struct HygieneContext {
  std::optional<std::int64_t> batch_size;
  std::string baseline;  ///< the backend that speedups are against
  /// The batch sizes with which the baseline was timed in the same run; none asked: empty.
  std::vector<std::int64_t> baseline_batch_sizes;
  /// The repetitions of which there are traces or operator tables, from 0.
  std::vector<std::size_t> profiled_repetitions;
};

/// How often kDrifting is found in a series in no order, at most; see trend().
inline constexpr double kDriftAlarmRate = 0.005;
/// Drifts and distances between humps smaller than this, as a share of the median, are not spoken
/// of: they change nothing that a comparison of runs would show.
inline constexpr double kSmallestChange = 0.02;
/// Spread above this is high: 1.4826 times the median absolute deviation (for normal samples their
/// standard deviation), as a share of the median.
inline constexpr double kHighSpreadShare = 0.05;

/// Looks at one result. `report` is phases() of the same facts and counters.
HygieneReport timing_hygiene(const TimingFacts& facts, const DynamoReport& dynamo,
                             const PhaseReport& report, const HygieneContext& context);

}  // namespace benchhud::analysis
