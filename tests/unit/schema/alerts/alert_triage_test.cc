// What people do with several alerts at once, whose an alert becomes, and mutes: when they are in
// force and what ends them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_list.h"
#include "schema/alerts/alert_mute.h"
#include "schema/base/time.h"
#include "schema/db/audit_note.h"
#include "schema/results/maintenance.h"
#include "schema/results/reader.h"
#include "schema/store/migrate.h"
#include "tests/unit/schema/alerts/one_alert.h"

namespace benchhud::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kDay = 86400;  // s

class AlertTriageTest : public ::testing::Test {
 protected:
  AlertTriageTest() { EXPECT_TRUE(migrate(store_)); }

  AlertId add(DetectedState detected = DetectedState::kConfirmed) {
    Alert alert = made(detected);
    const auto id = add_alert(store_, alert);
    EXPECT_TRUE(id) << id.error().message;
    return id ? *id : AlertId();
  }
  static Alert made(DetectedState detected) {
    Alert alert;
    alert.accelerator_model = "A100";
    alert.key = "key";
    alert.onset = 1000;
    alert.detected = detected;
    alert.direction = ChangeDirection::kRegression;
    alert.headline = AlertHeadline{"steady", 0.1, 0.05, 0.15, {}, {}, {}};
    return alert;
  }
  /// What is found of the alert next.
  void find_again(AlertId id, DetectedState detected, std::optional<AlertHeadline> headline) {
    Alert alert = made(detected);
    alert.id = id;
    alert.headline = std::move(headline);
    EXPECT_TRUE(update_alert(store_, alert));
  }
  void act(std::vector<AlertId> ids, std::string_view kind, std::string_view value,
           std::string_view who = "ada") {
    const auto done = act_on_alerts(store_, ids, kind, value, who);
    EXPECT_TRUE(done) << done.error().message;
  }
  std::string refused(std::vector<AlertId> ids, std::string_view kind, std::string_view value) {
    const auto done = act_on_alerts(store_, ids, kind, value, "ada");
    EXPECT_FALSE(done) << kind << " " << value;
    return done ? "" : done.error().message;
  }
  Alert read(AlertId id, double at = now()) {
    const auto read = alert(store_, id, at);
    EXPECT_TRUE(read) << read.error().message;
    return read ? *read : Alert();
  }
  std::vector<std::string> done_with(AlertId id) {
    std::vector<std::string> all;
    const auto actions = alert_actions(store_, id);
    for (const auto& one : *actions) {
      all.push_back(std::string(alert_action_kind_name(one.kind)) + " " + one.value + " " +
                    one.who);
    }
    return all;
  }
  std::vector<std::string> audited() {
    std::vector<std::string> lines;
    const auto kept = audit(store_, 100);
    for (const auto& line : *kept) lines.push_back(line.detail);
    std::reverse(lines.begin(), lines.end());
    return lines;
  }
  std::vector<AlertId> listed(std::vector<std::string> states, double at) {
    AlertFilter filter;
    filter.states = std::move(states);
    filter.now = at;
    std::vector<AlertId> ids;
    const auto found = alerts(store_, filter);
    for (const Alert& alert : *found) ids.push_back(alert.id);
    return ids;
  }
  static std::vector<std::string> attention() {
    return {attention_states().begin(), attention_states().end()};
  }

  Connection store_ = *Connection::open(":memory:", OpenMode::kReadWriteCreate);
};

TEST_F(AlertTriageTest, SeveralAreActedOnInOneTransactionWithAnAuditLineEach) {
  const AlertId a = add(), b = add(), c = add();
  const std::int64_t before = *Reader(store_).revision();
  act({c, a}, "state", "fixed");
  EXPECT_EQ(*Reader(store_).revision(), before + 1);
  EXPECT_EQ(read(a).triage, TriageState::kFixed);
  EXPECT_EQ(read(b).triage, TriageState::kOpen);
  EXPECT_EQ(read(c).triage, TriageState::kFixed);
  EXPECT_THAT(audited(), ElementsAre("3: state=fixed by ada", "1: state=fixed by ada"));
  EXPECT_EQ(read(a).triaged_at, read(c).triaged_at);
}

TEST_F(AlertTriageTest, AllOrNone) {
  const AlertId a = add(), b = add();
  const std::int64_t before = *Reader(store_).revision();
  EXPECT_THAT(refused({a, AlertId(77), b}, "state", "fixed"), HasSubstr("alert 77"));
  EXPECT_THAT(refused({a, b, a}, "state", "fixed"), HasSubstr("alert 1 is named twice"));
  EXPECT_THAT(refused({}, "state", "fixed"), HasSubstr("no alert is named"));
  std::vector<AlertId> many;
  for (std::size_t i = 0; i <= kMostAlertsAtOnce; ++i) many.push_back(AlertId(i + 1));
  EXPECT_THAT(refused(many, "state", "fixed"), HasSubstr("at most 1000"));
  EXPECT_EQ(*Reader(store_).revision(), before);
  EXPECT_THAT(done_with(a), IsEmpty());
  EXPECT_THAT(audited(), IsEmpty());
  EXPECT_EQ(act_on_alerts(store_, std::vector{AlertId(77)}, "note", "x", "").error().code,
            ErrorCode::kNotFound);
}

TEST_F(AlertTriageTest, WhoTakesUpWhatIsNobodysOwnsIt) {
  const AlertId a = add(), b = add(), c = add(), d = add(), e = add();
  act({b}, "owner", "grace");
  act({a, b}, "state", "acknowledged");
  act({c}, "state", "investigating", "bob");
  act({d}, "state", "acknowledged", "");
  act({e}, "state", "fixed");
  EXPECT_EQ(read(a).owner, "ada");
  EXPECT_EQ(read(b).owner, "grace");
  EXPECT_EQ(read(c).owner, "bob");
  EXPECT_EQ(read(d).owner, "") << "nobody said who they are";
  EXPECT_EQ(read(e).owner, "") << "what is decided is nobody's work";
  EXPECT_THAT(done_with(a), ElementsAre("state acknowledged ada", "owner ada ada"));
  EXPECT_THAT(audited(),
              ElementsAre("2: owner=grace by ada", "1: state=acknowledged owner=ada by ada",
                          "2: state=acknowledged by ada", "3: state=investigating owner=bob by bob",
                          "4: state=acknowledged", "5: state=fixed by ada"));
}

TEST_F(AlertTriageTest, AMuteUntilADayIsInForceUntilThatDayBegins) {
  const AlertId muted = add(), other = add();
  const double today = *parse_time(format_date(now()));
  const std::string until = format_date(today + 3 * kDay);
  act({muted}, "mute", until);
  for (const double at : {today, today + 3 * kDay - 1}) {
    EXPECT_EQ(read(muted, at).state, "muted");
    EXPECT_EQ(read(muted, at).urgency, Urgency::kMuted);
    EXPECT_EQ(read(muted, at).muted_until, until);
    EXPECT_FALSE(needs_attention(read(muted, at)));
    EXPECT_THAT(listed(attention(), at), ElementsAre(other));
    EXPECT_THAT(listed({"confirmed"}, at), ElementsAre(other));
    EXPECT_THAT(listed({"muted"}, at), ElementsAre(muted));
    EXPECT_THAT(listed({"muted", "confirmed"}, at), ElementsAre(muted, other));
    EXPECT_THAT(listed({}, at), ElementsAre(muted, other));
    EXPECT_EQ(*open_alert_count(store_, "", at), 1);
  }
  const double later = today + 3 * kDay;
  EXPECT_EQ(read(muted, later).state, "confirmed");
  EXPECT_EQ(read(muted, later).muted_until, "");
  EXPECT_THAT(listed(attention(), later), ElementsAre(muted, other));
  EXPECT_THAT(listed({"muted"}, later), IsEmpty());
  EXPECT_EQ(*open_alert_count(store_, "", later), 2);
  act({muted}, "mute", "");
  EXPECT_EQ(read(muted, today).state, "confirmed");
}

TEST_F(AlertTriageTest, WhatIsMutedComesBeforeWhatIsClosedAndIsCounted) {
  const AlertId closed = add(), muted = add(), open = add();
  act({closed}, "state", "fixed");
  act({closed, muted}, "mute", "recovered");
  EXPECT_EQ(read(closed).state, "fixed") << "what is decided is decided, muted or not";
  AlertFilter all;
  all.now = now();
  const AlertPage first = *alert_page(store_, all, true, {}, 2);
  EXPECT_EQ(first.counts[static_cast<std::size_t>(Urgency::kMuted)], 1);
  EXPECT_EQ(first.counts[static_cast<std::size_t>(Urgency::kClosed)], 1);
  ASSERT_EQ(first.alerts.size(), 2u);
  EXPECT_EQ(first.alerts[0].id, open);
  EXPECT_EQ(first.alerts[1].id, muted);
  const Alert& last = first.alerts[1];
  const AlertPage second =
      *alert_page(store_, all, true, AlertPlace{last.urgency, last.weight, last.onset, last.id}, 2);
  ASSERT_EQ(second.alerts.size(), 1u);
  EXPECT_EQ(second.alerts[0].id, closed);
  std::int64_t counted = 0;
  const auto counts = alert_counts(store_, now());
  for (const AlertCount& one : *counts) {
    if (one.is_muted) counted += one.count;
  }
  EXPECT_EQ(counted, 1);
}

TEST_F(AlertTriageTest, AMuteUntilAStateEndsForGood) {
  using enum DetectedState;
  const auto same = made(kConfirmed).headline;
  const AlertId suspect = add(kSuspect);
  act({suspect}, "mute", "confirmed");
  find_again(suspect, kSuspect, AlertHeadline{"steady", 0.2, 0.15, 0.25, {}, {}, {}});
  EXPECT_EQ(read(suspect).state, "muted");
  find_again(suspect, kConfirmed, same);
  EXPECT_EQ(read(suspect).state, "confirmed");
  find_again(suspect, kSuspect, same);
  EXPECT_EQ(read(suspect).state, "suspect") << "it is not in force again";

  const AlertId recovers = add();
  act({recovers}, "mute", "recovered");
  find_again(recovers, kRecovered, same);
  EXPECT_EQ(read(recovers).state, "recovered");
  EXPECT_EQ(read(recovers).muted_until, "");
  find_again(recovers, kConfirmed, same);
  EXPECT_EQ(read(recovers).state, "confirmed");

  const AlertId goes = add();
  act({goes}, "mute", "recovered");
  ASSERT_TRUE(withdraw_alert(store_, goes, ""));
  find_again(goes, kConfirmed, same);
  EXPECT_EQ(read(goes).state, "confirmed");
}

TEST_F(AlertTriageTest, AMuteUntilItIsWorseEndsBeyondTheInterval) {
  using enum DetectedState;
  const auto of = [](double effect) {
    return AlertHeadline{"steady", effect, effect - 0.05, effect + 0.05, {}, {}, {}};
  };
  const AlertId slower = add();
  act({slower}, "mute", "worse");
  find_again(slower, kConfirmed, of(0.149));
  EXPECT_EQ(read(slower).state, "muted");
  find_again(slower, kConfirmed, of(0.05));
  EXPECT_EQ(read(slower).state, "muted");
  find_again(slower, kConfirmed, of(0.151));
  EXPECT_EQ(read(slower).state, "confirmed") << "of the interval when it was muted";

  const AlertId other = add();
  act({other}, "mute", "worse");
  find_again(other, kConfirmed, AlertHeadline{"verification", {}, {}, {}, "PASS", "FAIL", {}});
  EXPECT_EQ(read(other).state, "confirmed") << "it is about something else now";
}

TEST_F(AlertTriageTest, AMuteThatWouldEndAtOnceIsRefused) {
  using enum DetectedState;
  const AlertId confirmed = add(), over = add(kRecovered);
  EXPECT_THAT(refused({confirmed}, "mute", format_date(now())), HasSubstr("has begun"));
  EXPECT_THAT(refused({confirmed}, "mute", "2001-01-01"),
              HasSubstr("alert 1 cannot be muted until 2001-01-01"));
  EXPECT_THAT(refused({confirmed}, "mute", "confirmed"), HasSubstr("it is confirmed"));
  EXPECT_THAT(refused({over}, "mute", "recovered"), HasSubstr("alert 2"));
  find_again(confirmed, kConfirmed, AlertHeadline{"verification", {}, {}, {}, "PASS", "FAIL", {}});
  EXPECT_THAT(refused({confirmed}, "mute", "worse"), HasSubstr("interval"));
  for (const char* wrong : {"2026-02-30", "2026-13-01", "2999-1-1", "2999-01-01T00:00:00Z", "soon",
                            "suspect", "29990101", " 2999-01-01", "4102444800"}) {
    EXPECT_THAT(refused({confirmed}, "mute", wrong), HasSubstr("confirmed, recovered or worse"))
        << wrong;
  }
  EXPECT_THAT(done_with(confirmed), IsEmpty());
  act({over}, "mute", "2999-01-01");
  EXPECT_EQ(read(over).state, "recovered");
}

TEST(AlertMute, TheDayIsComparedAsAText) {
  EXPECT_EQ(mute_day(1795478400), "2026-11-24");
  EXPECT_LT(std::string("9999-12-31"), std::string(mute_end_name(MuteEnd::kConfirmed)));
  for (const auto end : {MuteEnd::kConfirmed, MuteEnd::kRecovered, MuteEnd::kWorse}) {
    EXPECT_LT(mute_end_name(end), mute_day(kWithoutMutes));
    EXPECT_EQ(mute_end_of(mute_end_name(end)), end);
  }
}

}  // namespace
}  // namespace benchhud::schema
