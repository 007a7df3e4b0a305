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
#include "schema/base/json_writer.h"
#include "schema/model/metric.h"
#include "schema/results/reader.h"
#include "service/answers/analysis_cache.h"
#include "service/answers/snapshot.h"

namespace benchhud::views {

/// "passing", "failing" or "undecided".
std::string_view outcome_name(analysis::VerificationOutcome verification_outcome);
/// "lower", "higher" or "neither".
std::string_view direction_name(schema::Direction direction);

void write_time(schema::JsonWriter& json, double seconds);
void write_mark(schema::JsonWriter& json, const schema::NightMark& mark);
void write_run_ref(schema::JsonWriter& json, const schema::Run& run);
void write_run_ref(schema::JsonWriter& json,
                   const service::RunEntry* entry);  ///< null where it is null
void write_run(schema::JsonWriter& json, const schema::Run& run, const service::RunCard& card);
void write_experiment(schema::JsonWriter& json, const analysis::CatalogEntry& entry);
/// `column`: the backend, and what tells its configurations apart.
void write_experiment(schema::JsonWriter& json, schema::ExperimentId id,
                      schema::ExperimentView experiment, std::string_view backend,
                      std::string_view column);
void write_interval(schema::JsonWriter& json, const std::optional<analysis::Interval>& interval);
void write_flags(schema::JsonWriter& json, const analysis::EstimateFlags& flags);
void write_estimate(schema::JsonWriter& json, const std::optional<analysis::Estimate>& estimate);
void write_speedup(schema::JsonWriter& json, const std::optional<analysis::SpeedupView>& speedup);
void write_exclusion(schema::JsonWriter& json, const std::optional<analysis::Exclusion>& exclusion);
void write_geomean(schema::JsonWriter& json, const analysis::GeomeanView& geomean);
void write_column_geomean(schema::JsonWriter& json, const analysis::ColumnGeomean& row);
void write_verification(schema::JsonWriter& json,
                        const std::optional<analysis::VerificationView>& view);
/// The members of a Verification alone, for objects that have more.
void write_verification_fields(schema::JsonWriter& json, const analysis::VerificationView& view);
void write_failure(schema::JsonWriter& json, const std::optional<analysis::FailureView>& failure);
/// The members of a Result, for an object that the caller opened.
void write_result_fields(schema::JsonWriter& json, schema::RunId run,
                         const analysis::CatalogEntry& entry, const analysis::ResultView& view);
/// Of a group of results; null where one of them is.
void write_geomeans(schema::JsonWriter& json, const analysis::GeomeanView* all,
                    const analysis::GeomeanView* matched);
void write_compile(schema::JsonWriter& json,
                   const std::optional<analysis::CompileSummary>& compile);
/// The members of an object that counts results; `total_name` is what its total is called.
void write_result_counts(schema::JsonWriter& json, const analysis::ResultCounts& counts,
                         std::string_view total_name = "total");
void write_group(schema::JsonWriter& json, const analysis::RunGroup& group);
void write_groups(schema::JsonWriter& json, const std::vector<analysis::RunGroup>& groups);
/// What became of a test and backend since an earlier run.
void write_group_change(schema::JsonWriter& json, const analysis::Catalog& catalog,
                        const analysis::GroupChange& change);
void write_transition(schema::JsonWriter& json, const analysis::CatalogEntry& entry,
                      const analysis::VerificationChange& change);
void write_move(schema::JsonWriter& json, const analysis::CatalogEntry& entry,
                const analysis::Move& move);
void write_line(schema::JsonWriter& json, const schema::LineFacts& line,
                const schema::ResultFacts& result, const std::optional<std::string>& error_excerpt);
void write_measurement(schema::JsonWriter& json, const schema::StoredMeasurement& stored);
/// What readers see of a file's path on the server: its name and the folder that it is in. All of
/// it is known to whoever has the store's file (`benchhud runs`, `benchhud artifacts`).
std::string_view shown_path(std::string_view path);
/// `runs` are those that have lines of the file.
void write_ingest(schema::JsonWriter& json, const schema::IngestedFile& file,
                  std::span<const service::RunEntry* const> runs);
void write_rejected_line(schema::JsonWriter& json, const schema::RejectedLine& line);
void write_metric(schema::JsonWriter& json, const schema::MetricInfo& info);

/// JSON from the store as it is; `otherwise` for a text that is no JSON.
void write_stored_json(schema::JsonWriter& json, std::string_view text, std::string_view otherwise);

}  // namespace benchhud::views
