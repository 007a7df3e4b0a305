#include "analysis/results/timing_review.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/timing/nested_metrics.h"

namespace benchhud::analysis {
namespace {

/// The JSON of a nested metric; "" where the line has none.
std::string_view nested(std::span<const schema::StoredMeasurement> measurements,
                        std::string_view metric) {
  for (const auto& stored : measurements) {
    if (stored.measurement.metric == metric) return stored.measurement.json;
  }
  return {};
}

}  // namespace

TimingCounts timing_counts(std::span<const schema::StoredMeasurement> measurements,
                           const CatalogEntry& entry, const schema::ResultFacts& facts) {
  TimingCounts counts;
  counts.timing =
      timing_facts(entry.experiment(), measurements, facts.repeat, facts.iterations_per_run);
  const auto read = [&](std::string_view metric, const auto& reader_of, const auto& take) {
    const std::string_view json = nested(measurements, metric);
    if (json.empty()) return;
    if (const auto value = reader_of(json)) {
      take(*value);
    } else {
      counts.unreadable.emplace_back(metric);
    }
  };
  read("dynamo_counters", read_dynamo_counters, [&](const auto& counters) {
    counts.dynamo = read_dynamo(counters, has_slow_start(counts.timing));
  });
  read("xla_unlowered_ops", read_operation_times,
       [&](const auto& operations) { counts.fallbacks = fallback_operations(operations); });
  return counts;
}

schema::Expected<TimingCounts> read_timing_counts(schema::Reader& reader, const CatalogEntry& entry,
                                                  const schema::ResultFacts& facts) {
  BENCHHUD_ASSIGN(const auto measurements, reader.measurements(*facts.timing_line));
  return timing_counts(measurements, entry, facts);
}

schema::Expected<TimingReview> review_timing(
    schema::Reader& reader, const CatalogEntry& entry, const schema::ResultFacts& facts,
    const std::string& baseline, const std::vector<std::int64_t>& baseline_batch_sizes) {
  TimingReview review;
  review.line = facts.timing_line;
  if (!review.line) return review;
  BENCHHUD_ASSIGN(TimingCounts counts, read_timing_counts(reader, entry, facts));
  const TimingFacts& timing = counts.timing;
  review.dynamo = std::move(counts.dynamo);
  review.fallbacks = std::move(counts.fallbacks);
  review.unreadable = std::move(counts.unreadable);
  const DynamoReport dynamo = review.dynamo.value_or(DynamoReport());
  review.phases = phases(timing, dynamo);
  HygieneContext context;
  context.batch_size = entry.experiment().batch_size;
  context.baseline = baseline;
  context.baseline_batch_sizes = baseline_batch_sizes;
  BENCHHUD_ASSIGN(const auto profiled, reader.profiled_repetitions(facts.run, entry.id()));
  context.profiled_repetitions.assign(profiled.begin(), profiled.end());
  review.hygiene = timing_hygiene(timing, dynamo, review.phases, context);
  return review;
}

}  // namespace benchhud::analysis
