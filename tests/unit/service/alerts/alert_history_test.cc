#include "service/alerts/alert_history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/alerts/alert_history.h"
#include "schema/alerts/alert_list.h"
#include "schema/alerts/alert_writer.h"
#include "schema/results/maintenance.h"
#include "service/alerts/alert_rules_file.h"
#include "tests/unit/service/alerts/alert_fixture.h"

namespace benchhud::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// What happened to alerts, and what becomes of those that people acted on.
class AlertHistories : public AlertFixture {
 protected:
  void act(schema::AlertId id, const std::string& kind, const std::string& value) {
    ASSERT_TRUE(schema::act_on_alert(*connection_, id, kind, value, "ada"));
  }
  schema::Alert alert(schema::AlertId id) {
    const auto found = schema::alert(*connection_, id);
    EXPECT_TRUE(found);
    return found ? *found : schema::Alert();
  }
  std::vector<schema::AlertId> orphaned() {
    schema::AlertFilter filter;
    filter.states = {"orphaned"};
    const auto found = schema::alerts(*connection_, filter);
    EXPECT_TRUE(found);
    std::vector<schema::AlertId> ids;
    for (const schema::Alert& one : *found) {
      EXPECT_TRUE(one.is_orphaned);
      ids.push_back(one.id);
    }
    return ids;
  }
  /// "first_seen 20", "joined 24-25 1 [alpha inductor steady]"; nights by their days.
  std::vector<std::string> history(schema::AlertId id) {
    const auto events = schema::alert_history(*connection_, id);
    EXPECT_TRUE(events) << events.error().message;
    schema::Reader reader(*connection_);
    const auto day = [&](schema::RunId run) {
      return fmt::format("{}", (reader.run(run)->started_at - kFirst) / kDay);
    };
    std::vector<std::string> texts;
    for (const schema::AlertEvent& event : *events) {
      std::string text = event.kind + " " + day(event.run);
      if (event.last) text += "-" + day(*event.last);
      if (event.count > 0) text += fmt::format(" {}", event.count);
      if (event.from) text += fmt::format(" {} to {}", day(*event.from), day(*event.to));
      for (const auto& series : event.series) {
        text += fmt::format(" [{} {} {}]", series.model, series.configuration, series.metric);
      }
      for (const schema::AlertId other : event.alerts) text += fmt::format(" #{}", to_int(other));
      texts.push_back(text);
    }
    return texts;
  }
  /// All alerts are found again, as by another version of the detector.
  void forget_state() {
    ASSERT_TRUE(connection_->execute("DELETE FROM setting WHERE key = 'alerts_state'"));
    ASSERT_TRUE(connection_->execute("DELETE FROM watch_state"));
  }
  /// The alert as a version stored it that called what it is about something else.
  void make_foreign(schema::AlertId id) {
    ASSERT_TRUE(connection_->execute(
        fmt::format("UPDATE alert SET key = 'another subject' WHERE id = {}", to_int(id))));
    forget_state();
  }
  schema::AlertId slow_alert() {
    nights(0, 19, quiet_);
    nights(20, 26, slow_);
    update();
    EXPECT_THAT(confirmed(), SizeIs(1));
    return confirmed().at(0).id;
  }
};

TEST_F(AlertHistories, SaysWhatHappenedByNight) {
  const schema::AlertId id = slow_alert();
  nights(27, 40, quiet_);
  update();
  const auto events = history(id);
  ASSERT_GE(events.size(), 3u);
  EXPECT_EQ(events.front(), "first_seen 20");
  EXPECT_THAT(events[1], testing::StartsWith("confirmed 22"));
  EXPECT_THAT(events.back(), testing::StartsWith("recovered 2"));
}

TEST_F(AlertHistories, TheSameNightsGiveTheSameHistoryHoweverTheyCame) {
  std::map<int, std::map<std::string, double>> all;
  for (int n = 0; n < 60; ++n) {
    all[n] = quiet_;
    if (n >= 20 && n < 45) all[n] = slow_;
    if (n >= 22 && n < 50) all[n]["beta"] = 2.3;
  }
  std::map<std::string, std::vector<std::string>> at_once;
  const auto histories = [&] {
    std::map<std::string, std::vector<std::string>> by_key;
    for (const schema::Alert& one : alerts()) by_key[one.key] = history(one.id);
    return by_key;
  };
  for (const auto& [n, models] : all) night(n, models);
  update();
  at_once = histories();
  EXPECT_GE(at_once.size(), 2u);
  forget_state();
  update();
  EXPECT_EQ(histories(), at_once) << "found again";
  for (const auto& [n, models] : all) ASSERT_TRUE(schema::delete_run(*connection_, run_at(n)));
  update();
  for (auto one = all.rbegin(); one != all.rend(); ++one) night(one->first, one->second);
  update();
  EXPECT_EQ(histories(), at_once) << "the last night first";
  for (const auto& [n, models] : all) ASSERT_TRUE(schema::delete_run(*connection_, run_at(n)));
  update();
  for (const auto& [n, models] : all) {
    night(n, models);
    update();
  }
  std::map<std::string, std::vector<std::string>> one_by_one = histories();
  std::erase_if(one_by_one, [&](const auto& one) { return !at_once.contains(one.first); });
  EXPECT_EQ(one_by_one, at_once) << "one by one";
}

TEST_F(AlertHistories, ALateNightIsInItAsIfItHadAlwaysBeenThere) {
  nights(0, 18, quiet_);
  nights(21, 26, slow_);
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  const schema::AlertId id = confirmed()[0].id;
  act(id, "state", "acknowledged");
  EXPECT_EQ(history(id).front(), "first_seen 21");
  night(20, slow_);
  night(19, quiet_);
  update();
  EXPECT_EQ(confirmed().at(0).id, id);
  EXPECT_EQ(confirmed().at(0).owner, "ada");
  EXPECT_EQ(history(id).front(), "first_seen 20");
  EXPECT_THAT(orphaned(), IsEmpty());
}

TEST_F(AlertHistories, WhatPeopleActedOnAndIsNotFoundAnyMoreIsOrphaned) {
  const schema::AlertId id = slow_alert();
  act(id, "state", "investigating");
  make_foreign(id);
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  const schema::AlertId other = confirmed()[0].id;
  EXPECT_NE(other, id);
  EXPECT_THAT(orphaned(), ElementsAre(id));
  EXPECT_EQ(alert(id).successor, other) << "it tells of the same series";
  EXPECT_EQ(alert(id).triage, schema::TriageState::kInvestigating);
  EXPECT_EQ(alert(id).detected, schema::DetectedState::kWithdrawn);
  EXPECT_EQ(alert(other).successor, std::nullopt);
  EXPECT_FALSE(alert(other).is_orphaned);
  EXPECT_FALSE(history(id).empty()) << "it keeps its history";
  forget_state();
  update();
  EXPECT_THAT(orphaned(), ElementsAre(id)) << "until somebody decides";
  act(id, "state", "fixed");
  EXPECT_THAT(orphaned(), IsEmpty());
  act(id, "state", "open");
  EXPECT_THAT(orphaned(), ElementsAre(id));
}

TEST_F(AlertHistories, AnOrphanNeedsNoSuccessorAndIsNoneOnceItIsFoundAgain) {
  const schema::AlertId id = slow_alert();
  act(id, "note", "since the driver");
  ASSERT_TRUE(
      keep_alert_rules(*connection_, R"({"series": [{"model": "alpha", "watch": false}]})"));
  update();
  EXPECT_THAT(confirmed(), IsEmpty());
  EXPECT_THAT(orphaned(), ElementsAre(id));
  EXPECT_EQ(alert(id).successor, std::nullopt);
  ASSERT_TRUE(keep_alert_rules(*connection_, "{}"));
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  EXPECT_EQ(confirmed()[0].id, id);
  EXPECT_THAT(orphaned(), IsEmpty());
  EXPECT_FALSE(alert(id).is_orphaned);
}

TEST_F(AlertHistories, WhatNobodyActedOnIsNoOrphan) {
  const schema::AlertId id = slow_alert();
  make_foreign(id);
  update();
  EXPECT_EQ(alert(id).detected, schema::DetectedState::kWithdrawn);
  act(id, "note", "where did it go?");
  forget_state();
  update();
  EXPECT_THAT(orphaned(), IsEmpty()) << "they knew";
}

TEST_F(AlertHistories, WhatWasOverOrDecidedIsNoOrphan) {
  const schema::AlertId id = slow_alert();
  act(id, "state", "wont_fix");
  make_foreign(id);
  update();
  EXPECT_THAT(orphaned(), IsEmpty()) << "decided";
  const schema::AlertId other = confirmed().at(0).id;
  act(other, "note", "since the driver");
  nights(27, 40, quiet_);
  update();
  ASSERT_EQ(alert(other).detected, schema::DetectedState::kRecovered);
  make_foreign(other);
  update();
  EXPECT_EQ(alert(other).detected, schema::DetectedState::kWithdrawn);
  EXPECT_THAT(orphaned(), IsEmpty()) << "recovered";
}

TEST_F(AlertHistories, WhatPeopleExplainedOrPrunedIsNoOrphan) {
  const schema::AlertId id = slow_alert();
  act(id, "state", "acknowledged");
  for (const auto kind : {schema::NightMarkKind::kEnvironment, schema::NightMarkKind::kExcluded}) {
    mark(20, kind);
    for (int n = 21; n <= 26 && kind == schema::NightMarkKind::kExcluded; ++n) mark(n, kind);
    update();
    EXPECT_EQ(alert(id).detected, schema::DetectedState::kWithdrawn);
    EXPECT_THAT(orphaned(), IsEmpty());
    for (int n = 20; n <= 26; ++n) {
      const schema::Run run = run_at(n);
      if (n > 20 && kind != schema::NightMarkKind::kExcluded) continue;
      ASSERT_TRUE(schema::unmark_nights(*connection_, std::span(&run, 1), kind));
    }
    update();
    EXPECT_EQ(alert(id).detected, schema::DetectedState::kConfirmed);
  }
  for (int n = 0; n <= 22; ++n) ASSERT_TRUE(schema::delete_run(*connection_, run_at(n)));
  update();
  EXPECT_EQ(alert(id).detected, schema::DetectedState::kWithdrawn);
  EXPECT_THAT(orphaned(), IsEmpty()) << "its nights are gone";
  for (int n = 23; n <= 26; ++n) ASSERT_TRUE(schema::delete_run(*connection_, run_at(n)));
  update();
  EXPECT_THAT(orphaned(), IsEmpty());
}

TEST_F(AlertHistories, WhereOnlyTheNightsOfTheChangeWereDeletedThatExplainsIt) {
  const schema::AlertId id = slow_alert();
  act(id, "state", "acknowledged");
  for (int n = 20; n <= 26; ++n) ASSERT_TRUE(schema::delete_run(*connection_, run_at(n)));
  update();
  EXPECT_EQ(alert(id).detected, schema::DetectedState::kWithdrawn);
  EXPECT_THAT(orphaned(), IsEmpty());
}

TEST_F(AlertHistories, NamesAreKeptAsTheyAre) {
  const std::string name = "\"]'; DROP TABLE alert; --\\ <b>\xc3\xa9";
  schema::AlertEvent event;
  event.kind = "joined";
  event.run = schema::RunId{3};
  event.last = schema::RunId{4};
  event.count = 500;
  event.series = {{schema::ExperimentId{7}, name, name, name, name, name}};
  event.alerts = {schema::AlertId{1}, schema::AlertId{2}};
  schema::AlertEvent moved;
  moved.kind = "onset_moved";
  moved.run = schema::RunId{5};
  moved.from = schema::RunId{1};
  moved.to = schema::RunId{2};
  const std::vector events = {event, moved};
  schema::AlertWriter writer(*connection_);
  ASSERT_TRUE(writer.put_history(schema::AlertId{9}, events));
  ASSERT_TRUE(writer.flush());
  EXPECT_EQ(*schema::alert_history(*connection_, schema::AlertId{9}), events);
  EXPECT_THAT(*schema::alert_history(*connection_, schema::AlertId{10}), IsEmpty());
}

}  // namespace
}  // namespace benchhud::service
