// Alerts in the store: found by analysis, triaged by people.

#include <fmt/format.h>

#include "schema/alerts/alert.h"
#include "schema/base/time.h"
#include "schema/db/audit_note.h"
#include "schema/db/rows.h"
#include "schema/db/setting.h"
#include "schema/queries.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

constexpr std::string_view kStateKey = "alerts_state";
constexpr std::string_view kRulesKey = "alert_rules";

Alert read_alert(const Statement& row) {
  Alert alert;
  alert.id = AlertId(row.integer(0));
  alert.accelerator_model = row.text(1);
  alert.key = row.text(2);
  alert.onset = row.real(3);
  alert.detected = detected_state_of(row.text(4)).value_or(DetectedState::kSuspect);
  alert.first_seen = row.real(5);
  alert.confirmed_at = row.optional_real(6);
  alert.details = row.text(7);
  // Where nobody did anything there are nulls, which read as empty texts.
  alert.triage = triage_state_of(row.text(8)).value_or(TriageState::kOpen);
  alert.triaged_at = row.optional_real(9);
  alert.owner = row.text(10);
  alert.link = row.text(11);
  return alert;
}

/// To a statement that inserts an alert: what was found.
Statement bind_found(Statement insert, const Alert& alert) {
  insert.bind(1, alert.accelerator_model).bind(2, alert.key).bind(3, alert.onset);
  insert.bind(4, detected_state_name(alert.detected)).bind(5, alert.first_seen);
  insert.bind(6, alert.confirmed_at).bind(7, alert.details);
  return insert;
}

Expected<void> count_revision(Connection& connection) {
  BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, next_revision(connection));
  return {};
}

}  // namespace

Expected<std::vector<Alert>> alerts(Connection& connection,
                                    std::optional<std::string_view> accelerator_model) {
  if (!accelerator_model) return collect(connection.cached(sql::kAlertsById), read_alert);
  Statement query = connection.cached(sql::kAlertsOfModel);
  query.bind(1, *accelerator_model);
  return collect(query, read_alert);
}

Expected<std::vector<AlertOutline>> alert_outlines(
    Connection& connection, std::optional<std::string_view> accelerator_model) {
  const auto read = [](const Statement& row) {
    AlertOutline outline;
    outline.id = AlertId(row.integer(0));
    outline.accelerator_model = row.text(1);
    outline.key = row.text(2);
    outline.onset = row.real(3);
    outline.detected = detected_state_of(row.text(4)).value_or(DetectedState::kSuspect);
    outline.confirmed_at = row.optional_real(5);
    return outline;
  };
  if (!accelerator_model) return collect(connection.cached(sql::kAlertOutlines), read);
  Statement query = connection.cached(sql::kAlertOutlinesOfModel);
  query.bind(1, *accelerator_model);
  return collect(query, read);
}

Expected<std::vector<Alert>> told_alerts(Connection& connection, bool with_recovered,
                                         double since) {
  Statement query = connection.cached(sql::kToldAlerts);
  query.bind(1, with_recovered).bind(2, since);
  return collect(query, read_alert);
}

Expected<Alert> alert(Connection& connection, AlertId id) {
  Statement query = connection.cached(sql::kAlertById);
  query.bind(1, id);
  return one(query, read_alert, fmt::format("alert {}", to_int(id)));
}

Expected<std::vector<AlertAction>> alert_actions(Connection& connection, AlertId id) {
  Statement query = connection.cached(sql::kActionsOfAlert);
  query.bind(1, id);
  return collect(query, [id](const Statement& row) {
    AlertAction action;
    action.id = row.integer(0);
    action.alert = id;
    action.at = row.real(1);
    action.who = row.text(2);
    action.kind = alert_action_kind_of(row.text(3)).value_or(AlertActionKind::kNote);
    action.value = row.text(4);
    action.token = row.optional_text(5);
    return action;
  });
}

Expected<std::vector<std::pair<AlertId, std::string>>> alert_notes(Connection& connection) {
  return collect(connection.cached(sql::kNotesOfAlerts), [](const Statement& row) {
    return std::pair(AlertId(row.integer(0)), std::string(row.text(1)));
  });
}

Expected<std::optional<std::string>> alerts_state(Connection& connection) {
  return setting(connection, kStateKey);
}

Expected<void> set_alerts_state(Connection& connection, std::string_view state) {
  return put_setting(connection, kStateKey, state);
}

Expected<AlertId> add_alert(Connection& connection, const Alert& alert) {
  BENCHHUD_TRY(bind_found(connection.cached(sql::kInsertAlert), alert).run());
  const auto id = AlertId(connection.last_insert_id());
  BENCHHUD_TRY(count_revision(connection));
  return id;
}

Expected<void> park_alert(Connection& connection, const Alert& alert) {
  return bind_found(connection.cached(sql::kInsertParkedAlert), alert).run();
}

Expected<std::size_t> number_parked_alerts(Connection& connection) {
  BENCHHUD_ASSIGN(const auto parked,
                  collect(connection.cached(sql::kParkedAlerts),
                          [](const Statement& row) { return AlertId(row.integer(0)); }));
  if (parked.empty()) return parked.size();
  for (const AlertId id : parked) {
    BENCHHUD_TRY(connection.cached(sql::kInsertAlertOfParked).bind(1, id).run());
  }
  BENCHHUD_TRY(connection.execute(sql::kDeleteParkedAlerts));
  BENCHHUD_TRY(count_revision(connection));
  return parked.size();
}

Expected<bool> update_alert(Connection& connection, const Alert& found) {
  Statement update = connection.cached(sql::kUpdateAlert);
  update.bind(1, found.id).bind(2, found.onset).bind(3, detected_state_name(found.detected));
  update.bind(4, found.confirmed_at).bind(5, found.details);
  BENCHHUD_TRY(update.run());
  if (connection.changes() == 0) {
    BENCHHUD_TRY(alert(connection, found.id));  // that it is there
    return false;
  }
  BENCHHUD_TRY(count_revision(connection));
  return true;
}

Expected<void> delete_alert(Connection& connection, AlertId id) {
  BENCHHUD_TRY(connection.cached(sql::kDeleteUntouchedAlert).bind(1, id).run());
  if (connection.changes() == 0) {
    BENCHHUD_TRY(alert(connection, id));
    return Error{ErrorCode::kConflict,
                 fmt::format("people have acted on alert {}: it is kept", to_int(id))};
  }
  return count_revision(connection);
}

Expected<void> act_on_alert(Connection& connection, AlertId id, std::string_view kind,
                            std::string_view value, std::string_view who,
                            std::optional<std::string_view> token) {
  BENCHHUD_ASSIGN(const AlertActionKind known, check_alert_action(kind, value, who));
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  BENCHHUD_TRY(alert(connection, id));
  Statement insert = connection.cached(sql::kInsertAlertAction);
  insert.bind(1, id).bind(2, now()).bind(3, who).bind(4, kind).bind(5, value).bind(6, token);
  BENCHHUD_TRY(insert.run());
  // Notes may be long, and stand with the alert.
  std::string detail = fmt::format("{}: {}", to_int(id), kind);
  if (known != AlertActionKind::kNote) detail += fmt::format("={}", value);
  if (!who.empty()) detail += fmt::format(" by {}", who);
  BENCHHUD_TRY(note(connection, "alert", detail));
  BENCHHUD_TRY(count_revision(connection));
  return transaction.commit();
}

Expected<std::optional<std::string>> alert_rules(Connection& connection) {
  return setting(connection, kRulesKey);
}

Expected<void> set_alert_rules(Connection& connection, std::string_view rules) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  BENCHHUD_TRY(put_setting(connection, kRulesKey, rules));
  BENCHHUD_TRY(note(connection, "alert rules", rules.substr(0, 1024)));
  BENCHHUD_TRY(count_revision(connection));
  return transaction.commit();
}

}  // namespace benchhud::schema
