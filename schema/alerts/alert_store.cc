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
  BENCHHUD_TRY(connection.cached(sql::kDeleteLabelsOfAlerts).bind(1, id).run());
  BENCHHUD_TRY(connection.cached(sql::kDeleteMembersOfAlerts).bind(1, id).run());
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
