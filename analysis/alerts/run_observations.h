// A night's results, summed up to what is watched of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/alerts/watched_metric.h"
#include "analysis/changes/night_series.h"
#include "analysis/profiles/dynamo_counters.h"
#include "analysis/profiles/fallback_operations.h"
#include "analysis/results/catalog.h"
#include "analysis/results/result_view.h"
#include "analysis/timing/timing_facts.h"

namespace benchhud::analysis {

struct ExperimentObservation {
  schema::ExperimentId experiment{};
  std::array<std::optional<Night>, kTimedMetrics> times;          ///< by WatchedMetric
  std::array<std::optional<std::int64_t>, kCountMetrics> counts;  ///< from kGraphBreaks on
  std::optional<std::string> code;  ///< of the verification in this night, if it is a verdict
  Status status = Status::kNotTimed;
  /// Signatures (error_signature.h) of what timing it failed with, and of what the verifier's line
  /// tells; none where there is no text.
  std::optional<std::string> timing_error, verification_error;

  bool operator==(const ExperimentObservation&) const = default;
};

struct RunObservations {
  schema::RunId run{};
  double started_at = 0;
  std::vector<ExperimentObservation> results;  ///< by experiment id
  /// Name of the machine that it ran on, "" where it is not known. Not kept by pack_night().
  std::string machine;
};

/// As bytes, to be kept.
std::string pack_night(const RunObservations& night);
/// None of bytes that are no night's, or an earlier program's.
std::optional<RunObservations> unpack_night(std::string_view bytes);

/// What a timing line says. `dynamo` and `fallbacks`: none where it has no such counters. The
/// compile time is compile_time(), over all repetitions. The other times are of one iteration.
void observe_timing(const TimingFacts& facts, const std::optional<DynamoReport>& dynamo,
                    const std::optional<std::vector<FallbackOperation>>& fallbacks,
                    ExperimentObservation* night);

/// How often a steady time goes into the baseline's of the same night.
Night speedup(const Night& baseline, const Night& steady);

/// Fills in the speedups against `backend`, experiment by comparable experiment (catalog.h); none
/// for the baseline itself, and none where its configuration is ambiguous in `night`: several
/// experiments of that backend were timed. Returns, in the order of night.results, what each was
/// compared with.
std::vector<std::optional<schema::ExperimentId>> add_speedups(const Catalog& catalog,
                                                              std::string_view backend,
                                                              RunObservations* night);

}  // namespace benchhud::analysis
