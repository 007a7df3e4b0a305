// Writing alerts that analysis found, and the rules by which it does.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/base/content_hash.h"
#include "schema/db/audit_note.h"
#include "schema/db/rows.h"
#include "schema/db/setting.h"
#include "schema/queries.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

constexpr std::string_view kStateKey = "alerts_state";
constexpr std::string_view kRulesKey = "alert_rules";

constexpr int kFoundColumns = 29;  // of an alert, from $1

/// To eight parameters of a statement, from `first` on.
void bind_headline(Statement* statement, int first, const Alert& alert) {
  if (alert.headline) {
    const AlertHeadline& headline = *alert.headline;
    statement->bind(first, headline.metric).bind(first + 1, headline.effect);
    statement->bind(first + 2, headline.low).bind(first + 3, headline.high);
    statement->bind(first + 4, headline.before).bind(first + 5, headline.after);
    statement->bind(first + 6, headline.experiment);
  }
  statement->bind(first + 7, alert.weight);
}

/// To a statement that inserts an alert: what was found.
Statement bind_found(Statement insert, const Alert& alert, const ContentHash& content) {
  insert.bind(1, alert.accelerator_model).bind(2, alert.key).bind(3, alert.onset);
  insert.bind(4, detected_state_name(alert.detected)).bind(5, alert.first_seen);
  insert.bind(6, alert.confirmed_at).bind(7, alert.title).bind(8, alert.scope);
  insert.bind(9, alert.suite).bind(10, alert.model).bind(11, alert.backend);
  insert.bind(12, change_direction_name(alert.direction)).bind(13, alert.onset_run);
  insert.bind(14, alert.last_good).bind(15, alert.first_bad).bind(16, alert.first_seen_run);
  insert.bind(17, alert.confirmed_run).bind(18, alert.closed_run).bind(19, alert.rerun);
  bind_headline(&insert, 20, alert);
  insert.bind(kFoundColumns - 1, alert.explanation);
  insert.bind_blob(kFoundColumns, content.view());
  return insert;
}

Expected<void> insert_member(Connection& connection, AlertId id, std::int64_t place,
                             const AlertMember& member) {
  Statement insert = connection.cached(sql::kInsertAlertMember);
  const Experiment& experiment = member.experiment;
  insert.bind(1, id).bind(2, place).bind(3, member.experiment_id).bind(4, experiment.suite);
  insert.bind(5, experiment.model).bind(6, experiment.test).bind(7, member.backend);
  insert.bind(8, member.configuration).bind(9, member.metric);
  insert.bind(10, detected_state_name(member.detected));
  insert.bind(11, change_direction_name(member.direction)).bind(12, member.onset);
  insert.bind(13, member.earliest).bind(14, member.latest);
  if (member.timed) {
    const AlertMember::Timed& timed = *member.timed;
    insert.bind(15, timed.before).bind(16, timed.after).bind(17, timed.effect);
    insert.bind(18, timed.low).bind(19, timed.high).bind(20, timed.confidence);
    insert.bind(21, timed.p_value).bind(22, timed.q_value).bind(23, timed.nights_before);
    insert.bind(24, timed.nights_after).bind(25, timed.noise).bind(26, timed.sigma);
  }
  if (member.counted) {
    insert.bind(27, member.counted->before).bind(28, member.counted->after);
    insert.bind(29, member.counted->flips).bind(30, member.counted->of);
  }
  insert.bind(31, member.is_doing_of_baseline);
  return insert.run();
}

/// The runs that an alert names, each once.
std::vector<RunId> runs_in(const Alert& alert, const AlertDetails& details) {
  std::vector<RunId> runs;
  const auto add = [&](const std::optional<RunId>& run) {
    if (run) runs.push_back(*run);
  };
  for (const auto& run : {alert.onset_run, alert.last_good, alert.first_bad, alert.first_seen_run,
                          alert.confirmed_run, alert.closed_run}) {
    add(run);
  }
  for (const AlertMember& member : details.members) {
    for (const auto& run : {member.onset, member.earliest, member.latest}) add(run);
  }
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  return runs;
}

Expected<void> insert_details(Connection& connection, AlertId id, const Alert& alert,
                              const AlertDetails& details) {
  for (const AlertLabel& label : details.labels) {
    Statement insert = connection.cached(sql::kInsertAlertLabel);
    insert.bind(1, id).bind(2, label.key).bind(3, label.before).bind(4, label.after);
    BENCHHUD_TRY(insert.run());
  }
  std::int64_t place = 0;
  for (const AlertMember& member : details.members) {
    BENCHHUD_TRY(insert_member(connection, id, place++, member));
  }
  for (const RunId run : runs_in(alert, details)) {
    BENCHHUD_TRY(connection.cached(sql::kPutAlertRun).bind(1, run).run());
  }
  return {};
}

Expected<void> delete_details(Connection& connection, AlertId id) {
  BENCHHUD_TRY(connection.cached(sql::kDeleteLabelsOfAlert).bind(1, id).run());
  return connection.cached(sql::kDeleteMembersOfAlert).bind(1, id).run();
}

/// Of the values that tell an alert from another; each is told apart from the next.
class ContentText {
 public:
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    text_ += text;
  }
  void add(std::int64_t number) { add_bytes(&number, sizeof number); }
  void add(double number) { add_bytes(&number, sizeof number); }
  template <class Id>
    requires std::is_enum_v<Id>
  void add(Id id) {
    add(static_cast<std::int64_t>(id));
  }
  template <class T>
  void add(const std::optional<T>& maybe) {
    add(std::int64_t{maybe.has_value()});
    if (maybe) add(*maybe);
  }
  ContentHash hash() const { return content_hash(text_); }

 private:
  void add_bytes(const void* bytes, std::size_t size) {
    text_.append(static_cast<const char*>(bytes), size);
  }

  std::string text_;
};

void add_to(ContentText& text, const AlertMember& member) {
  text.add(member.experiment_id);
  for (const auto* name :
       {&member.experiment.suite, &member.experiment.model, &member.experiment.test,
        &member.backend, &member.configuration, &member.metric}) {
    text.add(*name);
  }
  text.add(member.detected);
  text.add(member.direction);
  for (const auto& run : {member.onset, member.earliest, member.latest}) text.add(run);
  text.add(std::int64_t{member.timed.has_value()});
  if (member.timed) {
    const AlertMember::Timed& timed = *member.timed;
    for (const auto& number : {timed.before, timed.after, timed.effect, timed.low, timed.high,
                               timed.confidence, timed.p_value, timed.q_value, timed.sigma}) {
      text.add(number);
    }
    text.add(timed.nights_before);
    text.add(timed.nights_after);
    text.add(timed.noise);
  }
  text.add(std::int64_t{member.counted.has_value()});
  if (member.counted) {
    text.add(member.counted->before);
    text.add(member.counted->after);
    text.add(member.counted->flips);
    text.add(member.counted->of);
  }
  text.add(std::int64_t{member.is_doing_of_baseline ? 1 + *member.is_doing_of_baseline : 0});
}

Expected<void> count_revision(Connection& connection) {
  BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, next_revision(connection));
  return {};
}

}  // namespace

ContentHash alert_content(const Alert& alert, const AlertDetails& details) {
  ContentText text;
  text.add(alert.onset);
  text.add(alert.detected);
  text.add(alert.confirmed_at);
  text.add(alert.title);
  text.add(alert.scope);
  for (const auto& name : {alert.suite, alert.model, alert.backend}) text.add(name);
  text.add(alert.direction);
  for (const auto& run : {alert.onset_run, alert.last_good, alert.first_bad, alert.first_seen_run,
                          alert.confirmed_run, alert.closed_run}) {
    text.add(run);
  }
  text.add(alert.rerun);
  text.add(alert.explanation);
  text.add(std::int64_t{alert.headline.has_value()});
  if (alert.headline) {
    const AlertHeadline& headline = *alert.headline;
    text.add(headline.metric);
    for (const auto& number : {headline.effect, headline.low, headline.high}) text.add(number);
    for (const auto& value : {headline.before, headline.after}) text.add(value);
    text.add(headline.experiment);
  }
  text.add(alert.weight);
  text.add(static_cast<std::int64_t>(details.labels.size()));
  for (const AlertLabel& label : details.labels) {
    for (const auto* part : {&label.key, &label.before, &label.after}) text.add(*part);
  }
  for (const AlertMember& member : details.members) add_to(text, member);
  return text.hash();
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

namespace {

/// Numbers of alerts that are parked are negative.
Expected<AlertId> insert_alert(Connection& connection, std::optional<AlertId> id,
                               const Alert& alert, const AlertDetails& details) {
  Statement insert =
      bind_found(connection.cached(sql::kInsertAlert), alert, alert_content(alert, details));
  insert.bind(kFoundColumns + 1, id);
  BENCHHUD_TRY(insert.run());
  const auto number = AlertId(connection.last_insert_id());
  BENCHHUD_TRY(insert_details(connection, number, alert, details));
  return number;
}

}  // namespace

Expected<AlertId> add_alert(Connection& connection, const Alert& alert,
                            const AlertDetails& details) {
  BENCHHUD_ASSIGN(const AlertId id, insert_alert(connection, {}, alert, details));
  BENCHHUD_TRY(count_revision(connection));
  return id;
}

Expected<AlertId> park_alert(Connection& connection, const Alert& alert,
                             const AlertDetails& details) {
  BENCHHUD_ASSIGN(const std::int64_t least,
                  one(
                      connection.cached(sql::kLeastAlertId),
                      [](const Statement& row) { return row.integer(0); }, "least alert"));
  return insert_alert(connection, AlertId(least - 1), alert, details);
}

Expected<std::vector<NumberedAlert>> number_parked_alerts(Connection& connection) {
  BENCHHUD_ASSIGN(const auto parked,
                  collect(connection.cached(sql::kParkedAlerts),
                          [](const Statement& row) { return AlertId(row.integer(0)); }));
  std::vector<NumberedAlert> numbered;
  if (parked.empty()) return numbered;
  for (const AlertId id : parked) {
    BENCHHUD_TRY(connection.cached(sql::kInsertAlertOfParked).bind(1, id).run());
    const std::int64_t number = connection.last_insert_id();
    for (const std::string_view move :
         {sql::kMoveLabelsOfAlert, sql::kMoveMembersOfAlert, sql::kMoveChartOfAlert}) {
      BENCHHUD_TRY(connection.cached(move).bind(1, id).bind(2, number).run());
    }
    numbered.push_back({id, AlertId(number)});
  }
  BENCHHUD_TRY(connection.execute(sql::kDeleteParkedAlerts));
  BENCHHUD_TRY(count_revision(connection));
  return numbered;
}

Expected<bool> update_alert(Connection& connection, const Alert& found,
                            const AlertDetails& details) {
  Statement update = connection.cached(sql::kUpdateAlert);
  update.bind(1, found.id).bind(2, found.onset).bind(3, detected_state_name(found.detected));
  update.bind(4, found.confirmed_at).bind(5, found.title).bind(6, found.scope);
  update.bind(7, found.suite).bind(8, found.model).bind(9, found.backend);
  update.bind(10, change_direction_name(found.direction)).bind(11, found.onset_run);
  update.bind(12, found.last_good).bind(13, found.first_bad).bind(14, found.first_seen_run);
  update.bind(15, found.confirmed_run).bind(16, found.closed_run).bind(17, found.rerun);
  bind_headline(&update, 18, found);
  update.bind_blob(26, alert_content(found, details).view()).bind(27, found.explanation);
  BENCHHUD_TRY(update.run());
  if (connection.changes() == 0) {
    BENCHHUD_TRY(alert(connection, found.id));  // that it is there
    return false;
  }
  BENCHHUD_TRY(delete_details(connection, found.id));
  BENCHHUD_TRY(insert_details(connection, found.id, found, details));
  BENCHHUD_TRY(count_revision(connection));
  return true;
}

Expected<bool> withdraw_alert(Connection& connection, AlertId id, std::string_view explanation) {
  BENCHHUD_TRY(connection.cached(sql::kWithdrawAlert).bind(1, id).bind(2, explanation).run());
  if (connection.changes() == 0) {
    BENCHHUD_TRY(alert(connection, id));
    return false;
  }
  BENCHHUD_TRY(count_revision(connection));
  return true;
}

Expected<bool> set_orphaned_alert(Connection& connection, AlertId id, bool is_unexplained,
                                  std::optional<AlertId> successor) {
  Statement set = connection.cached(sql::kSetOrphanedAlert);
  BENCHHUD_TRY(set.bind(1, id).bind(2, is_unexplained).bind(3, successor).run());
  if (connection.changes() == 0) return false;
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
  BENCHHUD_TRY(delete_details(connection, id));
  BENCHHUD_TRY(connection.cached(sql::kDeleteChartOfAlert).bind(1, id).run());
  BENCHHUD_TRY(connection.cached(sql::kDeleteHistoryOfAlert).bind(1, id).run());
  return count_revision(connection);
}

Expected<void> forget_unused_alert_runs(Connection& connection) {
  return connection.cached(sql::kDeleteUnusedAlertRuns).run();
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
