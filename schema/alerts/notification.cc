#include "schema/alerts/notification.h"

#include <array>

#include "schema/alerts/alert_mute.h"
#include "schema/base/name_table.h"
#include "schema/base/time.h"
#include "schema/db/rows.h"
#include "schema/queries.h"

namespace benchhud::schema {
namespace {

constexpr std::array kEvents = {
    std::pair{NotificationEvent::kConfirmed, std::string_view("confirmed")},
    std::pair{NotificationEvent::kRecovered, std::string_view("recovered")},
};
constexpr std::size_t kMostError = 1024;

}  // namespace

std::string_view notification_event_name(NotificationEvent event) {
  return name_in(kEvents, event);
}

std::optional<NotificationEvent> notification_event_of(std::string_view name) {
  return value_in(kEvents, name);
}

Expected<bool> add_notification(Connection& connection, AlertId alert, NotificationEvent event) {
  Statement insert = connection.cached(sql::kInsertNotification);
  insert.bind(1, alert).bind(2, notification_event_name(event)).bind(3, now());
  BENCHHUD_TRY(insert.run());
  return connection.changes() > 0;
}

Expected<bool> was_notified(Connection& connection, AlertId alert) {
  Statement query = connection.cached(sql::kNotificationsOfAlert);
  query.bind(1, alert);
  BENCHHUD_ASSIGN(const auto counts,
                  collect(query, [](const Statement& row) { return row.integer(0); }));
  return counts.at(0) > 0;
}

Expected<std::vector<AlertId>> notified_alerts(Connection& connection) {
  return collect(connection.cached(sql::kNotifiedAlerts),
                 [](const Statement& row) { return AlertId(row.integer(0)); });
}

Expected<std::vector<Notification>> undelivered(Connection& connection, std::string_view target,
                                                double since, double now) {
  const std::string day = mute_day(now);
  Statement query = connection.cached(sql::kUndeliveredNotifications);
  query.bind(1, target).bind(2, since).bind(3, day);
  return collect(query, [](const Statement& row) {
    Notification notification;
    notification.id = row.integer(0);
    notification.alert = AlertId(row.integer(1));
    notification.event = notification_event_of(row.text(2)).value_or(NotificationEvent::kConfirmed);
    notification.made_at = row.real(3);
    return notification;
  });
}

Expected<bool> claim_delivery(Connection& connection, std::int64_t notification,
                              std::string_view target, double hold) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  Statement claim = connection.cached(sql::kClaimDelivery);
  claim.bind(1, notification).bind(2, target).bind(3, now()).bind(4, now() - hold);
  BENCHHUD_TRY(claim.run());
  const bool claimed = connection.changes() > 0;
  BENCHHUD_TRY(transaction.commit());
  return claimed;
}

Expected<void> finish_delivery(Connection& connection, std::int64_t notification,
                               std::string_view target, std::string_view error) {
  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  Statement finish = connection.cached(sql::kFinishDelivery);
  finish.bind(1, notification).bind(2, target).bind(3, error.substr(0, kMostError)).bind(4, now());
  BENCHHUD_TRY(finish.run());
  return transaction.commit();
}

}  // namespace benchhud::schema
