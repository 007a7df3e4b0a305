// Alerts come back as they went in; what people did with them is folded, and no rebuild drops it.

#include "schema/alerts/alert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "schema/base/text_limits.h"
#include "schema/results/maintenance.h"
#include "schema/results/reader.h"
#include "schema/store/migrate.h"

namespace benchhud::schema {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Connection empty_store() {
  auto connection = Connection::open(":memory:", OpenMode::kReadWriteCreate);
  EXPECT_TRUE(connection && migrate(*connection));
  return *std::move(connection);
}

// What is found in the tests.
Alert found(const std::string& accelerator_model = "A100") {
  Alert alert;
  alert.accelerator_model = accelerator_model;
  alert.key = "torchbench/resnet18";
  alert.onset = 1761955200.25;
  alert.first_seen = 1762041600.5;
  alert.details = R"({"series":[1,2]})";
  return alert;
}

class AlertTest : public ::testing::Test {
 protected:
  AlertId add(const Alert& alert) {
    const auto id = add_alert(store_, alert);
    EXPECT_TRUE(id) << id.error().message;
    return id ? *id : AlertId();
  }
  Alert read(AlertId id) {
    const auto read = alert(store_, id);
    EXPECT_TRUE(read) << read.error().message;
    return read ? *read : Alert();
  }
  void act(AlertId id, std::string_view kind, std::string_view value,
           std::string_view who = "ada") {
    const auto done = act_on_alert(store_, id, kind, value, who);
    EXPECT_TRUE(done) << done.error().message;
  }
  std::vector<AlertAction> actions(AlertId id) {
    const auto actions = alert_actions(store_, id);
    EXPECT_TRUE(actions);
    return actions ? *actions : std::vector<AlertAction>();
  }
  std::int64_t revision() { return *Reader(store_).revision(); }

  Connection store_ = empty_store();
};

void expect_same_finding(const Alert& a, const Alert& b) {
  EXPECT_EQ(a.accelerator_model, b.accelerator_model);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.onset, b.onset);
  EXPECT_EQ(a.detected, b.detected);
  EXPECT_EQ(a.first_seen, b.first_seen);
  EXPECT_EQ(a.confirmed_at, b.confirmed_at);
  EXPECT_EQ(a.details, b.details);
}

TEST(AlertNames, AreReadBackAndTellAllApart) {
  std::set<std::string_view> names;
  for (int i = 0; i < 4; ++i) {
    const auto state = DetectedState(i);
    EXPECT_EQ(detected_state_of(detected_state_name(state)), state);
    names.insert(detected_state_name(state));
    const auto kind = AlertActionKind(i);
    EXPECT_EQ(alert_action_kind_of(alert_action_kind_name(kind)), kind);
    names.insert(alert_action_kind_name(kind));
  }
  for (int i = 0; i < 7; ++i) {
    const auto state = TriageState(i);
    EXPECT_EQ(triage_state_of(triage_state_name(state)), state);
    names.insert(triage_state_name(state));
  }
  EXPECT_EQ(names.size(), 15u);
  EXPECT_EQ(names.count(""), 0u);
  EXPECT_EQ(detected_state_of(""), std::nullopt);
  EXPECT_EQ(triage_state_of("Open"), std::nullopt);
  EXPECT_EQ(alert_action_kind_of("state "), std::nullopt);
}

TEST_F(AlertTest, ComesBackAsItWentIn) {
  const Alert suspect = found();
  Alert confirmed = found("");
  confirmed.detected = DetectedState::kConfirmed;
  confirmed.confirmed_at = 1762128000.125;
  const AlertId first = add(suspect);
  const AlertId second = add(confirmed);
  expect_same_finding(read(first), suspect);
  expect_same_finding(read(second), confirmed);
  EXPECT_EQ(read(second).id, second);
  EXPECT_EQ(read(first).triage, TriageState::kOpen);
  EXPECT_EQ(read(first).triaged_at, std::nullopt);
  EXPECT_EQ(read(first).owner, "");
  EXPECT_EQ(read(first).link, "");
  EXPECT_THAT(actions(first), IsEmpty());
}

TEST_F(AlertTest, AreListedByNumberAndAcceleratorModel) {
  const AlertId first = add(found("V100"));
  const AlertId second = add(found("A100"));
  const AlertId third = add(found("V100"));
  act(third, "owner", "ada");
  const auto ids = [&](std::optional<std::string_view> model) {
    const auto listed = alerts(store_, model);
    std::vector<AlertId> numbers;
    for (const Alert& each : *listed) numbers.push_back(each.id);
    return numbers;
  };
  EXPECT_THAT(ids({}), ElementsAre(first, second, third));
  EXPECT_THAT(ids("V100"), ElementsAre(first, third));
  EXPECT_THAT(ids("v100"), IsEmpty());
  EXPECT_EQ(alerts(store_, "V100")->back().owner, "ada");
}

TEST_F(AlertTest, AnUpdateSetsWhatIsFoundAndLeavesTheRest) {
  const AlertId id = add(found());
  act(id, "state", "acknowledged");
  Alert changed = found("V100");
  changed.id = id;
  changed.key = "another";
  changed.first_seen = 1;
  changed.onset = 2;
  changed.detected = DetectedState::kRecovered;
  changed.confirmed_at = 3;
  changed.details = "{}";
  changed.triage = TriageState::kFixed;
  const std::int64_t before = revision();
  EXPECT_TRUE(*update_alert(store_, changed));
  EXPECT_EQ(revision(), before + 1);
  Alert expected = changed;
  expected.accelerator_model = found().accelerator_model;
  expected.key = found().key;
  expected.first_seen = found().first_seen;
  expect_same_finding(read(id), expected);
  EXPECT_EQ(read(id).triage, TriageState::kAcknowledged);

  EXPECT_FALSE(*update_alert(store_, changed));
  EXPECT_EQ(revision(), before + 1);
  changed.confirmed_at = std::nullopt;
  EXPECT_TRUE(*update_alert(store_, changed));
  EXPECT_EQ(read(id).confirmed_at, std::nullopt);
}

TEST_F(AlertTest, ANumberIsNeverGivenTwice) {
  const AlertId first = add(found());
  ASSERT_TRUE(delete_alert(store_, first));
  EXPECT_THAT(*alerts(store_), IsEmpty());
  EXPECT_GT(to_int(add(found())), to_int(first));
}

TEST_F(AlertTest, OneThatPeopleActedOnIsNotDeleted) {
  const AlertId id = add(found());
  act(id, "note", "I know this one");
  const auto deleted = delete_alert(store_, id);
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, ErrorCode::kConflict);
  EXPECT_EQ(alerts(store_)->size(), 1u);
}

TEST_F(AlertTest, OneThatIsNotThereIsNotFound) {
  const auto nowhere = AlertId(7);
  Alert changed = found();
  changed.id = nowhere;
  EXPECT_EQ(alert(store_, nowhere).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(update_alert(store_, changed).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(delete_alert(store_, nowhere).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(act_on_alert(store_, nowhere, "note", "x", "ada").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(actions(nowhere), IsEmpty());
  EXPECT_THAT(*audit(store_, 10), IsEmpty());
}

TEST_F(AlertTest, TheLastActionOfAKindCounts) {
  const AlertId id = add(found());
  const AlertId other = add(found());
  act(id, "state", "investigating");
  act(id, "owner", "ada");
  act(other, "state", "invalid");
  act(id, "link", "https://example.org/1");
  act(id, "note", "fixed");
  act(id, "owner", "grace", "grace");
  EXPECT_EQ(read(id).triage, TriageState::kInvestigating);
  EXPECT_EQ(read(id).owner, "grace");
  EXPECT_EQ(read(id).link, "https://example.org/1");
  EXPECT_EQ(read(other).triage, TriageState::kInvalid);

  act(id, "owner", "");
  act(id, "link", "");
  act(id, "state", "wont_fix");
  act(id, "state", "open");
  EXPECT_EQ(read(id).owner, "");
  EXPECT_EQ(read(id).link, "");
  EXPECT_EQ(read(id).triage, TriageState::kOpen);

  const auto all = actions(id);
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(read(id).triaged_at, all.back().at);
  EXPECT_EQ(all[0].alert, id);
  EXPECT_EQ(all[0].kind, AlertActionKind::kState);
  EXPECT_EQ(all[0].value, "investigating");
  EXPECT_EQ(all[4].who, "grace");
  EXPECT_GT(all[0].at, 1.7e9);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const auto& a, const auto& b) { return a.id < b.id; }));
}

TEST_F(AlertTest, AnActionCountsARevisionAndIsInTheAudit) {
  const AlertId id = add(found());
  const std::int64_t before = revision();
  act(id, "state", "fixed");
  act(id, "note", "since the driver's update", "");
  EXPECT_EQ(revision(), before + 2);
  const auto lines = audit(store_, 10);
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 2u);
  const std::string number = std::to_string(to_int(id));
  EXPECT_EQ((*lines)[0].action, "alert");
  EXPECT_EQ((*lines)[0].detail, number + ": note");
  EXPECT_EQ((*lines)[1].detail, number + ": state=fixed by ada");
}

TEST_F(AlertTest, WhatIsNotAllowedIsRefusedAndLeavesNothing) {
  const AlertId id = add(found());
  const std::int64_t before = revision();
  const auto refused = [&](std::string_view kind, const std::string& value,
                           const std::string& who = "ada") {
    const auto done = act_on_alert(store_, id, kind, value, who);
    EXPECT_FALSE(done) << kind << " " << value.substr(0, 100);
    return done ? Error{} : done.error();
  };
  const Error kind = refused("close", "x");
  EXPECT_EQ(kind.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(kind.message, HasSubstr("state, note, owner or link"));
  const Error state = refused("state", "closed");
  EXPECT_EQ(state.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(state.message, AllOf(HasSubstr("open, acknowledged, investigating, fixed, wont_fix"),
                                   HasSubstr("invalid or infrastructure")));
  EXPECT_EQ(refused("state", "").code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused("note", "").code, ErrorCode::kInvalidArgument);
  for (const char* const link :
       {"example.org", "javascript:alert(1)", "ftp://example.org", "https://", " https://a.org",
        "https://a.org/\n", "HTTPS//a.org", "https://a.org/ b", "http:/a.org"}) {
    const Error error = refused("link", link);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.message, HasSubstr("https://"));
  }
  EXPECT_EQ(refused("link", std::string("https://a\0b", 11)).code, ErrorCode::kInvalidArgument);

  EXPECT_EQ(refused("note", std::string(1 << 20, 'x')).code, ErrorCode::kTooLarge);
  EXPECT_EQ(refused("note", std::string(kMostNoteBytes + 1, 'x')).code, ErrorCode::kTooLarge);
  EXPECT_EQ(refused("owner", std::string(kMostLineBytes + 1, 'x')).code, ErrorCode::kTooLarge);
  EXPECT_EQ(refused("link", "http://" + std::string(kMostLineBytes, 'x')).code,
            ErrorCode::kTooLarge);
  EXPECT_EQ(refused("note", "x", std::string(kMostLineBytes + 1, 'x')).code, ErrorCode::kTooLarge);

  EXPECT_EQ(revision(), before);
  EXPECT_THAT(actions(id), IsEmpty());
  EXPECT_THAT(*audit(store_, 10), IsEmpty());
}

TEST_F(AlertTest, AnyTextComesBackAsItIs) {
  const std::string texts[] = {
      "it's \"quoted\"; DROP TABLE alert; --",
      std::string("a\0b", 3),
      "\xF0\x9F\x90\xA2 slow",
      "\xFF\xFE not UTF-8",
      "lines\nand\ttabs\r\n",
      "%s {} $1 ?1 :x",
      std::string(kMostLineBytes, '\''),
  };
  for (const std::string& text : texts) {
    Alert alert = found(text);
    alert.key = text;
    alert.details = text;
    const AlertId id = add(alert);
    act(id, "note", text, text);
    act(id, "owner", text, text);
    expect_same_finding(read(id), alert);
    EXPECT_EQ(read(id).owner, text);
    EXPECT_EQ(alerts(store_, text)->size(), 1u);
    const auto all = actions(id);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].value, text);
    EXPECT_EQ(all[0].who, text);
  }
  const AlertId id = add(found());
  act(id, "note", std::string(kMostNoteBytes, '\n'));
  EXPECT_EQ(actions(id).front().value.size(), kMostNoteBytes);
  const std::string link = "https://example.org/?q='\"<script>&#39;%00\xF0\x9F\x90\xA2";
  act(id, "link", link);
  EXPECT_EQ(read(id).link, link);
}

TEST_F(AlertTest, ARebuildLeavesThemAsTheyAre) {
  const AlertId id = add(found());
  act(id, "state", "fixed");
  ASSERT_TRUE(set_alerts_state(store_, "42 rules 1"));
  ASSERT_TRUE(rebuild(store_));
  RunGrouping grouping;
  grouping.by = RunGrouping::By::kNight;
  ASSERT_TRUE(regroup_runs(store_, grouping));
  expect_same_finding(read(id), found());
  EXPECT_EQ(read(id).triage, TriageState::kFixed);
  EXPECT_EQ(*alerts_state(store_), "42 rules 1");
}

TEST_F(AlertTest, WhatTheyWereComputedFromIsKeptAndCountsNoRevision) {
  EXPECT_EQ(*alerts_state(store_), std::nullopt);
  const std::int64_t before = revision();
  ASSERT_TRUE(set_alerts_state(store_, "1"));
  ASSERT_TRUE(set_alerts_state(store_, "2 'rules'"));
  EXPECT_EQ(*alerts_state(store_), "2 'rules'");
  EXPECT_EQ(revision(), before);
}

// --- The store before there were alerts ---

// Every row of every table that is there now, in words.
std::string rows_of(Connection& connection, const std::vector<std::string>& tables) {
  std::string all;
  for (const std::string& table : tables) {
    Statement columns = connection.prepare(
        "SELECT group_concat('quote(\"' || name || '\")', ' || '','' || ') "
        "FROM pragma_table_info('" +
        table + "')");
    if (!columns.step()) continue;
    Statement rows = connection.prepare("SELECT " + std::string(columns.text(0)) + " AS row FROM " +
                                        table + " ORDER BY row");
    while (rows.step()) all += table + ": " + std::string(rows.text(0)) + "\n";
  }
  return all;
}

TEST(AlertMigration, KeepsAllThatAStoreHeldBefore) {
  constexpr int kBefore = 5;
  auto store = Connection::open(":memory:", OpenMode::kReadWriteCreate);
  ASSERT_TRUE(store);
  std::vector<std::filesystem::path> migrations;
  for (const auto& entry : std::filesystem::directory_iterator(BENCHHUD_MIGRATIONS)) {
    migrations.push_back(entry.path());
  }
  std::sort(migrations.begin(), migrations.end());
  ASSERT_GT(migrations.size(), std::size_t{kBefore});
  for (int i = 0; i < kBefore; ++i) {
    std::stringstream text;
    text << std::ifstream(migrations[i]).rdbuf();
    ASSERT_TRUE(store->execute(text.str())) << migrations[i];
  }
  ASSERT_TRUE(store->execute(R"sql(
INSERT INTO setting VALUES ('revision', '9'), ('run_grouping', 'night');
INSERT INTO run VALUES (3, 'A100', 'night', 100.0, NULL, 0, 1);
INSERT INTO run_label VALUES ('A100', 'night', 'k', 'it''s');
INSERT INTO invocation VALUES (1, 'A100', 100.0, NULL, 1, 0, 3);
INSERT INTO audit VALUES (1, 5.0, 'relabel', 'night');
INSERT INTO artifact VALUES
  (1, 'ir', 'n', '/n', '', 'm', NULL, '', x'01', 1, 5.0, 0, NULL, NULL, NULL, NULL);
INSERT INTO artifact_tie VALUES (1, x'02', 100.0);
PRAGMA user_version = 5;
)sql"));
  std::vector<std::string> tables;
  Statement query = store->prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  while (query.step()) tables.emplace_back(query.text(0));
  const std::string before = rows_of(*store, tables);
  EXPECT_THAT(before, HasSubstr("run_label: 'A100','night','k','it''s'"));

  const auto migrated = migrate(*store);
  ASSERT_TRUE(migrated) << migrated.error().message;
  // But for the line that says so.
  ASSERT_TRUE(store->execute("DELETE FROM audit WHERE action = 'migrate'"));
  // And for the column that a dump has got since.
  EXPECT_EQ(rows_of(*store, tables),
            std::regex_replace(before, std::regex("(\nartifact: .*)"), "$1,NULL"));
  EXPECT_THAT(*alerts(*store), IsEmpty());
  EXPECT_TRUE(add_alert(*store, found()));
  EXPECT_EQ(*Reader(*store).revision(), 10);
}

TEST_F(AlertTest, ParkedAlertsAreNumberedInTheOrderInWhichTheyWereFirstSeen) {
  const AlertId known = add(found());
  const auto parked = [&](const std::string& key, double first_seen, const std::string& model) {
    Alert alert = found(model);
    alert.key = key;
    alert.first_seen = first_seen;
    EXPECT_TRUE(park_alert(store_, alert));
  };
  parked("third", 30, "A100");
  parked("second", 20, "V100");
  parked("first", 20, "A100");
  parked("fourth", 30, "A100");
  const auto count = number_parked_alerts(store_);
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(*count, 4u);
  const auto outlines = alert_outlines(store_);
  ASSERT_TRUE(outlines);
  std::vector<std::string> keys;
  for (std::size_t i = 1; i < outlines->size(); ++i) {
    keys.push_back((*outlines)[i].key);
    EXPECT_EQ(to_int((*outlines)[i].id), to_int(known) + static_cast<std::int64_t>(i));
    EXPECT_EQ(read((*outlines)[i].id).details, found().details);
  }
  EXPECT_THAT(keys, ElementsAre("first", "second", "third", "fourth"));
  EXPECT_EQ(alert_outlines(store_, "V100")->size(), 1u);
  EXPECT_EQ(*number_parked_alerts(store_), 0u);
}

}  // namespace
}  // namespace benchhud::schema
