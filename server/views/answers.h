// The things of the contract as JSON: one function each, named as its schema in openapi.json.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/results/catalog.h"
#include "analysis/results/group_changes.h"
#include "analysis/results/result_view.h"
#include "analysis/results/run_changes.h"
#include "analysis/results/run_speedups.h"
#include "analysis/results/run_summary.h"
#include "schema/alerts/night_mark.h"
#include "schema/model/metric.h"
#include "schema/results/reader.h"
#include "server/codec/json_writer.h"
#include "service/answers/snapshot.h"

namespace benchhud::server {

/// What is told of a run beside what the snapshot holds.
struct RunCard {
  std::int64_t timed = 0;
  std::int64_t failed = 0;
  std::vector<schema::Invocation> invocations;
  std::vector<schema::NightMark> marks;
};

/// "passing", "failing" or "undecided".
std::string_view outcome_name(analysis::Standing standing);
/// "lower", "higher" or "neither".
std::string_view direction_name(schema::Direction direction);

void write_time(JsonWriter& json, double seconds);
void write_mark(JsonWriter& json, const schema::NightMark& mark);
void write_run_ref(JsonWriter& json, const schema::Run& run);
void write_run_ref(JsonWriter& json, const RunEntry* entry);  ///< null where it is null
void write_run(JsonWriter& json, const schema::Run& run, const RunCard& card);
void write_experiment(JsonWriter& json, const analysis::CatalogEntry& entry);
/// `column`: the backend, and what tells its configurations apart.
void write_experiment(JsonWriter& json, schema::ExperimentId id, schema::ExperimentView experiment,
                      std::string_view backend, std::string_view column);
void write_interval(JsonWriter& json, const std::optional<analysis::Interval>& interval);
void write_flags(JsonWriter& json, const analysis::EstimateFlags& flags);
void write_estimate(JsonWriter& json, const std::optional<analysis::Estimate>& estimate);
void write_speedup(JsonWriter& json, const std::optional<analysis::SpeedupView>& speedup);
void write_exclusion(JsonWriter& json, const std::optional<analysis::Exclusion>& exclusion);
void write_geomean(JsonWriter& json, const analysis::GeomeanView& geomean);
void write_column_geomean(JsonWriter& json, const analysis::ColumnGeomean& row);
void write_verification(JsonWriter& json, const std::optional<analysis::VerificationView>& view);
/// The members of a Verification alone, for objects that have more.
void write_verification_fields(JsonWriter& json, const analysis::VerificationView& view);
void write_failure(JsonWriter& json, const std::optional<analysis::FailureView>& failure);
/// The members of a Result, for an object that the caller opened.
void write_result_fields(JsonWriter& json, schema::RunId run, const analysis::CatalogEntry& entry,
                         const analysis::ResultView& view);
/// Of a group of results; null where one of them is.
void write_geomeans(JsonWriter& json, const analysis::GeomeanView* all,
                    const analysis::GeomeanView* matched);
void write_compile(JsonWriter& json, const std::optional<analysis::CompileSummary>& compile);
/// The members of an object that counts results; `total_name` is what its total is called.
void write_result_counts(JsonWriter& json, const analysis::ResultCounts& counts,
                         std::string_view total_name = "total");
void write_group(JsonWriter& json, const analysis::RunGroup& group);
void write_groups(JsonWriter& json, const std::vector<analysis::RunGroup>& groups);
/// What became of a test and backend since an earlier run.
void write_group_change(JsonWriter& json, const analysis::Catalog& catalog,
                        const analysis::GroupChange& change);
void write_transition(JsonWriter& json, const analysis::CatalogEntry& entry,
                      const analysis::VerificationChange& change);
void write_move(JsonWriter& json, const analysis::CatalogEntry& entry, const analysis::Move& move);
void write_line(JsonWriter& json, const schema::LineFacts& line, const schema::ResultFacts& result,
                const std::optional<std::string>& error_excerpt);
void write_measurement(JsonWriter& json, const schema::StoredMeasurement& stored);
/// What readers see of a file's path on the server: its name and the folder that it is in. All of
/// it is known to whoever has the store's file (`benchhud runs`, `benchhud artifacts`).
std::string_view shown_path(std::string_view path);
/// `runs` are those that have lines of the file.
void write_ingest(JsonWriter& json, const schema::IngestedFile& file,
                  std::span<const RunEntry* const> runs);
void write_rejected_line(JsonWriter& json, const schema::RejectedLine& line);
void write_metric(JsonWriter& json, const schema::MetricInfo& info);

/// JSON from the store as it is; `otherwise` for a text that is no JSON.
void write_stored_json(JsonWriter& json, std::string_view text, std::string_view otherwise);

}  // namespace benchhud::server
