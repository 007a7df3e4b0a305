// A metric of a model over runs.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_map>

#include "analysis/statistics/estimators.h"
#include "schema/alerts/alert_list.h"
#include "schema/alerts/alert_run.h"
#include "schema/db/key_lookup.h"
#include "schema/model/metric.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "server/routes/series_scope.h"
#include "service/alerts/alert_rules_file.h"
#include "views/alert_json.h"

namespace benchhud::server {
namespace {

using analysis::CatalogEntry;
using analysis::Estimate;
using schema::Expected;

enum class Kind { kSteady, kUpstream, kCompile, kXlaCompile, kSpeedup, kMetric };

Kind kind_of(const std::string& metric) {
  if (metric == "steady") return Kind::kSteady;
  if (metric == "upstream") return Kind::kUpstream;
  if (metric == "compile") return Kind::kCompile;
  if (metric == "xla_compile") return Kind::kXlaCompile;
  if (metric == "speedup") return Kind::kSpeedup;
  return Kind::kMetric;
}

std::vector<schema::ExperimentId> ids_of(std::span<const CatalogEntry* const> entries) {
  std::vector<schema::ExperimentId> ids;
  for (const CatalogEntry* entry : entries) ids.push_back(entry->id());
  return ids;
}

/// Adds the results of some experiments to the runs that are shown, `since` the first of them and
/// `until` the last.
Expected<void> judge_experiments(RequestContext& context, const SeriesScope& scope,
                                 std::span<const CatalogEntry* const> entries, double since,
                                 double until, std::vector<analysis::JudgedRun>* judged) {
  const std::vector<schema::ExperimentId> ids = ids_of(entries);
  BENCHHUD_ASSIGN(const auto earlier, context.reader().last_verifications(ids, since));
  // A metric that is no time has samples of its own.
  const bool is_time = kind_of(context.query.text("metric")) != Kind::kMetric;
  BENCHHUD_ASSIGN(const auto results, context.reader().series(ids, since, until, is_time));
  const auto errors = service::error_texts(context.view);
  BENCHHUD_TRY(errors.read_ahead(results));
  for (const CatalogEntry* entry : entries) {
    std::optional<schema::VerificationFacts> last;
    const auto before = std::ranges::lower_bound(earlier, entry->id(), {},
                                                 [](const auto& one) { return one.first; });
    if (before != earlier.end() && before->first == entry->id()) last = before->second;
    auto measurements = schema::TimingMeasurements::of_series(context.reader().connection(),
                                                              entry->id(), since, until);
    for (const auto& facts :
         std::ranges::equal_range(results, entry->id(), {}, &schema::ResultFacts::experiment)) {
      const auto place = scope.places.find(facts.run);
      if (place != scope.places.end()) {
        BENCHHUD_ASSIGN(auto view,
                        analysis::judge_stored_result(measurements, *entry, facts, last, errors));
        (*judged)[place->second].results.push_back(std::move(view));
      }
      if (facts.verification) last = facts.verification;
    }
  }
  return errors.status();
}

/// Every run's results of the model alone, judged, in the runs' order.
Expected<std::vector<analysis::JudgedRun>> judge_model(RequestContext& context,
                                                       const SeriesScope& scope) {
  std::vector<analysis::JudgedRun> judged(scope.runs.size());
  for (std::size_t i = 0; i < scope.runs.size(); ++i) judged[i].run = scope.runs[i]->run;
  if (scope.runs.empty()) return judged;
  const double since = scope.runs.front()->run.started_at;
  const double until = scope.runs.back()->run.started_at;
  // Some at a time, so that the samples of a few are held.
  std::span<const CatalogEntry* const> rest = scope.entries;
  while (!rest.empty()) {
    const auto some = rest.first(std::min(rest.size(), schema::kKeysAStatement));
    BENCHHUD_TRY(judge_experiments(context, scope, some, since, until, &judged));
    rest = rest.subspan(some.size());
  }
  return judged;
}

/// Points by run, for each experiment.
using Points = std::unordered_map<schema::ExperimentId, std::vector<std::optional<Estimate>>>;

std::optional<Estimate> point_of(const analysis::ResultView& view, Kind kind) {
  if (kind == Kind::kCompile || kind == Kind::kXlaCompile) {
    const auto& value = kind == Kind::kCompile ? view.compile : view.compile_xla;
    if (!value) return {};
    return Estimate{.value = *value, .interval = {}, .n = 1, .flags = {}};
  }
  return analysis::time_of(
      view, kind == Kind::kSteady ? analysis::Estimator::kSteady : analysis::Estimator::kUpstream);
}

void add_speedups(RequestContext& context, const analysis::JudgedRun& run, std::size_t place,
                  Points* points) {
  const auto baseline = analysis::baseline_of_run(
      run, context.catalog(), context.query.text("baseline"), analysis::Estimator::kSteady);
  const auto speedups =
      analysis::run_speedups(run.run.id, run.results, context.catalog(), baseline, {});
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const auto& speedup = speedups[i].speedup;
    if (!speedup) continue;
    (*points)[run.results[i].experiment][place] = Estimate{.value = speedup->value,
                                                           .interval = speedup->interval,
                                                           .n = speedup->n,
                                                           .flags = speedup->flags};
  }
}

Expected<Points> make_points(RequestContext& context, const SeriesScope& scope,
                             const std::vector<analysis::JudgedRun>& judged) {
  const std::string& metric = context.query.text("metric");
  const Kind kind = kind_of(metric);
  Points points;
  for (const CatalogEntry* entry : scope.entries) points[entry->id()].resize(scope.runs.size());
  if (scope.runs.empty()) return points;
  if (kind == Kind::kMetric) {
    const std::string name = schema::canonical_metric_name(metric);
    const double since = scope.runs.front()->run.started_at;
    const double until = scope.runs.back()->run.started_at;
    for (const CatalogEntry* entry : scope.entries) {
      BENCHHUD_ASSIGN(const auto series,
                      context.reader().series_of_metric(entry->id(), name, since, until));
      for (const auto& [run, samples] : series) {
        const auto place = scope.places.find(run);
        if (place == scope.places.end()) continue;
        points[entry->id()][place->second] = analysis::metric_median(samples);
      }
    }
    return points;
  }
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (kind == Kind::kSpeedup) {
      add_speedups(context, judged[i], i, &points);
      continue;
    }
    for (const auto& view : judged[i].results) points[view.experiment][i] = point_of(view, kind);
  }
  return points;
}

void write_point(schema::JsonWriter& json, const std::optional<Estimate>& point) {
  if (!point) return json.null();
  json.begin_object();
  json.field("value", point->value);
  json.key("low");
  point->interval ? json.value(point->interval->low) : json.null();
  json.key("high");
  point->interval ? json.value(point->interval->high) : json.null();
  json.field("n", point->n);
  json.key("flags");
  views::write_flags(json, point->flags);
  json.end_object();
}

void write_code(schema::JsonWriter& json, const analysis::ResultView* view) {
  if (view == nullptr || !view->verification) return json.null();
  json.begin_object();
  json.field("code", view->verification->code);
  json.field("stale", bool{view->verification->stale});
  json.end_object();
}

void write_failure_signature(schema::JsonWriter& json, const analysis::ResultView* view) {
  view != nullptr && view->failure ? json.value(view->failure->error->signature) : json.null();
}

void write_series_points(schema::JsonWriter& json, const CatalogEntry& entry,
                         const std::vector<analysis::JudgedRun>& judged,
                         const std::vector<std::optional<Estimate>>& points) {
  std::vector<const analysis::ResultView*> views;
  views.reserve(judged.size());
  for (const auto& run : judged) views.push_back(run.find(entry.id()));
  json.key("experiment");
  views::write_experiment(json, entry);
  json.key("points");
  json.list(points, [&](const auto& point) { write_point(json, point); });
  json.key("codes");
  json.list(views, [&](const auto* view) { write_code(json, view); });
  json.key("failures");
  json.list(views, [&](const auto* view) { write_failure_signature(json, view); });
}

/// Whether what alerts hold is of the series that are asked for: speedups are watched against one
/// baseline; over another, other things change.
Expected<bool> is_watched_series(RequestContext& context, const SeriesScope& scope) {
  if (scope.runs.empty() || context.query.text("metric") != "speedup") return !scope.runs.empty();
  BENCHHUD_ASSIGN(const std::string written,
                  service::stored_alert_rules(context.reader().connection()));
  BENCHHUD_ASSIGN(const analysis::FleetRules rules, service::read_alert_rules(written));
  return context.query.text("baseline") == rules.baseline;
}

/// What alerts hold of the series.
Expected<schema::LevelChanges> changes_of(RequestContext& context, const SeriesScope& scope,
                                          std::span<const CatalogEntry* const> entries) {
  BENCHHUD_ASSIGN(const bool is_watched, is_watched_series(context, scope));
  if (!is_watched) return schema::LevelChanges();
  return schema::level_changes(context.reader().connection(), ids_of(entries),
                               context.query.text("metric"));
}

/// Writes those of one of them.
Expected<void> write_changes(schema::JsonWriter& json, schema::AlertRuns& runs,
                             const schema::LevelChanges& changes, schema::ExperimentId experiment) {
  json.begin_array();
  if (const auto found = changes.find(experiment); found != changes.end()) {
    for (const auto& change : found->second) {
      BENCHHUD_TRY(views::write_level_change(json, change, runs));
    }
  }
  json.end_array();
  return {};
}

void write_unit(schema::JsonWriter& json, const std::string& metric) {
  const Kind kind = kind_of(metric);
  json.field("metric", metric);
  if (kind == Kind::kSpeedup) {
    json.field("unit", "");
    json.field("better", "higher");
  } else if (kind == Kind::kMetric) {
    const auto& info = schema::metric_info(metric);
    json.field("unit", info.unit);
    json.field("better", views::direction_name(info.direction));
  } else {
    json.field("unit", "s");
    json.field("better", "lower");
  }
}

/// The experiments of the requested backends that have results.
std::vector<const CatalogEntry*> shown_entries(const RequestContext& context,
                                               const SeriesScope& scope,
                                               const std::vector<analysis::JudgedRun>& judged) {
  std::vector<const CatalogEntry*> shown;
  for (const CatalogEntry* entry : scope.entries) {
    if (!matches_any(context.query, "backend", entry->backend())) continue;
    // A line without a batch size has an experiment of its own, whose result is another's.
    if (std::any_of(judged.begin(), judged.end(),
                    [&](const auto& run) { return run.find(entry->id()) != nullptr; })) {
      shown.push_back(entry);
    }
  }
  return shown;
}

Expected<void> write_series(RequestContext& context, schema::JsonWriter& json,
                            const SeriesScope& scope) {
  BENCHHUD_ASSIGN(const auto judged, judge_model(context, scope));
  BENCHHUD_ASSIGN(auto points, make_points(context, scope, judged));
  const auto shown = shown_entries(context, scope, judged);
  BENCHHUD_ASSIGN(const schema::LevelChanges changes, changes_of(context, scope, shown));
  schema::AlertRuns runs = runs_of(context);
  json.begin_object();
  write_unit(json, context.query.text("metric"));
  write_runs(json, "runs", scope.runs);
  json.key("marks");
  BENCHHUD_TRY(write_run_marks(json, context, scope.runs));
  json.key("series");
  json.begin_array();
  for (const CatalogEntry* entry : shown) {
    json.begin_object();
    write_series_points(json, *entry, judged, points[entry->id()]);
    json.key("changes");
    BENCHHUD_TRY(write_changes(json, runs, changes, entry->id()));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return {};
}

/// One row per point of each series.
Expected<void> write_series_rows(RequestContext& context, schema::JsonWriter& json,
                                 const SeriesScope& scope) {
  BENCHHUD_ASSIGN(const auto judged, judge_model(context, scope));
  BENCHHUD_ASSIGN(auto points, make_points(context, scope, judged));
  json.begin_array();
  for (const CatalogEntry* entry : shown_entries(context, scope, judged)) {
    for (std::size_t run = 0; run < scope.runs.size(); ++run) {
      const auto& point = points[entry->id()][run];
      if (!point) continue;
      const auto* view = judged[run].find(entry->id());
      begin_point_row(json, scope.runs[run], *entry);
      json.key("point");
      write_point(json, point);
      json.key("code");
      write_code(json, view);
      json.key("failure");
      write_failure_signature(json, view);
      json.end_object();
    }
  }
  json.end_array();
  return {};
}

Expected<ResponsePlan> get_series(RequestContext& context) {
  BENCHHUD_ASSIGN(auto scope, asked_series(context));
  ResponsePlan plan;
  // What people do with an alert shows in it too, and that changes no run.
  plan.key = revision_key(context);
  plan.csv_rows = "";
  plan.body = [&context, scope = std::move(scope)](schema::JsonWriter& json) {
    return context.is_csv() ? write_series_rows(context, json, scope)
                            : write_series(context, json, scope);
  };
  return plan;
}

}  // namespace

std::span<const NamedRoute> series_routes() {
  static constexpr std::array routes = {NamedRoute{"getSeries", get_series}};
  return routes;
}

}  // namespace benchhud::server
