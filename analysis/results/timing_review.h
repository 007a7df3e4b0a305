// What a result's timing line says of where the time went, put together from the store.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/profiles/dynamo_counters.h"
#include "analysis/profiles/fallback_operations.h"
#include "analysis/results/catalog.h"
#include "analysis/timing/phases.h"
#include "analysis/timing/timing_hygiene.h"
#include "schema/results/reader.h"

namespace benchhud::analysis {

/// A timing line's times and counters, as they are.
struct TimingCounts {
  TimingFacts timing;
  std::optional<DynamoReport> dynamo;
  std::optional<std::vector<FallbackOperation>> fallbacks;
  std::vector<std::string> unreadable;  ///< metrics that are there but make no sense
};

/// Of a result that was timed: facts.timing_line is there. `measurements`: that line's.
TimingCounts timing_counts(std::span<const schema::StoredMeasurement> measurements,
                           const CatalogEntry& entry, const schema::ResultFacts& facts);
schema::Expected<TimingCounts> read_timing_counts(schema::Reader& reader, const CatalogEntry& entry,
                                                  const schema::ResultFacts& facts);

struct TimingReview {
  std::optional<schema::LineId> line;  ///< none: it was not timed, and all else is empty
  PhaseReport phases;
  HygieneReport hygiene;
  std::optional<DynamoReport> dynamo;
  std::optional<std::vector<FallbackOperation>> fallbacks;
  std::vector<std::string> unreadable;  ///< metrics that are there but make no sense
};

/// Reads and judges the timing of one result. `baseline_batch_sizes`: those with which the backend
/// `baseline` was timed in the same run.
schema::Expected<TimingReview> review_timing(schema::Reader& reader, const CatalogEntry& entry,
                                             const schema::ResultFacts& facts,
                                             const std::string& baseline,
                                             const std::vector<std::int64_t>& baseline_batch_sizes);

}  // namespace benchhud::analysis
