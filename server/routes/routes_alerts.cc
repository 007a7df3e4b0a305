// What changed for good, and what people made of it: alerts.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <tuple>

#include "schema/alerts/alert.h"
#include "schema/base/text_limits.h"
#include "server/routes/route_parts.h"
#include "server/views/alert_json.h"
#include "service/alerts/alert_causes.h"

namespace benchhud::server {
namespace {

using schema::Alert;
using schema::Error;
using schema::Expected;
using schema::to_int;

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

/// "" where there is no such text.
std::string_view text_of(const simdjson::dom::element& element, std::string_view name) {
  std::string_view text;
  if (element[name].get(text) != simdjson::SUCCESS) return {};
  return text;
}

/// What the parameters suite, model, backend and direction let through. All of the first three must
/// fit one and the same series of the alert.
bool fits_details(const Query& query, const simdjson::dom::element& details) {
  if (!fits_any(query, "direction", text_of(details, "direction"))) return false;
  if (!query.has("suite") && !query.has("model") && !query.has("backend")) return true;
  simdjson::dom::array members;
  if (details["members"].get(members) != simdjson::SUCCESS) return false;
  return std::any_of(members.begin(), members.end(), [&](const simdjson::dom::element& member) {
    simdjson::dom::element experiment;
    if (member["experiment"].get(experiment) != simdjson::SUCCESS) return false;
    for (const char* name : {"suite", "model", "backend"}) {
      if (!fits_any(query, name, text_of(experiment, name))) return false;
    }
    return true;
  });
}

struct Listed {
  Alert alert;
  Urgency urgency;
};

/// The place of an alert in a list, as its cursor holds it: urgency, onset, id.
using Place = std::tuple<std::int64_t, double, std::int64_t>;

/// The alerts that a request asks for.
class AlertList {
 public:
  static Expected<AlertList> make(Ask& ask) {
    AlertList list(ask.query.text("order") == "urgency");
    BENCHHUD_ASSIGN(const StateFilter states, StateFilter::make(ask));
    const double since = ask.query.time("since", -kForever);
    const double until = ask.query.time("until", kForever);
    auto& store = ask.reader().connection();
    BENCHHUD_ASSIGN(
        auto alerts,
        states.wants(schema::DetectedState::kWithdrawn)
            ? schema::alerts(store)
            : schema::told_alerts(store, states.wants(schema::DetectedState::kRecovered), since));
    simdjson::dom::parser parser;
    for (Alert& alert : alerts) {
      if (!states.fits(alert) || alert.onset < since || alert.onset >= until ||
          !fits_any(ask.query, "accelerator_model", alert.accelerator_model)) {
        continue;
      }
      simdjson::dom::element details;
      if (parser.parse(alert.details).get(details) != simdjson::SUCCESS) {
        // Listed all the same, where nothing of its details is asked for.
        details = parser.parse(std::string_view("{}")).value();
      }
      if (!fits_details(ask.query, details)) continue;
      const Urgency urgency = alert_urgency(alert, text_of(details, "direction"));
      ++list.counts_[static_cast<std::size_t>(urgency)];
      list.items_.push_back({std::move(alert), urgency});
    }
    std::sort(list.items_.begin(), list.items_.end(), [&](const Listed& a, const Listed& b) {
      return list.is_before(list.place(a), list.place(b));
    });
    return list;
  }

  const std::vector<Listed>& items() const { return items_; }
  std::int64_t count(Urgency urgency) const { return counts_[static_cast<std::size_t>(urgency)]; }

  Place place(const Listed& one) const {
    return {is_urgent_first_ ? static_cast<std::int64_t>(one.urgency) : 0, one.alert.onset,
            to_int(one.alert.id)};
  }
  /// The more urgent first, where that was asked for; then what began last.
  bool is_before(const Place& a, const Place& b) const {
    const auto& [urgency_a, onset_a, id_a] = a;
    const auto& [urgency_b, onset_b, id_b] = b;
    return std::tie(urgency_a, onset_b, id_b) < std::tie(urgency_b, onset_a, id_a);
  }

 private:
  explicit AlertList(bool is_urgent_first) : is_urgent_first_(is_urgent_first) {}

  bool is_urgent_first_;
  std::vector<Listed> items_;
  std::array<std::int64_t, 6> counts_{};
};

Expected<std::string> write_alerts(Ask& ask, const std::optional<Cursor>& cursor) {
  BENCHHUD_ASSIGN(const AlertList list, AlertList::make(ask));
  const std::size_t limit = ask.query.size("limit");
  std::string body;
  JsonWriter json(&body);
  json.begin_object();
  json.key("counts");
  json.begin_object();
  for (const auto urgency : {Urgency::kConfirmed, Urgency::kSuspect, Urgency::kTaken,
                             Urgency::kImprovement, Urgency::kChange, Urgency::kClosed}) {
    json.field(urgency_name(urgency), list.count(urgency));
  }
  json.end_object();
  json.key("items");
  json.begin_array();
  std::size_t written = 0;
  std::optional<Place> last;
  bool more = false;
  for (const Listed& one : list.items()) {
    const Place place = list.place(one);
    if (cursor &&
        !list.is_before({cursor->numbers[0], from_bits(cursor->numbers[1]), cursor->numbers[2]},
                        place)) {
      continue;
    }
    if (written == limit) {
      more = true;
      break;
    }
    write_alert(json, one.alert, one.urgency);
    last = place;
    ++written;
  }
  std::optional<std::string> next;
  if (more) {
    const auto& [urgency, onset, id] = *last;
    next = make_cursor(cursor_scope(ask), {urgency, to_bits(onset), id});
  }
  end_page(json, next, static_cast<std::int64_t>(list.items().size()));
  return body;
}

Expected<Plan> list_alerts(Ask& ask) {
  BENCHHUD_ASSIGN(auto cursor, asked_cursor(ask, 3));
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
  json.field("token", action.token);
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
                                         ask.body.text("value"), ask.body.text("who"), ask.token);
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
