// Errors over runs: which there are, since when, and of which experiments.
#include <algorithm>
#include <array>
#include <set>

#include "analysis/results/error_history.h"
#include "analysis/results/runner_command.h"
#include "schema/alerts/alert.h"
#include "schema/alerts/alert_list.h"
#include "schema/alerts/alert_run.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "views/alert_json.h"

namespace benchhud::server {
namespace {

using analysis::CatalogEntry;
using analysis::ErrorTrend;
using analysis::FailingExperiment;
using schema::Expected;
using schema::to_int;

/// More alerts than these are not named beside an error.
constexpr std::size_t kMostAlerts = 20;

/// Runs on one accelerator model with what failed in them, oldest first.
struct Span {
  std::vector<const service::RunEntry*> runs;
  std::vector<std::shared_ptr<const analysis::RunFailures>> failures;
};

Expected<Span> read_span(RequestContext& context, const std::vector<std::size_t>& places) {
  Span span;
  for (std::size_t i = std::min(places.size(), context.query.size("runs")); i-- > 0;) {
    span.runs.push_back(&context.snapshot().runs[places[i]]);
    BENCHHUD_ASSIGN(auto failures, context.analyses.failures(context.view, *span.runs.back()));
    span.failures.push_back(std::move(failures));
  }
  return span;
}

/// What the filters of experiments let through.
analysis::ExperimentChoice asked_experiments(const RequestContext& context) {
  return [&context](schema::ExperimentId id) {
    const CatalogEntry* entry = context.catalog().find(id);
    return entry != nullptr && matches_workload(context.query, *entry) &&
           matches_any(context.query, "backend", entry->backend());
  };
}

schema::Error no_runs(RequestContext& context) {
  context.wrong_parameter = "accelerator_model";
  return {schema::ErrorCode::kNotFound, context.snapshot().runs.empty()
                                            ? "There are no runs yet."
                                            : "There are no runs on that accelerator model."};
}

void write_accelerators(schema::JsonWriter& json, const std::vector<std::string>& names) {
  json.key("accelerator_models");
  json.list(names, [&](const std::string& name) { json.value(name); });
}

void write_run_id(schema::JsonWriter& json, std::string_view name, const Span& span,
                  std::optional<std::size_t> place) {
  if (place) {
    json.field(name, to_int(span.runs[*place]->run.id));
  } else {
    json.null_field(name);
  }
}

void write_counts(schema::JsonWriter& json, const ErrorTrend& trend) {
  json.key("counts");
  json.list(trend.counts, [&](const auto& count) { json.value(count); });
}

/// What is told of a trend in a list and on a page of its own.
void write_trend_fields(schema::JsonWriter& json, const RequestContext& context, const Span& span,
                        const ErrorTrend& trend) {
  json.field("signature", trend.error->signature);
  json.field("kind", analysis::error_kind_name(trend.error->kind));
  json.field("now", trend.now);
  json.field("experiment_count", trend.experiments.size());
  json.field("run_count", trend.run_count);
  write_run_id(json, "first_run_id", span, trend.first);
  write_run_id(json, "last_run_id", span, trend.last);
  json.key("since");
  json.list(trend.since, [&](const analysis::ErrorSince& since) {
    json.begin_object();
    write_run_id(json, "run_id", span, since.run);
    json.field("standing", analysis::error_standing_name(since.verification_outcome));
    json.field("experiments", since.experiments);
    json.end_object();
  });
  std::set<std::string_view> suites, backends, tests;
  std::set<std::size_t> models;
  for (const auto id : trend.experiments) {
    const CatalogEntry* entry = context.catalog().find(id);
    if (entry == nullptr) continue;
    suites.insert(entry->experiment().suite);
    models.insert(entry->model());
    backends.insert(entry->backend());
    tests.insert(entry->experiment().test);
  }
  json.field("model_count", models.size());
  const auto write_words = [&](std::string_view name, const std::set<std::string_view>& words) {
    json.key(name);
    json.list(words, [&](const auto word) { json.value(word); });
  };
  write_words("suites", suites);
  write_words("backends", backends);
  write_words("tests", tests);
  json.field("line_id", to_int(trend.line));
  write_run_id(json, "line_run_id", span, trend.line_run);
  json.field("excerpt", trend.error->excerpt);
  write_counts(json, trend);
}

Expected<void> write_errors(RequestContext& context, schema::JsonWriter& json,
                            const std::vector<std::size_t>& places) {
  BENCHHUD_ASSIGN(const Span span, read_span(context, places));
  const auto trends = analysis::error_trends(span.failures, asked_experiments(context));
  std::vector<std::string> accelerators;
  for (const auto& [model, of_model] : context.snapshot().accelerators)
    accelerators.push_back(model);
  json.begin_object();
  write_runs(json, "runs", span.runs);
  write_accelerators(json, accelerators);
  const auto now = analysis::failing_now(span.failures, asked_experiments(context));
  json.key("now");
  json.begin_object();
  json.field("experiments", now.experiments);
  json.field("failed", now.failed);
  json.field("verification", now.verification);
  json.end_object();
  json.key("items");
  json.begin_array();
  for (const ErrorTrend& trend : trends) {
    if (!matches_any(context.query, "kind", analysis::error_kind_name(trend.error->kind))) continue;
    json.begin_object();
    write_trend_fields(json, context, span, trend);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return {};
}

Expected<ResponsePlan> list_errors(RequestContext& context) {
  const service::Snapshot& snapshot = context.snapshot();
  const std::vector<std::size_t>* places =
      context.query.has("accelerator_model")
          ? snapshot.runs_of(context.query.text("accelerator_model"))
      : snapshot.accelerators.empty() ? nullptr
                                      : &snapshot.accelerators.front().second;
  if (places == nullptr) return no_runs(context);
  return ResponsePlan{
      service::AnalysisCache::dependencies(snapshot, snapshot.runs[places->front()], {}) + "." +
          std::to_string(snapshot.accelerators.size()),
      [&context, places](schema::JsonWriter& json) {
        return write_errors(context, json, *places);
      }};
}

/// The accelerator models in whose newest runs an error is, the one that has it last first.
struct Homes {
  std::vector<std::pair<double, std::string>> last_seen;

  static Expected<Homes> find(RequestContext& context, std::string_view signature) {
    Homes homes;
    for (const auto& [model, places] : context.snapshot().accelerators) {
      for (std::size_t i = 0; i < std::min(places.size(), context.query.size("runs")); ++i) {
        const service::RunEntry& entry = context.snapshot().runs[places[i]];
        BENCHHUD_ASSIGN(const auto run, context.analyses.failures(context.view, entry));
        const bool has =
            std::any_of(run->failures.begin(), run->failures.end(),
                        [&](const auto& failure) { return failure.error->signature == signature; });
        if (!has) continue;
        homes.last_seen.emplace_back(entry.run.started_at, model);
        break;
      }
    }
    std::stable_sort(homes.last_seen.begin(), homes.last_seen.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    return homes;
  }
};

void write_experiment_history(schema::JsonWriter& json, const RequestContext& context,
                              const Span& span, const FailingExperiment& failing) {
  json.begin_object();
  json.key("experiment");
  views::write_experiment(json, *context.catalog().find(failing.experiment));
  write_run_id(json, "first_run_id", span, failing.first);
  write_run_id(json, "last_run_id", span, failing.last);
  json.field("failed", failing.failed);
  json.field("tried", failing.tried);
  json.field("now", failing.now);
  write_run_id(json, "since_run_id", span, failing.since);
  json.field("standing", analysis::error_standing_name(failing.verification_outcome));
  json.field("verifying", failing.of_verification);
  json.field("line_id", to_int(failing.line));
  std::string nights;
  for (const auto night : failing.nights) nights += static_cast<char>(night);
  json.field("nights", nights);
  json.end_object();
}

/// Alerts that are not withdrawn, of any of the experiments, that began in the span; the last
/// first.
Expected<std::vector<schema::Alert>> alerts_of(RequestContext& context, const Span& span,
                                               const std::vector<FailingExperiment>& experiments) {
  std::vector<schema::Alert> alerts;
  if (experiments.empty()) return alerts;
  std::vector<schema::ExperimentId> wanted;
  for (const auto& failing : experiments) wanted.push_back(failing.experiment);
  schema::Connection& store = context.reader().connection();
  BENCHHUD_ASSIGN(const auto ids, schema::alerts_of_experiments(store, wanted));
  for (const schema::AlertId id : ids) {
    BENCHHUD_ASSIGN(auto alert, schema::alert(store, id, context.now));
    const bool is_reported = alert.detected != schema::DetectedState::kWithdrawn;
    if (is_reported && alert.onset >= span.runs.front()->run.started_at) {
      alerts.push_back(std::move(alert));
    }
  }
  std::sort(alerts.begin(), alerts.end(), [](const auto& a, const auto& b) {
    return std::pair(a.onset, a.id) > std::pair(b.onset, b.id);
  });
  if (alerts.size() > kMostAlerts) alerts.resize(kMostAlerts);
  return alerts;
}

/// The command that tries the first experiment again, in the way in which it failed.
std::string command_of(const RequestContext& context,
                       const std::vector<FailingExperiment>& experiments) {
  if (experiments.empty()) return "";
  analysis::RunnerOptions options;
  options.verify = experiments.front().of_verification;
  return analysis::runner_command(
      context.catalog().find(experiments.front().experiment)->experiment(), options);
}

Expected<void> write_history(RequestContext& context, schema::JsonWriter& json,
                             const std::vector<std::size_t>& places, const Homes& homes) {
  const auto& signature = context.query.text("signature");
  BENCHHUD_ASSIGN(const Span span, read_span(context, places));
  const auto matches = asked_experiments(context);
  const auto trends = analysis::error_trends(span.failures, matches);
  const auto trend = std::find_if(trends.begin(), trends.end(), [&](const ErrorTrend& one) {
    return one.error->signature == signature;
  });
  const auto experiments = analysis::failing_experiments(span.failures, signature, matches);
  BENCHHUD_ASSIGN(const auto alerts, alerts_of(context, span, experiments));
  std::vector<std::string> accelerators;
  accelerators.reserve(homes.last_seen.size());
  for (const auto& [at, model] : homes.last_seen) accelerators.push_back(model);
  json.begin_object();
  json.field("signature", signature);
  write_runs(json, "runs", span.runs);
  write_accelerators(json, accelerators);
  json.key("error");
  if (trend == trends.end()) {
    json.null();
  } else {
    json.begin_object();
    write_trend_fields(json, context, span, *trend);
    json.end_object();
  }
  json.key("experiments");
  json.list(experiments,
            [&](const auto& one) { write_experiment_history(json, context, span, one); });
  json.field("reproduction", command_of(context, experiments));
  json.key("alerts");
  json.begin_array();
  schema::AlertRuns runs = runs_of(context);
  BENCHHUD_TRY(views::write_alerts(json, alerts, context.reader().connection(), runs));
  json.end_array();
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_error_history(RequestContext& context) {
  const service::Snapshot& snapshot = context.snapshot();
  if (snapshot.accelerators.empty()) return no_runs(context);
  BENCHHUD_ASSIGN(const Homes homes, Homes::find(context, context.query.text("signature")));
  const std::vector<std::size_t>* places = &snapshot.accelerators.front().second;
  if (context.query.has("accelerator_model")) {
    places = snapshot.runs_of(context.query.text("accelerator_model"));
  } else if (!homes.last_seen.empty()) {
    places = snapshot.runs_of(homes.last_seen.front().second);
  }
  if (places == nullptr) return no_runs(context);
  ResponsePlan plan;
  plan.key = alerts_key(context);
  plan.body = [&context, places, homes](schema::JsonWriter& json) {
    return write_history(context, json, *places, homes);
  };
  plan.csv_rows = "experiments";
  return plan;
}

}  // namespace

std::span<const NamedRoute> error_routes() {
  static constexpr std::array routes = {
      NamedRoute{"listErrors", list_errors},
      NamedRoute{"getErrorHistory", get_error_history, Lane::kHeavy}};
  return routes;
}

}  // namespace benchhud::server
