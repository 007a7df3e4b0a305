// Where the time of a result went, and whether it is what it looks like: of one, and over runs.
#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "analysis/results/timing_review.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "server/routes/series_scope.h"
#include "views/phase_answers.h"

namespace benchhud::server {
namespace {

using analysis::CatalogEntry;
using analysis::Phase;
using schema::Expected;
using schema::to_int;

/// The batch sizes with which a backend was timed, by run.
using BatchSizes = std::map<schema::RunId, std::vector<std::int64_t>>;

/// Of the baseline's experiments among `entries`, in runs that started within [since, until].
Expected<BatchSizes> baseline_batch_sizes(RequestContext& context,
                                          const std::vector<const CatalogEntry*>& entries,
                                          double since, double until) {
  BatchSizes sizes;
  for (const CatalogEntry* entry : entries) {
    const auto& batch_size = entry->experiment().batch_size;
    if (!batch_size || entry->backend() != context.query.text("baseline")) continue;
    BENCHHUD_ASSIGN(const auto series,
                    context.reader().series_without_samples(entry->id(), since, until));
    for (const auto& facts : series) {
      if (facts.timing_line) sizes[facts.run].push_back(*batch_size);
    }
  }
  for (auto& [run, list] : sizes) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return sizes;
}

Expected<analysis::TimingReview> review(RequestContext& context, const CatalogEntry& entry,
                                        const schema::ResultFacts& facts, const BatchSizes& sizes) {
  const auto found = sizes.find(facts.run);
  return analysis::review_timing(
      context.reader(), entry, facts, context.query.text("baseline"),
      found == sizes.end() ? std::vector<std::int64_t>() : found->second);
}

void write_checks(schema::JsonWriter& json, const analysis::HygieneReport& hygiene) {
  json.key("checks");
  json.begin_array();
  for (std::size_t i = 0; i < analysis::kConcerns.size(); ++i) {
    json.begin_object();
    json.field("code", analysis::concern_name(analysis::kConcerns[i]));
    json.field("outcome", analysis::outcome_name(hygiene.outcomes[i]));
    json.end_object();
  }
  json.end_array();
}

void write_metrics(schema::JsonWriter& json, const analysis::PhaseReport& phases) {
  json.key("metrics");
  json.begin_object();
  for (const Phase phase : {Phase::kTracing, Phase::kCompiling, Phase::kExecuting}) {
    json.key(analysis::phase_name(phase));
    const auto metric = phases.metric_of(phase);
    metric.empty() ? json.null() : json.value(metric);
  }
  json.end_object();
}

Expected<void> write_result_phases(RequestContext& context, schema::JsonWriter& json,
                                   const AskedResult& result) {
  std::vector<const CatalogEntry*> workload;
  for (const CatalogEntry& entry : context.catalog().entries()) {
    if (entry.workload() == result.entry->workload()) workload.push_back(&entry);
  }
  const double at = result.run->run.started_at;
  BENCHHUD_ASSIGN(const auto sizes, baseline_batch_sizes(context, workload, at, at));
  BENCHHUD_ASSIGN(const auto timing, review(context, *result.entry, result.facts, sizes));
  json.begin_object();
  json.key("run");
  views::write_run_ref(json, result.run->run);
  json.key("experiment");
  views::write_experiment(json, *result.entry);
  json.key("line_id");
  timing.line ? json.value(to_int(*timing.line)) : json.null();
  json.field("repeat", result.facts.repeat);
  json.field("iterations_per_run", result.facts.iterations_per_run);
  write_metrics(json, timing.phases);
  json.key("repetitions");
  json.begin_array();
  const auto& repetitions = timing.phases.repetitions;
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    views::write_phased_repetition(json, repetitions[i], i);
  }
  json.end_array();
  json.field("repetitions_omitted", timing.phases.repetition_count - repetitions.size());
  json.key("warmup");
  views::write_phase_group(json, timing.phases.warmup);
  json.key("steady");
  views::write_phase_group(json, timing.phases.steady);
  json.key("first_excess");
  views::write_excess(json, timing.phases.first_excess);
  json.key("flags");
  json.list(timing.hygiene.flags, [&](const auto& flag) { views::write_hygiene_flag(json, flag); });
  write_checks(json, timing.hygiene);
  json.key("dynamo");
  views::write_dynamo_report(json, timing.dynamo);
  json.key("fallbacks");
  views::write_fallbacks(json, timing.fallbacks);
  json.key("unreadable");
  json.list(timing.unreadable, [&](const auto& metric) { json.value(metric); });
  json.key("definitions");
  views::write_definitions(json);
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_result_phases(RequestContext& context) {
  BENCHHUD_ASSIGN(auto result, asked_result(context));
  ResponsePlan plan;
  plan.key = revision_key(context);
  plan.body = [&context, result = std::move(result)](schema::JsonWriter& json) {
    return write_result_phases(context, json, result);
  };
  plan.csv_rows = "repetitions";
  return plan;
}

void write_point(schema::JsonWriter& json, const analysis::TimingReview& timing) {
  json.begin_object();
  json.field("line_id", to_int(*timing.line));
  json.key("warmup");
  views::write_phase_group(json, timing.phases.warmup);
  json.key("steady");
  views::write_phase_group(json, timing.phases.steady);
  json.key("first_excess");
  views::write_excess(json, timing.phases.first_excess);
  json.key("flags");
  json.list(timing.hygiene.flags, [&](const auto& flag) {
    json.begin_object();
    json.field("code", analysis::concern_name(flag.concern));
    json.field("severity", analysis::severity_name(flag.severity));
    json.end_object();
  });
  json.end_object();
}

/// One experiment's point in each of the runs; none where it was not timed.
Expected<std::vector<std::optional<analysis::TimingReview>>> review_series(
    RequestContext& context, const SeriesScope& scope, const CatalogEntry& entry,
    const BatchSizes& sizes) {
  std::vector<std::optional<analysis::TimingReview>> points(scope.runs.size());
  BENCHHUD_ASSIGN(const auto series,
                  context.reader().series(entry.id(), scope.runs.front()->run.started_at,
                                          scope.runs.back()->run.started_at));
  for (const auto& facts : series) {
    const auto place = scope.places.find(facts.run);
    if (place == scope.places.end() || !facts.timing_line) continue;
    BENCHHUD_ASSIGN(points[place->second], review(context, entry, facts, sizes));
  }
  return points;
}

/// A timed experiment with its point in each run.
struct PhaseSeries {
  const CatalogEntry* entry;
  std::vector<std::optional<analysis::TimingReview>> points;
};

/// Calls `take` with each requested series.
Expected<void> read_phase_series(RequestContext& context, const SeriesScope& scope,
                                 const std::function<void(const PhaseSeries&)>& take) {
  if (scope.runs.empty()) return {};
  BENCHHUD_ASSIGN(const auto sizes,
                  baseline_batch_sizes(context, scope.entries, scope.runs.front()->run.started_at,
                                       scope.runs.back()->run.started_at));
  for (const CatalogEntry* entry : scope.entries) {
    if (!matches_any(context.query, "backend", entry->backend())) continue;
    BENCHHUD_ASSIGN(auto points, review_series(context, scope, *entry, sizes));
    if (std::any_of(points.begin(), points.end(),
                    [](const auto& point) { return point.has_value(); })) {
      take({entry, std::move(points)});
    }
  }
  return {};
}

Expected<void> write_phase_series(RequestContext& context, schema::JsonWriter& json,
                                  const SeriesScope& scope) {
  json.begin_object();
  write_runs(json, "runs", scope.runs);
  json.key("series");
  json.begin_array();
  BENCHHUD_TRY(read_phase_series(context, scope, [&](const PhaseSeries& series) {
    json.begin_object();
    json.key("experiment");
    views::write_experiment(json, *series.entry);
    json.key("points");
    json.list(series.points,
              [&](const auto& point) { point ? write_point(json, *point) : json.null(); });
    json.end_object();
  }));
  json.end_array();
  json.key("definitions");
  views::write_definitions(json);
  json.end_object();
  return {};
}

/// One row per point of each series.
Expected<void> write_phase_series_rows(RequestContext& context, schema::JsonWriter& json,
                                       const SeriesScope& scope) {
  json.begin_array();
  BENCHHUD_TRY(read_phase_series(context, scope, [&](const PhaseSeries& series) {
    for (std::size_t run = 0; run < scope.runs.size(); ++run) {
      if (!series.points[run]) continue;
      begin_point_row(json, scope.runs[run], *series.entry);
      json.key("point");
      write_point(json, *series.points[run]);
      json.end_object();
    }
  }));
  json.end_array();
  return {};
}

Expected<ResponsePlan> get_phase_series(RequestContext& context) {
  BENCHHUD_ASSIGN(auto scope, asked_series(context));
  ResponsePlan plan;
  plan.key = revision_key(context);
  plan.csv_rows = "";
  plan.body = [&context, scope = std::move(scope)](schema::JsonWriter& json) {
    return context.is_csv() ? write_phase_series_rows(context, json, scope)
                            : write_phase_series(context, json, scope);
  };
  return plan;
}

}  // namespace

std::span<const NamedRoute> phase_routes() {
  static constexpr std::array routes = {NamedRoute{"getPhases", get_result_phases},
                                        NamedRoute{"getPhaseSeries", get_phase_series}};
  return routes;
}

}  // namespace benchhud::server
