#include "views/answers.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "schema/base/time.h"
#include "schema/model/metric.h"
#include "schema/results/run_assignment.h"

namespace benchhud::views {

using analysis::CatalogEntry;
using schema::to_int;

std::string_view outcome_name(analysis::VerificationOutcome verification_outcome) {
  switch (verification_outcome) {
    case analysis::VerificationOutcome::kPassing:
      return "passing";
    case analysis::VerificationOutcome::kFailing:
      return "failing";
    case analysis::VerificationOutcome::kNeither:
      return "undecided";
  }
  return "undecided";
}

std::string_view direction_name(schema::Direction direction) {
  switch (direction) {
    case schema::Direction::kLowerIsBetter:
      return "lower";
    case schema::Direction::kHigherIsBetter:
      return "higher";
    case schema::Direction::kNeither:
      return "neither";
  }
  return "neither";
}

void write_time(schema::JsonWriter& json, double seconds) {
  // A run's results were mostly verified at one time.
  thread_local double last = 0;
  thread_local std::string text = schema::format_time(0);
  if (seconds != last) {
    text = schema::format_time(seconds);
    last = seconds;
  }
  json.value(text);
}

void write_stored_json(schema::JsonWriter& json, std::string_view text,
                       std::string_view otherwise) {
  json.raw(text == "{}" || nlohmann::json::accept(text) ? text : otherwise);
}

namespace {

void write_run_ref_fields(schema::JsonWriter& json, const schema::Run& run) {
  json.field("id", to_int(run.id));
  json.field("name", run.name);
  json.field("accelerator_model", run.accelerator_model);
  json.key("started_at");
  write_time(json, run.started_at);
  json.key("verified_at");
  if (run.verified_at) {
    write_time(json, *run.verified_at);
  } else {
    json.null();
  }
  json.key("labels");
  json.begin_object();
  for (const auto& [key, value] : run.labels) {
    json.key_text(key);
    json.value(value);
  }
  json.end_object();
}

}  // namespace

void write_run_ref(schema::JsonWriter& json, const schema::Run& run) {
  json.begin_object();
  write_run_ref_fields(json, run);
  json.end_object();
}

void write_run_ref(schema::JsonWriter& json, const service::RunEntry* entry) {
  if (entry == nullptr) return json.null();
  write_run_ref(json, entry->run);
}

void write_run(schema::JsonWriter& json, const schema::Run& run, const service::RunCard& card) {
  json.begin_object();
  write_run_ref_fields(json, run);
  json.field("result_count", run.result_count);
  json.field("timed_count", card.timed);
  json.field("failed_count", card.failed);
  json.key("invocations");
  json.list(card.invocations, [&](const auto& invocation) {
    json.begin_object();
    json.field("id", to_int(invocation.id));
    json.field("kind", schema::invocation_kind_name(invocation.kind));
    json.key("at");
    write_time(json, invocation.timestamp);
    json.field("line_count", invocation.line_count);
    json.key("files");
    json.list(invocation.files, [&](const auto& file) { json.value(shown_path(file)); });
    json.end_object();
  });
  json.key("marks");
  json.list(card.marks, [&](const auto& mark) { write_mark(json, mark); });
  json.end_object();
}

void write_mark(schema::JsonWriter& json, const schema::NightMark& mark) {
  json.begin_object();
  json.field("kind", night_mark_kind_name(mark.kind));
  json.field("reason", mark.reason);
  json.field("who", mark.who);
  json.field("token", mark.token);
  json.key("at");
  write_time(json, mark.at);
  json.end_object();
}

void write_experiment(schema::JsonWriter& json, const CatalogEntry& entry) {
  write_experiment(json, entry.id(), entry.experiment(), entry.backend(), entry.column());
}

void write_experiment(schema::JsonWriter& json, schema::ExperimentId id, schema::ExperimentView e,
                      std::string_view backend, std::string_view column) {
  json.begin_object();
  json.field("id", to_int(id));
  json.field("suite", e.suite);
  json.field("model", e.model);
  json.field("test", e.test);
  json.field("backend", backend);
  json.field("column", column);
  json.field("accelerator", e.accelerator);
  json.field("accelerator_model", e.accelerator_model);
  json.field("batch_size", e.batch_size);
  json.field("xla", e.xla);
  json.field("xla_flags", e.xla_flags);
  json.field("dynamo", e.dynamo);
  json.field("torch_xla2", e.torch_xla2);
  json.key("flags");
  write_stored_json(json, e.flags, "{}");
  json.end_object();
}

void write_interval(schema::JsonWriter& json, const std::optional<analysis::Interval>& interval) {
  if (!interval || !std::isfinite(interval->low) || !std::isfinite(interval->high)) {
    return json.null();
  }
  json.begin_object();
  json.field("low", interval->low);
  json.field("high", interval->high);
  json.field("confidence", interval->confidence);
  json.end_object();
}

void write_flags(schema::JsonWriter& json, const analysis::EstimateFlags& flags) {
  json.begin_array();
  if (flags.no_warmup_dropped) json.value("no_warmup_dropped");
  if (flags.few_samples) json.value("few_samples");
  if (flags.unusable_samples) json.value("unusable_samples");
  json.end_array();
}

namespace {

/// The members of an Estimate, as estimates and speedups have them.
template <class T>
void write_estimate_fields(schema::JsonWriter& json, const T& estimate) {
  json.field("value", estimate.value);
  json.key("interval");
  write_interval(json, estimate.interval);
  json.field("n", estimate.n);
  json.key("flags");
  write_flags(json, estimate.flags);
}

}  // namespace

void write_estimate(schema::JsonWriter& json, const std::optional<analysis::Estimate>& estimate) {
  if (!estimate) return json.null();
  json.begin_object();
  write_estimate_fields(json, *estimate);
  json.end_object();
}

void write_speedup(schema::JsonWriter& json, const std::optional<analysis::SpeedupView>& speedup) {
  if (!speedup) return json.null();
  json.begin_object();
  write_estimate_fields(json, *speedup);
  json.field("baseline_run_id", to_int(speedup->baseline_run));
  json.field("baseline_experiment_id", to_int(speedup->baseline_experiment));
  json.end_object();
}

void write_exclusion(schema::JsonWriter& json,
                     const std::optional<analysis::Exclusion>& exclusion) {
  if (!exclusion) return json.null();
  json.value(analysis::exclusion_name(*exclusion));
}

void write_geomean(schema::JsonWriter& json, const analysis::GeomeanView& geomean) {
  json.begin_object();
  json.field("value", geomean.value);
  json.key("interval");
  write_interval(json, geomean.interval);
  json.field("n", geomean.n);
  json.end_object();
}

void write_column_geomean(schema::JsonWriter& json, const analysis::ColumnGeomean& row) {
  json.begin_object();
  json.field("test", row.test);
  json.field("column", row.column);
  json.field("backend", row.backend);
  json.key("all");
  write_geomean(json, row.all);
  json.key("matched");
  write_geomean(json, row.matched);
  json.key("excluded");
  json.list(row.excluded, [&](const auto& excluded) {
    json.begin_object();
    json.field("reason", analysis::exclusion_name(excluded.reason));
    json.field("count", excluded.count);
    json.key("models");
    json.list(excluded.models, [&](const auto& model) { json.value(model); });
    json.end_object();
  });
  json.end_object();
}

void write_verification_fields(schema::JsonWriter& json, const analysis::VerificationView& view) {
  json.field("code", view.code);
  json.field("outcome", outcome_name(view.verification_outcome));
  json.key("verified_at");
  write_time(json, view.verified_at);
  json.field("run_id", to_int(view.run));
  json.field("stale", view.stale);
  json.key("age_seconds");
  if (view.stale) {
    json.value(view.age);
  } else {
    json.null();
  }
  json.field("shared", view.shared);
}

void write_verification(schema::JsonWriter& json,
                        const std::optional<analysis::VerificationView>& view) {
  if (!view) return json.null();
  json.begin_object();
  write_verification_fields(json, *view);
  json.end_object();
}

void write_failure(schema::JsonWriter& json, const std::optional<analysis::FailureView>& failure) {
  if (!failure) return json.null();
  json.begin_object();
  json.field("kind", analysis::error_kind_name(failure->error->kind));
  json.field("signature", failure->error->signature);
  json.field("excerpt", failure->error->excerpt);
  json.field("line_id", to_int(failure->line));
  json.field("after_timing", failure->after_timing);
  json.end_object();
}

void write_result_fields(schema::JsonWriter& json, schema::RunId run, const CatalogEntry& entry,
                         const analysis::ResultView& view) {
  json.field("run_id", to_int(run));
  json.key("experiment");
  write_experiment(json, entry);
  json.field("status", analysis::status_name(view.status));
  json.field("only_profiled", view.is_only_profiled);
  json.key("steady");
  write_estimate(json, view.steady);
  json.key("upstream");
  if (view.upstream) {
    json.begin_object();
    json.field("value", view.upstream->mean);
    json.field("std", view.upstream->sd);
    json.field("n", view.upstream->n);
    json.end_object();
  } else {
    json.null();
  }
  json.key("compile");
  json.begin_object();
  json.field("all", view.compile);
  json.field("upstream", view.compile_upstream);
  json.field("xla", view.compile_xla);
  json.end_object();
  json.key("verification");
  write_verification(json, view.verification);
  json.key("failure");
  write_failure(json, view.failure);
  json.field("repeat", view.repeat);
  json.field("iterations_per_run", view.iterations_per_run);
}

void write_geomeans(schema::JsonWriter& json, const analysis::GeomeanView* all,
                    const analysis::GeomeanView* matched) {
  if (all == nullptr || matched == nullptr) return json.null();
  json.begin_object();
  json.key("all");
  write_geomean(json, *all);
  json.key("matched");
  write_geomean(json, *matched);
  json.end_object();
}

void write_compile(schema::JsonWriter& json,
                   const std::optional<analysis::CompileSummary>& compile) {
  if (!compile) return json.null();
  json.begin_object();
  json.field("median", compile->median);
  json.field("mean", compile->mean);
  json.field("n", compile->n);
  json.end_object();
}

void write_result_counts(schema::JsonWriter& json, const analysis::ResultCounts& counts,
                         std::string_view total_name) {
  json.field("passing", counts.passing);
  json.field("failing", counts.failing);
  json.field("undecided", counts.undecided);
  json.field("unverified", counts.unverified);
  json.field("stale", counts.stale);
  json.field("verifiable", counts.verifiable);
  json.field(total_name, counts.total);
  json.field("timed", counts.timed);
  json.field("failed", counts.failed);
}

void write_group(schema::JsonWriter& json, const analysis::RunGroup& group) {
  json.begin_object();
  json.field("test", group.test);
  json.field("backend", group.backend);
  write_result_counts(json, group);
  json.key("geomean");
  write_geomeans(json, group.all ? &*group.all : nullptr,
                 group.matched ? &*group.matched : nullptr);
  json.key("compile");
  write_compile(json, group.compile);
  json.end_object();
}

void write_groups(schema::JsonWriter& json, const std::vector<analysis::RunGroup>& groups) {
  json.list(groups, [&](const auto& group) { write_group(json, group); });
}

namespace {

void write_change_over_both(schema::JsonWriter& json, const analysis::MeanChange& mean) {
  json.begin_object();
  json.field("before", mean.left);
  json.field("now", mean.right);
  json.field("ratio", mean.ratio);
  json.key("interval");
  write_interval(json, mean.interval);
  json.field("n", mean.n);
  json.end_object();
}

}  // namespace

void write_group_change(schema::JsonWriter& json, const analysis::Catalog& catalog,
                        const analysis::GroupChange& change) {
  json.begin_object();
  json.field("test", change.test);
  json.field("backend", change.backend);
  json.key("speedup");
  write_change_over_both(json, change.speedup);
  json.field("speedups_before", change.speedups_before);
  json.field("speedups_now", change.speedups_after);
  json.key("compile");
  write_change_over_both(json, change.compile);
  json.key("no_longer_timed");
  json.begin_array();
  for (const auto& model : change.no_longer_timed) {
    const CatalogEntry* entry = catalog.find(model.experiment);
    if (entry == nullptr) continue;
    json.begin_object();
    json.field("suite", entry->experiment().suite);
    json.field("model", entry->experiment().model);
    json.field("outcome", analysis::outcome_name(model.outcome));
    json.field("signature", model.error ? std::optional(model.error->signature) : std::nullopt);
    json.end_object();
  }
  json.end_array();
  json.field("newly_timed", change.newly_timed);
  json.end_object();
}

void write_transition(schema::JsonWriter& json, const CatalogEntry& entry,
                      const analysis::VerificationChange& change) {
  json.begin_object();
  json.field("kind", analysis::transition_name(change.kind));
  json.key("experiment");
  write_experiment(json, entry);
  json.key("before");
  write_verification(json, change.before);
  json.key("after");
  write_verification(json, change.after);
  json.end_object();
}

void write_move(schema::JsonWriter& json, const CatalogEntry& entry, const analysis::Move& move) {
  json.begin_object();
  json.key("experiment");
  write_experiment(json, entry);
  json.key("before");
  write_estimate(json, move.before);
  json.key("after");
  write_estimate(json, move.after);
  json.field("ratio", move.ratio);
  json.key("interval");
  write_interval(json, move.interval);
  json.end_object();
}

namespace {

/// What a line was for; a line of a mixed invocation says so itself.
std::string_view line_kind(const schema::LineFacts& line) {
  if (line.invocation_kind == schema::InvocationKind::kTiming) return "timing";
  if (line.invocation_kind == schema::InvocationKind::kVerification) return "verification";
  const bool verdict =
      line.code && *line.code != "VERIFIER_SKIPPED" && *line.code != "VERIFIER_DIDNT_RUN";
  return !line.timed && verdict ? "verification" : "timing";
}

void write_sample(schema::JsonWriter& json, double sample) {
  if (schema::is_null_sample(sample)) return json.null();
  if (std::isnan(sample)) return json.value("NaN");
  if (std::isinf(sample)) return json.value(sample > 0 ? "Infinity" : "-Infinity");
  json.value(sample);
}

}  // namespace

void write_line(schema::JsonWriter& json, const schema::LineFacts& line,
                const schema::ResultFacts& result,
                const std::optional<std::string>& error_excerpt) {
  json.begin_object();
  json.field("id", to_int(line.id));
  json.field("invocation_id", to_int(line.invocation));
  json.field("kind", line_kind(line));
  json.key("at");
  write_time(json, line.timestamp);
  json.field("file", shown_path(line.file));
  json.field("line_number", line.line_number);
  json.field("byte_offset", line.byte_offset);
  json.key("effective");
  json.begin_array();
  if (result.timing_line == line.id) json.value("timing");
  if (result.profiled_line == line.id) json.value("profiled_timing");
  if (result.failure && result.failure->line == line.id) json.value("failure");
  if (result.verification && result.verification->line == line.id) json.value("verification");
  json.end_array();
  json.field("shared", line.experiment != result.experiment);
  json.field("code", line.code);
  json.field("mean_rel_error", line.mean_rel_error);
  json.field("error_excerpt", error_excerpt);
  json.key("extra");
  write_stored_json(json, line.extra, "{}");
  json.end_object();
}

void write_measurement(schema::JsonWriter& json, const schema::StoredMeasurement& stored) {
  static constexpr std::string_view kShapes[] = {"array", "scalar", "null", "nested"};
  const auto& measurement = stored.measurement;
  const auto& info = schema::metric_info(measurement.metric);
  const auto shape = static_cast<std::size_t>(measurement.shape);
  json.begin_object();
  json.field("line_id", to_int(stored.line));
  json.field("metric", measurement.metric);
  json.field("unit", info.unit);
  json.field("better", direction_name(info.direction));
  json.field("explanation", info.explanation);
  json.field("shape", shape < std::size(kShapes) ? kShapes[shape] : kShapes[3]);
  json.field("n", stored.summary.n);
  json.field("median", stored.summary.median);
  json.field("mean", stored.summary.mean);
  json.field("min", stored.summary.min);
  json.field("max", stored.summary.max);
  json.key("samples");
  json.list(measurement.samples, [&](const double sample) { write_sample(json, sample); });
  json.key("json");
  write_stored_json(json, measurement.json, "null");
  json.end_object();
}

std::string_view shown_path(std::string_view path) {
  const std::size_t name = path.rfind('/');
  if (name == std::string_view::npos || name == 0) return path.substr(name == 0 ? 1 : 0);
  return path.substr(path.rfind('/', name - 1) + 1);
}

void write_ingest(schema::JsonWriter& json, const schema::IngestedFile& file,
                  std::span<const service::RunEntry* const> runs) {
  json.begin_object();
  json.field("id", to_int(file.id));
  json.field("path", shown_path(file.path));
  json.key("at");
  write_time(json, file.ingested_at);
  json.field("byte_count", file.byte_count);
  json.field("line_count", file.line_count);
  json.field("accepted", file.accepted);
  json.field("duplicate", file.duplicate);
  json.field("rejected", file.rejected);
  json.field("content_hash", file.content_hash);
  json.key("runs");
  json.list(runs, [&](const service::RunEntry* entry) { write_run_ref(json, entry); });
  json.end_object();
}

void write_rejected_line(schema::JsonWriter& json, const schema::RejectedLine& line) {
  json.begin_object();
  json.field("id", line.id);
  json.field("ingest_id", to_int(line.file));
  json.field("path", shown_path(line.path));
  json.field("line_number", line.line_number);
  json.field("byte_offset", line.byte_offset);
  json.field("byte_count", line.byte_count);
  json.field("reason", line.reason);
  json.field("excerpt", line.excerpt);
  json.key("at");
  write_time(json, line.ingested_at);
  json.end_object();
}

void write_metric(schema::JsonWriter& json, const schema::MetricInfo& info) {
  json.begin_object();
  json.field("metric", info.name);
  json.field("unit", info.unit);
  json.field("better", direction_name(info.direction));
  json.field("family", schema::family_name(info.family));
  json.field("explanation", info.explanation);
  json.end_object();
}

}  // namespace benchhud::views
