#include "analysis/alerts/alert_history.h"

#include <gmock/gmock.h>

#include <vector>

namespace benchhud::analysis {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using enum AlertEventKind;

AlertEvent event(AlertEventKind kind, std::uint32_t night, std::uint32_t count = 0,
                 std::vector<std::uint32_t> members = {}, std::vector<std::uint32_t> alerts = {}) {
  AlertEvent made;
  made.kind = kind;
  made.night = night;
  made.count = count;
  made.members = std::move(members);
  made.alerts = std::move(alerts);
  return made;
}

AlertEvent onset_moved(std::uint32_t night, std::uint32_t from, std::uint32_t to) {
  AlertEvent made = event(kOnsetMoved, night);
  made.from = from;
  made.to = to;
  return made;
}

TEST(AlertHistory, WhatJoinsWithinThreeNightsIsOneEvent) {
  std::vector<AlertEvent> history;
  add_event(&history, event(kConfirmed, 30, 10));
  add_event(&history, event(kJoined, 31, 200, {7, 8, 9, 10}));
  add_event(&history, event(kRecovered, 32));
  add_event(&history, event(kJoined, 34, 300, {1, 2}));
  add_event(&history, event(kJoined, 35, 1, {3}));
  ASSERT_THAT(history, SizeIs(4));
  EXPECT_EQ(history[1].count, 500u);
  EXPECT_EQ(history[1].night, 31u);
  EXPECT_EQ(history[1].last, 34u);
  EXPECT_THAT(history[1].members, ElementsAre(7, 8, 9));
  EXPECT_EQ(history[3].night, 35u) << "four nights after the first of them";
  EXPECT_EQ(history[3].last, 35u);
}

TEST(AlertHistory, AnOnsetThatMovesBackNeverMoved) {
  std::vector<AlertEvent> history;
  add_event(&history, onset_moved(40, 30, 32));
  add_event(&history, onset_moved(41, 32, 33));
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_EQ(history[0].from, 30u);
  EXPECT_EQ(history[0].to, 33u);
  add_event(&history, onset_moved(42, 33, 30));
  EXPECT_THAT(history, testing::IsEmpty());
}

TEST(AlertHistory, AnAlertThatIsTakenInTwiceCountsOnce) {
  std::vector<AlertEvent> history;
  add_event(&history, event(kTookIn, 40, 1, {}, {4}));
  add_event(&history, event(kTookIn, 41, 1, {}, {5}));
  add_event(&history, event(kTookIn, 42, 1, {}, {4}));
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_EQ(history[0].count, 2u);
  EXPECT_THAT(history[0].alerts, ElementsAre(4, 5));
}

TEST(AlertHistory, WhatGoesOnForYearsStaysSmall) {
  std::vector<AlertEvent> history;
  add_event(&history, event(kConfirmed, 0, 1));
  for (std::uint32_t night = 10; night < 4000; night += 10) {
    add_event(&history, event(kRecovered, night));
    add_event(&history, event(kReopened, night + 5));
    add_event(&history, event(kJoined, night + 5, 1, {night}));
  }
  EXPECT_LE(history.size(), kMostAlertEvents);
  EXPECT_EQ(history.front().kind, kConfirmed);
  EXPECT_EQ(history.back().last, 3990u) << "recovered";
  std::uint32_t joined = 0;
  for (const AlertEvent& one : history) {
    if (one.kind == kJoined) joined += one.count;
    EXPECT_LE(one.members.size(), kNamedInEvent);
  }
  EXPECT_EQ(joined, 399u) << "none is left out";
}

TEST(AlertHistory, NamesOfEvents) {
  EXPECT_EQ(alert_event_name(kFirstSeen), "first_seen");
  EXPECT_EQ(alert_event_name(kOnsetMoved), "onset_moved");
  EXPECT_EQ(alert_event_name(kSplit), "split");
}

}  // namespace
}  // namespace benchhud::analysis
