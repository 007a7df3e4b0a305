// Each is made once, and delivered once to each target.
#include "schema/alerts/notification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/base/time.h"
#include "schema/store/migrate.h"
#include "tests/unit/schema/alerts/one_alert.h"

namespace benchhud::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kHold = 60;
constexpr double kDay = 86400;
constexpr double kNow = 1795478400;  // 2026-11-24

class NotificationTest : public ::testing::Test {
 protected:
  NotificationTest() {
    EXPECT_TRUE(migrate(store_));
    for (AlertId* id : {&first_, &second_}) {
      Alert alert;
      alert.accelerator_model = "A100";
      alert.key = "key";
      const auto added = add_alert(store_, alert);
      EXPECT_TRUE(added);
      if (added) *id = *added;
    }
  }

  bool add(AlertId alert, NotificationEvent event) {
    const auto is_new = add_notification(store_, alert, event);
    EXPECT_TRUE(is_new) << is_new.error().message;
    return is_new && *is_new;
  }
  std::vector<Notification> left(const std::string& target, double since = 0) {
    const auto some = undelivered(store_, target, since, kNow);
    EXPECT_TRUE(some) << some.error().message;
    return some ? *some : std::vector<Notification>();
  }
  bool claim(std::int64_t notification, const std::string& target, double hold = kHold) {
    const auto claimed = claim_delivery(store_, notification, target, hold);
    EXPECT_TRUE(claimed) << claimed.error().message;
    return claimed && *claimed;
  }

  Connection store_ = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
  AlertId first_{}, second_{};
};

TEST_F(NotificationTest, EventsHaveNamesThatReadBack) {
  for (const auto event : {NotificationEvent::kConfirmed, NotificationEvent::kRecovered}) {
    EXPECT_EQ(notification_event_of(notification_event_name(event)), event);
  }
  EXPECT_EQ(notification_event_of("suspect"), std::nullopt);
}

TEST_F(NotificationTest, OneOfEachEventOfAnAlert) {
  EXPECT_EQ(*was_notified(store_, first_), false);
  EXPECT_TRUE(add(first_, NotificationEvent::kConfirmed));
  EXPECT_FALSE(add(first_, NotificationEvent::kConfirmed));
  EXPECT_TRUE(add(first_, NotificationEvent::kRecovered));
  EXPECT_TRUE(add(second_, NotificationEvent::kConfirmed));
  EXPECT_EQ(*was_notified(store_, first_), true);
  const auto all = left("hook");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].alert, first_);
  EXPECT_EQ(all[1].event, NotificationEvent::kRecovered);
  EXPECT_EQ(all[2].alert, second_);
  EXPECT_THAT(left("hook", now() + 10), IsEmpty()) << "only what was made since then";
}

TEST_F(NotificationTest, IsDeliveredOnceToEachTarget) {
  add(first_, NotificationEvent::kConfirmed);
  const std::int64_t id = left("hook").at(0).id;
  EXPECT_TRUE(claim(id, "hook"));
  EXPECT_FALSE(claim(id, "hook")) << "somebody is at it";
  EXPECT_TRUE(claim(id, "other hook"));
  ASSERT_TRUE(finish_delivery(store_, id, "hook", ""));
  EXPECT_FALSE(claim(id, "hook", 0)) << "it was delivered";
  EXPECT_THAT(left("hook"), IsEmpty());
  EXPECT_EQ(left("other hook").size(), 1u);
}

TEST_F(NotificationTest, OneThatFailedIsTriedAgain) {
  add(first_, NotificationEvent::kConfirmed);
  const std::int64_t id = left("hook").at(0).id;
  ASSERT_TRUE(claim(id, "hook"));
  // Who took it on went away: after the time it was held for, another may.
  EXPECT_TRUE(claim(id, "hook", -1));
  ASSERT_TRUE(finish_delivery(store_, id, "hook", "connection refused"));
  EXPECT_EQ(left("hook").size(), 1u);
  EXPECT_TRUE(claim(id, "hook", -1));
  ASSERT_TRUE(finish_delivery(store_, id, "hook", ""));
  EXPECT_THAT(left("hook"), IsEmpty());
}

TEST_F(NotificationTest, NobodyHearsOfWhatIsMuted) {
  Alert found;
  found.id = first_;
  found.detected = DetectedState::kConfirmed;
  ASSERT_TRUE(update_alert(store_, found));
  add(first_, NotificationEvent::kConfirmed);
  add(second_, NotificationEvent::kConfirmed);
  const std::string until = format_date(now() + 2 * kDay);
  ASSERT_TRUE(act_on_alert(store_, first_, "mute", until, "ada"));
  const auto heard = [&](double at) {
    std::vector<std::pair<AlertId, NotificationEvent>> all;
    const auto some = undelivered(store_, "hook", 0, at);
    for (const auto& one : *some) {
      all.emplace_back(one.alert, one.event);
    }
    return all;
  };
  using enum NotificationEvent;
  EXPECT_THAT(heard(now()), ElementsAre(std::pair(second_, kConfirmed)));
  const double later = now() + 3 * kDay;
  EXPECT_THAT(heard(later),
              ElementsAre(std::pair(first_, kConfirmed), std::pair(second_, kConfirmed)))
      << "it is still so";

  // It ends before anybody heard of it.
  found.detected = DetectedState::kRecovered;
  ASSERT_TRUE(update_alert(store_, found));
  add(first_, kRecovered);
  EXPECT_THAT(heard(later), ElementsAre(std::pair(second_, kConfirmed)));
}

TEST_F(NotificationTest, AMuteInWhichNothingBecameNewsIsForgotten) {
  Alert found;
  found.id = first_;
  found.detected = DetectedState::kConfirmed;
  ASSERT_TRUE(update_alert(store_, found));
  ASSERT_TRUE(act_on_alert(store_, first_, "mute", "recovered", "ada"));
  ASSERT_TRUE(act_on_alert(store_, first_, "mute", "", "ada"));
  add(first_, NotificationEvent::kConfirmed);
  ASSERT_TRUE(act_on_alert(store_, first_, "mute", format_date(now() + 2 * kDay), "ada"));
  ASSERT_TRUE(act_on_alert(store_, first_, "mute", "", "ada"));
  found.detected = DetectedState::kRecovered;
  ASSERT_TRUE(update_alert(store_, found));
  add(first_, NotificationEvent::kRecovered);
  EXPECT_EQ(left("hook").size(), 2u) << "both mutes were taken back before";
}

TEST_F(NotificationTest, AMuteThatWasTakenBackLaterCounts) {
  Alert found;
  found.id = first_;
  found.detected = DetectedState::kConfirmed;
  ASSERT_TRUE(update_alert(store_, found));
  ASSERT_TRUE(act_on_alert(store_, first_, "mute", "recovered", "ada"));
  add(first_, NotificationEvent::kConfirmed);
  ASSERT_TRUE(act_on_alert(store_, first_, "mute", "", "ada"));
  EXPECT_EQ(left("hook").size(), 1u) << "it is still so";
  found.detected = DetectedState::kRecovered;
  ASSERT_TRUE(update_alert(store_, found));
  add(first_, NotificationEvent::kRecovered);
  EXPECT_THAT(left("hook"), IsEmpty());
}

TEST_F(NotificationTest, TheEndIsToldWhereTheBeginningWas) {
  add(first_, NotificationEvent::kConfirmed);
  const std::int64_t id = left("hook").at(0).id;
  ASSERT_TRUE(claim(id, "hook"));
  ASSERT_TRUE(finish_delivery(store_, id, "hook", ""));
  ASSERT_TRUE(act_on_alert(store_, first_, "mute", "recovered", "ada"));
  Alert found;
  found.id = first_;
  found.detected = DetectedState::kRecovered;
  ASSERT_TRUE(update_alert(store_, found));
  add(first_, NotificationEvent::kRecovered);
  ASSERT_EQ(left("hook").size(), 1u);
  EXPECT_EQ(left("hook")[0].event, NotificationEvent::kRecovered);
  EXPECT_THAT(left("another"), IsEmpty());
}

}  // namespace
}  // namespace benchhud::schema
