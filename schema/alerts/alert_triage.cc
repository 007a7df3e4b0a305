// What people do with alerts.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_mute.h"
#include "schema/base/time.h"
#include "schema/db/audit_note.h"
#include "schema/queries.h"
#include "schema/results/results.h"

namespace benchhud::schema {
namespace {

/// What is done, by whom and when.
struct Doing {
  AlertActionKind kind{};
  std::string_view value, who;
  std::optional<std::string_view> token;
  double at = 0;
};

Expected<void> check_ids(std::span<const AlertId> ids) {
  if (ids.empty()) return Error{ErrorCode::kInvalidArgument, "no alert is named"};
  if (ids.size() > kMostAlertsAtOnce) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("at most {} alerts are acted on at once, not {}", kMostAlertsAtOnce,
                             ids.size())};
  }
  std::vector<AlertId> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return {};
  return Error{ErrorCode::kInvalidArgument, fmt::format("alert {} is named twice", to_int(*twice))};
}

Expected<void> insert_action(Connection& connection, AlertId id, const Doing& doing) {
  Statement insert = connection.cached(sql::kInsertAlertAction);
  insert.bind(1, id).bind(2, doing.at).bind(3, doing.who);
  insert.bind(4, alert_action_kind_name(doing.kind)).bind(5, doing.value).bind(6, doing.token);
  return insert.run();
}

/// The action, and what it sets of the alert.
Expected<void> keep_action(Connection& connection, AlertId id, const Doing& doing) {
  BENCHHUD_TRY(insert_action(connection, id, doing));
  const auto set = [&](std::string_view sql) {
    return connection.cached(sql).bind(1, id).bind(2, doing.value).run();
  };
  switch (doing.kind) {
    case AlertActionKind::kState: {
      Statement update = connection.cached(sql::kSetTriageOfAlert);
      return update.bind(1, id).bind(2, doing.value).bind(3, doing.at).run();
    }
    case AlertActionKind::kOwner:
      return set(sql::kSetOwnerOfAlert);
    case AlertActionKind::kLink:
      return set(sql::kSetLinkOfAlert);
    case AlertActionKind::kMute:
      return set(sql::kSetMuteOfAlert);
    case AlertActionKind::kNote:
      break;
  }
  return {};
}

/// Whether who does this takes an alert that is nobody's.
bool takes_it(const Alert& alert, const Doing& doing) {
  if (doing.kind != AlertActionKind::kState || !alert.owner.empty() || doing.who.empty()) {
    return false;
  }
  const auto state = triage_state_of(doing.value);
  return state == TriageState::kAcknowledged || state == TriageState::kInvestigating;
}

Expected<void> act(Connection& connection, AlertId id, const Doing& doing) {
  BENCHHUD_ASSIGN(const Alert found, alert(connection, id));
  if (doing.kind == AlertActionKind::kMute) {
    BENCHHUD_TRY(check_mute_of(found, doing.value, doing.at));
  }
  BENCHHUD_TRY(keep_action(connection, id, doing));
  // Notes may be long, and stand with the alert.
  std::string detail = fmt::format("{}: {}", to_int(id), alert_action_kind_name(doing.kind));
  if (doing.kind != AlertActionKind::kNote) detail += fmt::format("={}", doing.value);
  if (takes_it(found, doing)) {
    Doing taking = doing;
    taking.kind = AlertActionKind::kOwner;
    taking.value = doing.who;
    BENCHHUD_TRY(keep_action(connection, id, taking));
    detail += fmt::format(" owner={}", doing.who);
  }
  if (!doing.who.empty()) detail += fmt::format(" by {}", doing.who);
  return note(connection, "alert", detail);
}

}  // namespace

Expected<void> act_on_alerts(Connection& connection, std::span<const AlertId> ids,
                             std::string_view kind, std::string_view value, std::string_view who,
                             std::optional<std::string_view> token) {
  BENCHHUD_ASSIGN(const AlertActionKind known, check_alert_action(kind, value, who));
  BENCHHUD_TRY(check_ids(ids));
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  const Doing doing{known, value, who, token, now()};
  for (const AlertId id : ids) BENCHHUD_TRY(act(connection, id, doing));
  BENCHHUD_ASSIGN([[maybe_unused]] const std::int64_t revision, next_revision(connection));
  return transaction.commit();
}

Expected<void> act_on_alert(Connection& connection, AlertId id, std::string_view kind,
                            std::string_view value, std::string_view who,
                            std::optional<std::string_view> token) {
  return act_on_alerts(connection, std::span(&id, 1), kind, value, who, token);
}

}  // namespace benchhud::schema
