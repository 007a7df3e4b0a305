// Each is made once, and delivered once to each target.
#include "schema/alerts/notification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/base/time.h"
#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kHold = 60;

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
    const auto some = undelivered(store_, target, since);
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

}  // namespace
}  // namespace benchhud::schema
