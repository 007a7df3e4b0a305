#include "views/comparison_json.h"

#include <cmath>

#include "views/answers.h"

namespace benchhud::views {
namespace {

using analysis::ComparisonGroup;
using analysis::ComparisonRow;
using analysis::MeanChange;
using analysis::PairedSide;
using schema::to_int;

std::string_view verification_name(analysis::Transition kind) {
  return analysis::transition_name(kind);
}

void write_absence(schema::JsonWriter& json, const std::optional<analysis::Absence>& absent) {
  if (!absent) return json.null();
  json.value(analysis::absence_name(*absent));
}

void write_side(schema::JsonWriter& json, const PairedSide& side,
                const analysis::JudgedSpeedup& speedup,
                const std::unordered_map<schema::ExperimentId, bool>& dumped) {
  json.begin_object();
  json.key("experiment_id");
  if (side.entry == nullptr) {
    json.null();
  } else {
    json.value(to_int(side.entry->id()));
  }
  const auto text = [&](std::string_view name, const std::string* value) {
    json.key(name);
    value == nullptr ? json.null() : json.value(*value);
  };
  text("backend", side.entry == nullptr ? nullptr : &side.entry->backend());
  text("column", side.entry == nullptr ? nullptr : &side.entry->column());
  json.field("batch_size", side.entry == nullptr ? std::optional<std::int64_t>()
                                                 : side.entry->experiment().batch_size);
  json.key("absent");
  write_absence(json, side.absent);
  json.key("time");
  write_estimate(json, side.view == nullptr ? std::nullopt : side.view->steady);
  json.field("compile", side.view == nullptr ? std::optional<double>() : side.view->compile);
  json.key("speedup");
  write_speedup(json, speedup.speedup);
  json.key("excluded");
  write_exclusion(json, side.view == nullptr ? std::nullopt : speedup.excluded);
  json.key("verification");
  write_verification(json, side.view == nullptr ? std::nullopt : side.view->verification);
  json.key("failure");
  write_failure(json, side.view == nullptr ? std::nullopt : side.view->failure);
  const auto dumps = side.entry == nullptr ? dumped.end() : dumped.find(side.entry->id());
  json.field("has_dumps", dumps != dumped.end());
  json.field("has_profile", dumps != dumped.end() && dumps->second);
  json.end_object();
}

void write_change(schema::JsonWriter& json, const std::optional<analysis::TimeChange>& change) {
  if (!change) return json.null();
  json.begin_object();
  json.field("ratio", change->ratio);
  json.key("interval");
  write_interval(json, change->interval);
  json.field("knows_nights", bool{change->has_noise});
  json.field("nights", change->nights);
  json.field("deviation", change->has_noise ? std::optional(change->deviation) : std::nullopt);
  json.field("p", change->p);
  json.field("q", change->q);
  json.end_object();
}

void write_speedup_change(schema::JsonWriter& json,
                          const std::optional<analysis::SpeedupChange>& change) {
  if (!change) return json.null();
  json.begin_object();
  json.field("ratio", change->ratio);
  json.field("own", std::exp(change->own));
  json.field("baseline", std::exp(change->baseline));
  json.field("due", analysis::due_name(change->due));
  json.end_object();
}

void write_mean_fields(schema::JsonWriter& json, const MeanChange& mean) {
  json.field("left", mean.left);
  json.field("right", mean.right);
  json.field("ratio", mean.ratio);
  json.key("interval");
  write_interval(json, mean.interval);
  json.field("n", mean.n);
}

void write_mean(schema::JsonWriter& json, const MeanChange& mean) {
  json.begin_object();
  write_mean_fields(json, mean);
  json.end_object();
}

void write_time_mean(schema::JsonWriter& json, const analysis::TimeMeanChange& time) {
  json.begin_object();
  write_mean_fields(json, time.mean);
  json.field("knows_nights", bool{time.has_noise});
  json.field("nights", time.nights);
  json.field("p", time.p);
  json.field("q", time.q);
  json.field("verdict", analysis::verdict_name(time.verdict));
  json.field("reason", analysis::verdict_reason_name(time.reason));
  json.end_object();
}

}  // namespace

void write_comparison_rule(schema::JsonWriter& json) {
  json.begin_object();
  json.field("rate", analysis::kVerdictRate);
  json.field("least_time_effect", analysis::kLeastTimeEffect);
  json.field("least_mean_effect", analysis::kLeastMeanEffect);
  json.field("least_effect_without_nights", analysis::kLeastEffectWithoutNoise);
  json.field("nights", analysis::kNoiseNights);
  json.field("fewest_nights", analysis::kFewestNoiseNights);
  json.end_object();
}

void write_comparison_row(schema::JsonWriter& json, const ComparisonRow& row,
                          const DumpedExperiments& dumped) {
  const auto& e = row.pair.entry().experiment();
  json.begin_object();
  json.field("suite", e.suite);
  json.field("model", e.model);
  json.field("test", e.test);
  json.field("verdict", analysis::verdict_name(row.verdict));
  json.field("reason", analysis::verdict_reason_name(row.reason));
  json.field("verification", verification_name(row.verification));
  json.key("change");
  write_change(json, row.change);
  json.key("speedup");
  write_speedup_change(json, row.speedup);
  json.key("left");
  write_side(json, row.pair.left, row.left_speedup, dumped.left);
  json.key("right");
  write_side(json, row.pair.right, row.right_speedup, dumped.right);
  json.end_object();
}

void write_comparison_group(schema::JsonWriter& json, const ComparisonGroup& group,
                            std::span<const analysis::SideMetric> metrics) {
  const auto name = [&](std::string_view key, const std::string& text) {
    json.key(key);
    group.is_total ? json.null() : json.value(text);
  };
  json.begin_object();
  name("suite", group.suite);
  name("test", group.test);
  name("left_backend", group.left_backend);
  name("right_backend", group.right_backend);
  json.key("left");
  json.begin_object();
  write_result_counts(json, group.left, "results");
  json.end_object();
  json.key("right");
  json.begin_object();
  write_result_counts(json, group.right, "results");
  json.end_object();
  const auto places = [&](std::string_view key, const analysis::RowPlaces& rows) {
    json.key(key);
    json.list(rows, [&](const std::size_t row) { json.value(row); });
  };
  places("newly_failing", group.newly_failing);
  places("newly_passing", group.newly_passing);
  places("changed", group.changed);
  places("appeared", group.appeared);
  places("gone", group.gone);
  places("stopped", group.stopped);
  places("started", group.started);
  json.field("worse", group.worse);
  json.field("better", group.better);
  json.field("unclear", group.unclear);
  json.key("time");
  write_time_mean(json, group.time);
  json.key("left_speedup");
  write_geomean(json, group.left_speedup);
  json.key("right_speedup");
  write_geomean(json, group.right_speedup);
  json.key("speedup");
  write_mean(json, group.speedup);
  json.key("compile");
  write_mean(json, group.compile);
  json.key("memory");
  json.begin_array();
  for (std::size_t i = 0; i < group.metrics.size(); ++i) {
    json.begin_object();
    json.field("metric", metrics[i].name);
    json.field("unit", schema::metric_info(metrics[i].name).unit);
    write_mean_fields(json, group.metrics[i]);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace benchhud::views
