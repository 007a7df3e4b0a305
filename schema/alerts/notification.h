// What people are told who do not look, and whether it reached them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "schema/model/types.h"

namespace benchhud::schema {

enum class NotificationEvent : std::uint8_t {
  kConfirmed,  ///< an alert is sure now
  kRecovered,  ///< one that was told of is over by itself
};
/// "confirmed", "recovered".
std::string_view notification_event_name(NotificationEvent event);
std::optional<NotificationEvent> notification_event_of(std::string_view name);

struct Notification {
  std::int64_t id = 0;  ///< never given twice
  AlertId alert{};
  NotificationEvent event{};
  double made_at = 0;  ///< seconds since 1970, UTC
};

/// Makes a notification unless that of this alert and event was made before. Returns whether it is
/// new. The caller holds the write transaction.
Expected<bool> add_notification(Connection& connection, AlertId alert, NotificationEvent event);
/// Whether any was ever made of an alert.
Expected<bool> was_notified(Connection& connection, AlertId alert);
/// All of which that is so, by number.
Expected<std::vector<AlertId>> notified_alerts(Connection& connection);

/// Those that were made since `since` and have not reached `target`, oldest first: not of alerts
/// that are muted at `now`. What became news while an alert was muted is told afterwards if it is
/// still so and was made since `since`; the end of an alert that was ever muted, only where its
/// beginning was.
Expected<std::vector<Notification>> undelivered(Connection& connection, std::string_view target,
                                                double since, double now);
/// Takes on to deliver one: nobody else does within `hold` seconds. False: somebody else has, or it
/// was delivered. One transaction.
Expected<bool> claim_delivery(Connection& connection, std::int64_t notification,
                              std::string_view target, double hold);
/// Says what became of it: delivered, or why not ("" for delivered). One transaction.
Expected<void> finish_delivery(Connection& connection, std::int64_t notification,
                               std::string_view target, std::string_view error);

}  // namespace benchhud::schema
