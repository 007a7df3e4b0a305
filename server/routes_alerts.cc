// What changed for good, and what people made of it: alerts.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "schema/alert.h"
#include "schema/text_limits.h"
#include "server/alert_causes.h"
#include "server/alert_json.h"
#include "server/route_parts.h"

namespace benchhud::server {
namespace {

using schema::Alert;
using schema::Error;
using schema::Expected;
using schema::to_int;

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr std::string_view kAll = "all";
constexpr std::string_view kAttention = "attention";

/// Every word that alert_state() may say.
bool is_state(std::string_view name) {
  return schema::detected_state_of(name) ||
         (schema::triage_state_of(name) &&
          schema::triage_state_of(name) != schema::TriageState::kOpen);
}

/// What the parameter `state` lets through: several states, each given or with commas between.
class StateFilter {
 public:
  static Expected<StateFilter> make(Ask& ask) {
    StateFilter filter;
    if (!ask.query.has("state")) filter.states_.emplace(kAttention);
    for (const std::string& given : ask.query.texts("state")) {
      for (std::string_view rest = given;;) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const auto name = rest.substr(0, end);
        if (name != kAll && name != kAttention && !is_state(name)) {
          return wrong_parameter(
              ask, "state",
              "state must be attention, all, suspect, confirmed, recovered, withdrawn, "
              "acknowledged, investigating, fixed, wont_fix, invalid or infrastructure, or several "
              "of these with commas between.");
        }
        filter.states_.emplace(name);
        if (end == rest.size()) break;
        rest.remove_prefix(end + 1);
      }
    }
    return filter;
  }

  /// Whether it may let through what is detected so.
  bool wants(schema::DetectedState detected) const {
    return states_.contains(kAll) || states_.contains(detected_state_name(detected));
  }

  bool fits(const Alert& alert) const {
    if (states_.contains(kAll) || states_.contains(alert_state(alert))) return true;
    return states_.contains(kAttention) && needs_attention(alert);
  }

 private:
  std::set<std::string, std::less<>> states_;
};

std::string_view text_of(const simdjson::dom::element& element) {
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS) return {};
  return text;
}

/// What the parameters suite, model, backend and direction let through. All of the first three must
/// fit one and the same series of the alert.
class DetailsFilter {
 public:
  explicit DetailsFilter(const Query& query)
      : query_(query),
        wants_member_(query.has("suite") || query.has("model") || query.has("backend")) {}

  bool fits(const Alert& alert) {
    if (!wants_member_ && !query_.has("direction")) return true;
    simdjson::dom::element details;
    if (parser_.parse(alert.details).get(details) != simdjson::SUCCESS) return false;
    simdjson::dom::element direction;
    if (query_.has("direction") && (details["direction"].get(direction) != simdjson::SUCCESS ||
                                    !fits_any(query_, "direction", text_of(direction)))) {
      return false;
    }
    return !wants_member_ || has_member(details);
  }

 private:
  bool has_member(const simdjson::dom::element& details) const {
    simdjson::dom::array members;
    if (details["members"].get(members) != simdjson::SUCCESS) return false;
    return std::any_of(members.begin(), members.end(), [&](const simdjson::dom::element& member) {
      simdjson::dom::element experiment;
      if (member["experiment"].get(experiment) != simdjson::SUCCESS) return false;
      for (const char* name : {"suite", "model", "backend"}) {
        simdjson::dom::element value;
        if (experiment[name].get(value) != simdjson::SUCCESS) return false;
        if (!fits_any(query_, name, text_of(value))) return false;
      }
      return true;
    });
  }

  const Query& query_;
  const bool wants_member_;
  simdjson::dom::parser parser_;
};

/// The alerts that a request asks for, the one that began last first.
Expected<std::vector<Alert>> asked_alerts(Ask& ask) {
  BENCHHUD_ASSIGN(const StateFilter states, StateFilter::make(ask));
  const double since = ask.query.time("since", -kForever);
  auto& store = ask.reader().connection();
  BENCHHUD_ASSIGN(
      auto alerts,
      states.wants(schema::DetectedState::kWithdrawn)
          ? schema::alerts(store)
          : schema::told_alerts(store, states.wants(schema::DetectedState::kRecovered), since));
  const double until = ask.query.time("until", kForever);
  DetailsFilter details(ask.query);
  std::erase_if(alerts, [&](const Alert& alert) {
    return !states.fits(alert) || alert.onset < since || alert.onset >= until ||
           !fits_any(ask.query, "accelerator_model", alert.accelerator_model) ||
           !details.fits(alert);
  });
  std::sort(alerts.begin(), alerts.end(), [](const Alert& a, const Alert& b) {
    return a.onset > b.onset || (a.onset == b.onset && a.id > b.id);
  });
  return alerts;
}

/// Whether `alert` comes behind (onset, id) in the list.
bool is_behind(const Alert& alert, double onset, std::int64_t id) {
  return alert.onset < onset || (alert.onset == onset && to_int(alert.id) < id);
}

Expected<std::string> write_alerts(Ask& ask, const std::optional<Cursor>& cursor) {
  BENCHHUD_ASSIGN(const auto alerts, asked_alerts(ask));
  const std::size_t limit = ask.query.size("limit");
  std::string body;
  JsonWriter json(&body);
  begin_page(json);
  std::size_t written = 0;
  const Alert* last = nullptr;
  bool more = false;
  for (const Alert& alert : alerts) {
    if (cursor && !is_behind(alert, from_bits(cursor->numbers[0]), cursor->numbers[1])) continue;
    if (written == limit) {
      more = true;
      break;
    }
    write_alert(json, alert);
    last = &alert;
    ++written;
  }
  std::optional<std::string> next;
  if (more) next = make_cursor(cursor_scope(ask), {to_bits(last->onset), to_int(last->id)});
  end_page(json, next, static_cast<std::int64_t>(alerts.size()));
  return body;
}

Expected<Plan> list_alerts(Ask& ask) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(ask, 2));
  // A wrong state is said before an unchanged answer is.
  BENCHHUD_TRY(StateFilter::make(ask));
  return Plan{revision_key(ask), [&ask, cursor] { return write_alerts(ask, cursor); }};
}

void write_action(JsonWriter& json, const schema::AlertAction& action) {
  json.begin_object();
  json.field("id", action.id);
  json.key("at");
  write_time(json, action.at);
  json.field("who", action.who);
  json.field("kind", alert_action_kind_name(action.kind));
  json.field("value", action.value);
  json.end_object();
}

Expected<std::string> write_whole_alert(Ask& ask, const Alert& alert) {
  BENCHHUD_ASSIGN(const auto actions, schema::alert_actions(ask.reader().connection(), alert.id));
  std::string body;
  JsonWriter json(&body);
  json.begin_object();
  BENCHHUD_TRY(write_explained_alert(json, ask.reader(), ask.catalog(), alert));
  json.key("actions");
  json.list(actions, [&](const auto& action) { write_action(json, action); });
  json.end_object();
  return body;
}

Expected<Plan> get_alert(Ask& ask) {
  auto alert = schema::alert(ask.reader().connection(), schema::AlertId{ask.query.integer("id")});
  if (!alert) {
    ask.wrong_parameter = "id";
    return std::move(alert).error();
  }
  return Plan{revision_key(ask),
              [&ask, found = *std::move(alert)] { return write_whole_alert(ask, found); }};
}

Expected<std::string> act_on_alert(ChangeAsk& ask) {
  const schema::AlertId id{ask.query.integer("id")};
  const auto done = schema::act_on_alert(ask.store, id, ask.body.text("kind"),
                                         ask.body.text("value"), ask.body.text("who"));
  if (!done) {
    using enum schema::ErrorCode;
    const bool is_long_name = ask.body.text("who").size() > schema::kMostLineBytes;
    if (done.error().code == kNotFound) ask.wrong_parameter = "id";
    if (done.error().code == kInvalidArgument) ask.wrong_parameter = "value";
    if (done.error().code == kTooLarge) ask.wrong_parameter = is_long_name ? "who" : "value";
    return done.error();
  }
  return fmt::format("/alerts/{}", to_int(id));
}

constexpr std::array kRoutes = {NamedRoute{"listAlerts", list_alerts},
                                NamedRoute{"getAlert", get_alert}};
constexpr std::array kChanges = {NamedChange{"actOnAlert", act_on_alert}};

}  // namespace

std::span<const NamedRoute> alert_routes() { return kRoutes; }
std::span<const NamedChange> alert_changes() { return kChanges; }

}  // namespace benchhud::server
