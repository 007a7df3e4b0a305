#include "views/alert_json.h"

#include <optional>
#include <string_view>

#include "analysis/alerts/alert_history.h"
#include "analysis/alerts/watched_metric.h"
#include "analysis/changes/noise_class.h"
#include "schema/alerts/alert_mute.h"
#include "views/answers.h"

namespace benchhud::views {
namespace {

using schema::Alert;
using schema::AlertMember;
using schema::AlertRuns;
using schema::Expected;

Expected<void> write_run(schema::JsonWriter& json, std::string_view name, AlertRuns& runs,
                         std::optional<schema::RunId> id) {
  BENCHHUD_ASSIGN(const schema::Run* run, runs.find(id));
  json.key(name);
  run != nullptr ? write_run_ref(json, *run) : json.null();
  return {};
}

void write_change_interval(schema::JsonWriter& json, std::optional<double> low,
                           std::optional<double> high, std::optional<double> confidence) {
  json.key("interval");
  std::optional<analysis::Interval> interval;
  if (low && high && confidence) interval = {*low, *high, *confidence};
  write_interval(json, interval);
}

void write_timed(schema::JsonWriter& json, const AlertMember::Timed& timed) {
  json.field("before", timed.before);
  json.field("after", timed.after);
  json.field("effect", timed.effect);
  write_change_interval(json, timed.low, timed.high, timed.confidence);
  json.field("p_value", timed.p_value);
  json.field("q_value", timed.q_value);
  json.field("nights_before", timed.nights_before);
  json.field("nights_after", timed.nights_after);
  if (!timed.noise) return;
  json.key("noise");
  json.begin_object();
  json.field("class", *timed.noise);
  const auto noise = analysis::noise_class_of(*timed.noise);
  json.field("meaning", noise ? analysis::noise_class_meaning(*noise) : std::string_view());
  json.field("sigma", timed.sigma);
  json.end_object();
}

void write_counted(schema::JsonWriter& json, const AlertMember::Counted& counted) {
  json.field("before_text", counted.before);
  json.field("after_text", counted.after);
  json.key("flakiness");
  json.begin_object();
  json.field("flips", counted.flips);
  json.field("of", counted.of);
  json.end_object();
}

void write_metric(schema::JsonWriter& json, std::string_view name) {
  json.field("metric", name);
  const auto metric = analysis::watched_metric_of(name);
  const auto* info = metric ? &analysis::watched_metric_info(*metric) : nullptr;
  json.field("title", info != nullptr ? info->title : name);
  json.field("unit", info != nullptr ? info->unit : std::string_view());
  json.field("better",
             direction_name(info != nullptr ? info->better : schema::Direction::kNeither));
}

Expected<void> write_member(schema::JsonWriter& json, const AlertMember& member, AlertRuns& runs) {
  json.begin_object();
  json.key("experiment");
  write_experiment(json, member.experiment_id, member.experiment, member.backend,
                   member.configuration);
  write_metric(json, member.metric);
  json.field("state", detected_state_name(member.detected));
  json.field("direction", change_direction_name(member.direction));
  BENCHHUD_TRY(write_run(json, "onset", runs, member.onset));
  BENCHHUD_TRY(write_run(json, "earliest", runs, member.earliest));
  BENCHHUD_TRY(write_run(json, "latest", runs, member.latest));
  if (member.timed) write_timed(json, *member.timed);
  if (member.counted) write_counted(json, *member.counted);
  if (member.is_doing_of_baseline) {
    json.field("is_doing_of_baseline", bool{*member.is_doing_of_baseline});
  }
  json.end_object();
  return {};
}

void write_headline(schema::JsonWriter& json,
                    const std::optional<schema::AlertHeadline>& headline) {
  json.key("headline");
  if (!headline) {
    json.null();
    return;
  }
  json.begin_object();
  write_metric(json, headline->metric);
  json.field("effect", headline->effect);
  constexpr double kConfidence = 0.95;
  write_change_interval(json, headline->low, headline->high, kConfidence);
  json.field("before_text", headline->before);
  json.field("after_text", headline->after);
  json.key("experiment_id");
  headline->experiment ? json.value(to_int(*headline->experiment)) : json.null();
  json.end_object();
}

Expected<void> write_details(schema::JsonWriter& json, const Alert& alert,
                             const schema::AlertDetails& details, AlertRuns& runs) {
  json.begin_object();
  json.field("title", alert.title);
  json.field("scope", alert.scope);
  json.key("subject");
  json.begin_object();
  json.field("suite", alert.suite);
  json.field("model", alert.model);
  json.field("backend", alert.backend);
  json.end_object();
  json.field("direction", change_direction_name(alert.direction));
  write_headline(json, alert.headline);
  json.field("weight", alert.weight);
  BENCHHUD_TRY(write_run(json, "onset", runs, alert.onset_run));
  BENCHHUD_TRY(write_run(json, "last_good", runs, alert.last_good));
  BENCHHUD_TRY(write_run(json, "first_bad", runs, alert.first_bad));
  json.key("labels");
  json.list(details.labels, [&](const schema::AlertLabel& label) {
    json.begin_object();
    json.field("key", label.key);
    json.field("before", label.before);
    json.field("after", label.after);
    json.end_object();
  });
  BENCHHUD_TRY(write_run(json, "first_seen", runs, alert.first_seen_run));
  BENCHHUD_TRY(write_run(json, "confirmed", runs, alert.confirmed_run));
  BENCHHUD_TRY(write_run(json, "closed", runs, alert.closed_run));
  json.field("rerun", alert.rerun);
  json.field("explanation", alert.explanation);
  json.key("members");
  json.begin_array();
  for (const AlertMember& member : details.members) {
    BENCHHUD_TRY(write_member(json, member, runs));
  }
  json.end_array();
  if (details.members_left_out > 0) json.field("members_left_out", details.members_left_out);
  json.end_object();
  return {};
}

void write_mute(schema::JsonWriter& json, const std::string& until) {
  json.key("muted_until");
  if (until.empty()) {
    json.null();
    return;
  }
  const bool is_state = schema::mute_end_of(until).has_value();
  json.begin_object();
  json.field("date", is_state ? std::nullopt : std::optional(until));
  json.field("state", is_state ? std::optional(until) : std::nullopt);
  json.end_object();
}

void write_cause(schema::JsonWriter& json, const service::AlertCause& cause) {
  json.begin_object();
  json.field("kind", service::cause_name(cause.kind));
  json.field("title", cause.title);
  json.field("share", cause.share);
  json.field("explains", cause.explains);
  json.field("signature", cause.signature.empty() ? std::nullopt : std::optional(cause.signature));
  json.key("lines");
  json.list(cause.lines, [&](const std::string& line) { json.value(line); });
  json.key("compared");
  if (cause.compared) {
    json.begin_object();
    json.field("before_run", to_int(cause.compared->before));
    json.field("run", to_int(cause.compared->after));
    json.field("experiment", to_int(cause.compared->experiment));
    json.end_object();
  } else {
    json.null();
  }
  json.end_object();
}

Expected<void> write_event(schema::JsonWriter& json, const schema::AlertEvent& event,
                           AlertRuns& runs) {
  json.begin_object();
  json.field("kind", event.kind);
  BENCHHUD_TRY(write_run(json, "run", runs, event.run));
  BENCHHUD_TRY(write_run(json, "last_run", runs, event.last));
  json.field("count", event.count);
  BENCHHUD_TRY(write_run(json, "from", runs, event.from));
  BENCHHUD_TRY(write_run(json, "to", runs, event.to));
  json.key("series");
  json.list(event.series, [&](const schema::AlertEventSeries& series) {
    const auto metric = analysis::watched_metric_of(series.metric);
    json.begin_object();
    json.field("experiment_id", to_int(series.experiment_id));
    json.field("suite", series.suite);
    json.field("model", series.model);
    json.field("test", series.test);
    json.field("column", series.configuration);
    json.field("metric", series.metric);
    json.field("title", metric ? analysis::watched_metric_info(*metric).title
                               : std::string_view(series.metric));
    json.end_object();
  });
  json.key("alerts");
  json.list(event.alerts, [&](schema::AlertId alert) { json.value(to_int(alert)); });
  json.end_object();
  return {};
}

}  // namespace

Expected<void> write_history_fields(schema::JsonWriter& json,
                                    const std::vector<schema::AlertEvent>& events,
                                    AlertRuns& runs) {
  std::optional<std::int64_t> split_from;
  for (const schema::AlertEvent& event : events) {
    const bool is_split =
        event.kind == analysis::alert_event_name(analysis::AlertEventKind::kSplit);
    if (is_split && !event.alerts.empty()) split_from = to_int(event.alerts.front());
  }
  json.field("split_from", split_from);
  json.key("history");
  json.begin_array();
  for (const schema::AlertEvent& event : events) BENCHHUD_TRY(write_event(json, event, runs));
  json.end_array();
  return {};
}

Expected<void> write_alert_fields(schema::JsonWriter& json, const Alert& alert,
                                  const schema::AlertDetails& details, AlertRuns& runs) {
  json.field("id", to_int(alert.id));
  json.field("state", alert.state);
  json.field("urgency", urgency_name(alert.urgency));
  json.field("detected", detected_state_name(alert.detected));
  json.field("triage", triage_state_name(alert.triage));
  json.key("triaged_at");
  alert.triaged_at ? write_time(json, *alert.triaged_at) : json.null();
  json.field("owner", alert.owner);
  json.field("link", alert.link);
  write_mute(json, alert.muted_until);
  json.field("is_orphaned", alert.is_orphaned);
  json.key("successor");
  alert.successor ? json.value(to_int(*alert.successor)) : json.null();
  json.field("accelerator_model", alert.accelerator_model);
  json.key("details");
  return write_details(json, alert, details, runs);
}

Expected<void> write_alerts(schema::JsonWriter& json, const std::vector<schema::Alert>& alerts,
                            schema::Connection& store, AlertRuns& runs,
                            const schema::SeriesFilter& filter) {
  std::vector<schema::AlertId> ids;
  for (const Alert& alert : alerts) ids.push_back(alert.id);
  BENCHHUD_ASSIGN(const auto details, schema::alert_details(store, ids, filter));
  for (std::size_t i = 0; i < alerts.size(); ++i) {
    json.begin_object();
    BENCHHUD_TRY(write_alert_fields(json, alerts[i], details[i], runs));
    json.end_object();
  }
  return {};
}

void write_explanation_fields(schema::JsonWriter& json,
                              const service::AlertExplanation& explanation) {
  json.key("causes");
  json.list(explanation.causes,
            [&](const service::AlertCause& cause) { write_cause(json, cause); });
  json.field("reproduction", explanation.reproduction);
}

Expected<void> write_level_change(schema::JsonWriter& json, const schema::LevelChange& change,
                                  AlertRuns& runs) {
  json.begin_object();
  json.field("alert", to_int(change.alert));
  json.field("state", change.state);
  BENCHHUD_TRY(write_run(json, "run", runs, change.onset));
  BENCHHUD_TRY(write_run(json, "earliest", runs, change.earliest));
  BENCHHUD_TRY(write_run(json, "latest", runs, change.latest));
  json.field("before", change.before);
  json.field("after", change.after);
  json.field("direction", change_direction_name(change.direction));
  json.field("effect", change.effect);
  write_change_interval(json, change.low, change.high, change.confidence);
  json.end_object();
  return {};
}

}  // namespace benchhud::views
