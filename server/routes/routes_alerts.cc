// What changed for good, and what people made of it: alerts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_chart.h"
#include "schema/alerts/alert_history.h"
#include "schema/alerts/alert_list.h"
#include "schema/alerts/alert_run.h"
#include "schema/base/text_limits.h"
#include "server/routes/route_parts.h"
#include "server/routes/route_tables.h"
#include "service/alerts/alert_causes.h"
#include "views/alert_json.h"

namespace benchhud::server {
namespace {

using schema::Alert;
using schema::Error;
using schema::Expected;
using schema::to_int;

/// Cursors hold urgencies: of the first version 5 was what is closed, and is now what is muted.
constexpr int kCursorVersion = 2;

/// Every word that Alert::state may be, and "orphaned".
bool is_state(std::string_view name) {
  return name == "muted" || name == "orphaned" || schema::detected_state_of(name) ||
         (schema::triage_state_of(name) &&
          schema::triage_state_of(name) != schema::TriageState::kOpen);
}

/// The states that the parameter `state` lets through, each given or with commas between; empty for
/// all.
Expected<std::vector<std::string>> asked_states(RequestContext& context) {
  std::vector<std::string> states;
  bool is_all = false;
  const auto add_attention = [&] {
    const auto attention = schema::attention_states();
    states.insert(states.end(), attention.begin(), attention.end());
  };
  if (!context.query.has("state")) add_attention();
  for (const std::string& given : context.query.texts("state")) {
    for (std::string_view rest = given;;) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const auto name = rest.substr(0, end);
      if (name == "all") {
        is_all = true;
      } else if (name == "attention") {
        add_attention();
      } else if (is_state(name)) {
        states.emplace_back(name);
      } else {
        return wrong_parameter(
            context, "state",
            "state must be attention, all, suspect, confirmed, recovered, withdrawn, "
            "acknowledged, investigating, fixed, wont_fix, invalid, infrastructure, muted or "
            "orphaned, or several of these with commas between.");
      }
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
  }
  if (is_all) states.clear();
  return states;
}

Expected<schema::AlertFilter> asked_alert_filter(RequestContext& context) {
  schema::AlertFilter filter;
  BENCHHUD_ASSIGN(filter.states, asked_states(context));
  for (const std::int64_t id : context.query.integers("id")) {
    filter.ids.push_back(schema::AlertId{id});
  }
  filter.accelerator_models = context.query.texts("accelerator_model");
  filter.directions = context.query.texts("direction");
  filter.owners = context.query.texts("owner");
  filter.series.suites = context.query.texts("suite");
  filter.series.models = context.query.texts("model");
  filter.series.backends = context.query.texts("backend");
  filter.since = context.query.time("since", -kForever);
  filter.until = context.query.time("until", kForever);
  filter.now = context.now;
  return filter;
}

Expected<void> write_alert_list(RequestContext& context, schema::JsonWriter& json,
                                const schema::AlertFilter& filter,
                                const std::optional<Cursor>& cursor) {
  schema::Connection& store = context.reader().connection();
  const bool is_urgent_first = context.query.text("order") == "urgency";
  std::optional<schema::AlertPlace> after;
  if (cursor) {
    after = {static_cast<schema::Urgency>(cursor->numbers[0]), from_bits(cursor->numbers[1]),
             from_bits(cursor->numbers[2]), schema::AlertId{cursor->numbers[3]}};
  }
  BENCHHUD_ASSIGN(
      const schema::AlertPage page,
      schema::alert_page(store, filter, is_urgent_first, after, context.query.size("limit")));
  json.begin_object();
  json.key("counts");
  json.begin_object();
  std::int64_t total = 0;
  for (std::size_t i = 0; i < page.counts.size(); ++i) {
    json.field(urgency_name(static_cast<schema::Urgency>(i)), page.counts[i]);
    total += page.counts[i];
  }
  json.end_object();
  json.key("items");
  json.begin_array();
  schema::AlertRuns runs = runs_of(context);
  if (context.is_csv()) {
    // CSV has no column about the series, so their details are not read.
    for (const Alert& alert : page.alerts) {
      json.begin_object();
      BENCHHUD_TRY(views::write_alert_fields(json, alert, {}, runs));
      json.end_object();
    }
  } else {
    BENCHHUD_TRY(views::write_alerts(json, page.alerts, store, runs, filter.series));
  }
  std::optional<std::string> next;
  if (page.has_more) {
    const Alert& last = page.alerts.back();
    const std::int64_t urgency = is_urgent_first ? static_cast<std::int64_t>(last.urgency) : 0;
    next = make_cursor(cursor_scope(context, kCursorVersion),
                       {urgency, to_bits(last.weight), to_bits(last.onset), to_int(last.id)});
  }
  end_page(json, next, total);
  return {};
}

Expected<ResponsePlan> list_alerts(RequestContext& context) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(context, 4, 0, kCursorVersion));
  // A wrong state is said before an unchanged answer is.
  BENCHHUD_ASSIGN(auto filter, asked_alert_filter(context));
  return ResponsePlan{alerts_key(context),
                      [&context, filter = std::move(filter), cursor](schema::JsonWriter& json) {
                        return write_alert_list(context, json, filter, cursor);
                      }};
}

void write_action(schema::JsonWriter& json, const schema::AlertAction& action) {
  json.begin_object();
  json.field("id", action.id);
  json.key("at");
  views::write_time(json, action.at);
  json.field("who", action.who);
  json.field("token", action.token);
  json.field("kind", alert_action_kind_name(action.kind));
  json.field("value", action.value);
  json.end_object();
}

Expected<void> write_whole_alert(RequestContext& context, schema::JsonWriter& json,
                                 const Alert& alert) {
  schema::Connection& store = context.reader().connection();
  BENCHHUD_ASSIGN(const auto actions, schema::alert_actions(store, alert.id));
  BENCHHUD_ASSIGN(const auto events, schema::alert_history(store, alert.id));
  BENCHHUD_ASSIGN(const auto details, schema::alert_details(store, alert.id));
  BENCHHUD_ASSIGN(const auto explanation,
                  service::explain_alert(context.reader(), context.catalog(), alert, details));
  schema::AlertRuns runs = runs_of(context);
  json.begin_object();
  BENCHHUD_TRY(views::write_alert_fields(json, alert, details, runs));
  views::write_explanation_fields(json, explanation);
  BENCHHUD_TRY(views::write_history_fields(json, events, runs));
  json.key("actions");
  json.list(actions, [&](const auto& action) { write_action(json, action); });
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_alert(RequestContext& context) {
  auto alert = schema::alert(context.reader().connection(),
                             schema::AlertId{context.query.integer("id")}, context.now);
  if (!alert) {
    context.wrong_parameter = "id";
    return std::move(alert).error();
  }
  return ResponsePlan{alerts_key(context),
                      [&context, found = *std::move(alert)](schema::JsonWriter& json) {
                        return write_whole_alert(context, json, found);
                      }};
}

void write_chart_night(schema::JsonWriter& json, const schema::AlertChartNight& night) {
  json.begin_object();
  json.field("value", night.value);
  json.field("low", night.low);
  json.field("high", night.high);
  json.field("n", night.count);
  json.end_object();
}

Expected<void> write_chart(RequestContext& context, schema::JsonWriter& json,
                           schema::AlertId alert) {
  BENCHHUD_ASSIGN(const auto nights, schema::alert_chart(context.reader().connection(), alert));
  std::vector<const service::RunEntry*> runs;
  std::vector<const schema::AlertChartNight*> shown;
  for (const schema::AlertChartNight& night : nights) {
    const service::RunEntry* run = context.snapshot().find(night.run);
    if (run == nullptr) continue;
    runs.push_back(run);
    shown.push_back(&night);
  }
  json.begin_object();
  write_runs(json, "runs", runs);
  json.key("marks");
  BENCHHUD_TRY(write_run_marks(json, context, runs));
  json.key("points");
  json.list(shown, [&](const auto* night) { write_chart_night(json, *night); });
  json.end_object();
  return {};
}

Expected<ResponsePlan> get_alert_chart(RequestContext& context) {
  const schema::AlertId id{context.query.integer("id")};
  if (auto alert = schema::alert(context.reader().connection(), id); !alert) {
    context.wrong_parameter = "id";
    return std::move(alert).error();
  }
  return ResponsePlan{revision_key(context), [&context, id](schema::JsonWriter& json) {
                        return write_chart(context, json, id);
                      }};
}

/// Does with alerts what the body says; `ids` is what named them.
Expected<void> act(ChangeContext& context, std::span<const schema::AlertId> alerts,
                   std::string_view ids) {
  auto done =
      schema::act_on_alerts(context.store, alerts, context.body.text("kind"),
                            context.body.text("value"), context.body.text("who"), context.token);
  if (done) return {};
  using enum schema::ErrorCode;
  const bool is_long_name = context.body.text("who").size() > schema::kMostLineBytes;
  if (done.error().code == kNotFound) context.wrong_parameter = ids;
  if (done.error().code == kInvalidArgument) context.wrong_parameter = "value";
  if (done.error().code == kTooLarge) context.wrong_parameter = is_long_name ? "who" : "value";
  return std::move(done).error();
}

Expected<std::string> act_on_alert(ChangeContext& context) {
  const schema::AlertId id{context.query.integer("id")};
  BENCHHUD_TRY(act(context, std::span(&id, 1), "id"));
  return fmt::format("/alerts/{}", to_int(id));
}

Expected<std::string> act_on_alerts(ChangeContext& context) {
  std::vector<schema::AlertId> ids;
  std::string address = fmt::format("/alerts?state=all&limit={}", schema::kMostAlertsAtOnce);
  for (const std::int64_t id : context.body.integers("ids")) {
    ids.push_back(schema::AlertId{id});
    address += fmt::format("&id={}", id);
  }
  BENCHHUD_TRY(act(context, ids, "ids"));
  return address;
}

}  // namespace

std::span<const NamedRoute> alert_routes() {
  static constexpr std::array routes = {NamedRoute{"listAlerts", list_alerts},
                                        NamedRoute{"getAlert", get_alert},
                                        NamedRoute{"getAlertChart", get_alert_chart}};
  return routes;
}

std::span<const NamedChange> alert_changes() {
  static constexpr std::array changes = {NamedChange{"actOnAlert", act_on_alert},
                                         NamedChange{"actOnAlerts", act_on_alerts}};
  return changes;
}

}  // namespace benchhud::server
