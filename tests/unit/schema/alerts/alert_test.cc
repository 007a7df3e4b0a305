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
#include <tuple>
#include <vector>

#include "schema/alerts/alert_list.h"
#include "schema/alerts/alert_run.h"
#include "schema/alerts/alert_writer.h"
#include "schema/base/text_limits.h"
#include "schema/results/maintenance.h"
#include "schema/results/reader.h"
#include "schema/store/migrate.h"
#include "tests/unit/places.h"
#include "tests/unit/schema/alerts/one_alert.h"
#include "tests/unit/schema/older_store.h"

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
  alert.title = "s/m on inductor: inference 30 % slower";
  alert.scope = "model";
  alert.suite = "s";
  alert.model = "m";
  alert.direction = ChangeDirection::kRegression;
  alert.onset_run = RunId(7);
  alert.last_good = RunId(6);
  alert.first_bad = RunId(8);
  alert.first_seen_run = RunId(9);
  alert.rerun = "time it again";
  alert.explanation = "Only this model moved.";
  return alert;
}

// What is told of it: a time and a verdict.
AlertDetails found_details() {
  AlertMember timed;
  timed.experiment_id = ExperimentId(3);
  timed.experiment.suite = "s";
  timed.experiment.model = "m";
  timed.experiment.test = "eval";
  timed.backend = "inductor";
  timed.configuration = "inductor [--flag]";
  timed.metric = "steady";
  timed.direction = ChangeDirection::kRegression;
  timed.onset = RunId(7);
  timed.earliest = RunId(7);
  timed.latest = RunId(8);
  timed.timed = {1.0, 1.3, 0.3, 0.25, 0.35, 0.95, 1e-9, std::nullopt, 20, 3, "stable", 0.01};
  AlertMember verdict = timed;
  verdict.metric = "verification";
  verdict.detected = DetectedState::kConfirmed;
  verdict.timed = std::nullopt;
  verdict.counted = {"PASS", "FAIL", 1, 20};
  AlertMember speedup = timed;
  speedup.metric = "speedup";
  speedup.timed->noise = std::nullopt;
  speedup.is_doing_of_baseline = true;
  return {{{"commit", "a", "b"}, {"torch", "", "2.6"}}, {timed, verdict, speedup}};
}

class AlertTest : public ::testing::Test {
 protected:
  AlertId add(const Alert& alert, const AlertDetails& details = {}) {
    const auto id = add_alert(store_, alert, details);
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
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.scope, b.scope);
  EXPECT_EQ(std::tie(a.suite, a.model, a.backend), std::tie(b.suite, b.model, b.backend));
  EXPECT_EQ(a.direction, b.direction);
  EXPECT_EQ(std::tie(a.onset_run, a.last_good, a.first_bad, a.first_seen_run, a.confirmed_run,
                     a.closed_run),
            std::tie(b.onset_run, b.last_good, b.first_bad, b.first_seen_run, b.confirmed_run,
                     b.closed_run));
  EXPECT_EQ(a.rerun, b.rerun);
  EXPECT_EQ(a.explanation, b.explanation);
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
  for (int i = 0; i < 3; ++i) {
    const auto direction = ChangeDirection(i);
    EXPECT_EQ(change_direction_of(change_direction_name(direction)), direction);
    names.insert(change_direction_name(direction));
  }
  EXPECT_EQ(names.size(), 18u);
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
  const AlertId first = add(suspect, found_details());
  const AlertId second = add(confirmed);
  EXPECT_EQ(*alert_details(store_, first), found_details());
  EXPECT_EQ(*alert_details(store_, second), AlertDetails());
  expect_same_finding(read(first), suspect);
  expect_same_finding(read(second), confirmed);
  EXPECT_EQ(read(second).id, second);
  EXPECT_EQ(read(first).triage, TriageState::kOpen);
  EXPECT_EQ(read(first).triaged_at, std::nullopt);
  EXPECT_EQ(read(first).owner, "");
  EXPECT_EQ(read(first).link, "");
  EXPECT_THAT(actions(first), IsEmpty());
}

TEST_F(AlertTest, DetailsOmitAndCountSeriesOutsideFilter) {
  AlertDetails of_several = found_details();
  of_several.members[0].experiment.model = "other";
  of_several.members[1].backend = "eager";
  const std::vector<AlertId> ids = {add(found(), of_several), add(found()),
                                    add(found(), found_details())};
  const auto read = [&](const SeriesFilter& filter) { return *alert_details(store_, ids, filter); };
  EXPECT_THAT(read({}), ElementsAre(of_several, AlertDetails(), found_details()));

  const auto of_model = read({.suites = {"s"}, .models = {"m"}, .backends = {}});
  EXPECT_EQ(of_model[0].labels, of_several.labels);
  EXPECT_THAT(of_model[0].members, ElementsAre(of_several.members[1], of_several.members[2]));
  EXPECT_EQ(of_model[0].members_left_out, 1);
  EXPECT_EQ(of_model[1], AlertDetails());
  EXPECT_EQ(of_model[2], found_details());

  // One and the same series has to fit all three.
  const auto of_one = read({.suites = {}, .models = {"m", "none"}, .backends = {"inductor"}});
  EXPECT_THAT(of_one[0].members, ElementsAre(of_several.members[2]));
  EXPECT_EQ(of_one[0].members_left_out, 2);
  const auto of_none = read({.suites = {"t"}, .models = {}, .backends = {}});
  EXPECT_THAT(of_none[2].members, IsEmpty());
  EXPECT_EQ(of_none[2].members_left_out, 3);
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
  changed.title = "another";
  changed.closed_run = RunId(11);
  changed.triage = TriageState::kFixed;
  const std::int64_t before = revision();
  EXPECT_TRUE(*update_alert(store_, changed, found_details()));
  EXPECT_EQ(revision(), before + 1);
  EXPECT_EQ(*alert_details(store_, id), found_details());
  Alert expected = changed;
  expected.accelerator_model = found().accelerator_model;
  expected.key = found().key;
  expected.first_seen = found().first_seen;
  expect_same_finding(read(id), expected);
  EXPECT_EQ(read(id).triage, TriageState::kAcknowledged);

  EXPECT_FALSE(*update_alert(store_, changed, found_details()));
  EXPECT_EQ(revision(), before + 1);
  AlertDetails other = found_details();
  other.members[0].timed->q_value = 0.5;
  EXPECT_TRUE(*update_alert(store_, changed, other));
  EXPECT_EQ(*alert_details(store_, id), other);
  EXPECT_EQ((*alert_outlines(store_))[0].content, alert_content(changed, other));
  changed.confirmed_at = std::nullopt;
  EXPECT_TRUE(*update_alert(store_, changed));
  EXPECT_EQ(read(id).confirmed_at, std::nullopt);
}

TEST_F(AlertTest, OfManyThatAreUpdatedOnlyThoseThatDifferAreWritten) {
  const AlertId same = add(found(), found_details()), other = add(found(), found_details());
  // Its rows would not be there any more if they were written again.
  ASSERT_TRUE(store_.execute(
      "CREATE TRIGGER gone BEFORE DELETE ON alert_member WHEN OLD.alert_id = " +
      std::to_string(to_int(same)) + " BEGIN SELECT RAISE(ABORT, 'written again'); END"));
  Alert first = found(), second = found();
  first.id = same;
  second.id = other;
  second.title = "another";
  AlertWriter writer(store_);
  ASSERT_TRUE(writer.update(first, found_details()));
  ASSERT_TRUE(writer.update(second, found_details()));
  const auto is_changed = writer.flush();
  ASSERT_TRUE(is_changed) << is_changed.error().message;
  EXPECT_TRUE(*is_changed);
  EXPECT_EQ(read(other).title, "another");
  EXPECT_EQ(*alert_details(store_, other), found_details());
  EXPECT_EQ(*alert_details(store_, same), found_details());
}

TEST_F(AlertTest, AWithdrawnOneSaysWhatItSaid) {
  const AlertId id = add(found(), found_details());
  EXPECT_TRUE(*withdraw_alert(store_, id, "gone"));
  EXPECT_EQ(read(id).detected, DetectedState::kWithdrawn);
  EXPECT_EQ(read(id).title, found().title);
  EXPECT_EQ(*alert_details(store_, id), found_details());
  EXPECT_FALSE(*withdraw_alert(store_, id, "gone"));
  EXPECT_EQ(withdraw_alert(store_, AlertId(99), "gone").error().code, ErrorCode::kNotFound);
  Alert again = found();
  again.id = id;
  EXPECT_TRUE(*update_alert(store_, again, found_details())) << "it was found again";
  EXPECT_EQ(read(id).detected, DetectedState::kSuspect);
}

TEST_F(AlertTest, StateAndUrgencyFollow) {
  const AlertId id = add(found());
  const auto is = [&](DetectedState detected, const char* triage, const char* state,
                      Urgency urgency, ChangeDirection direction = ChangeDirection::kRegression) {
    SCOPED_TRACE(std::string(detected_state_name(detected)) + " " + triage);
    Alert alert = found();
    alert.id = id;
    alert.detected = detected;
    alert.direction = direction;
    ASSERT_TRUE(update_alert(store_, alert));
    act(id, "state", triage);
    EXPECT_EQ(read(id).state, state);
    EXPECT_EQ(read(id).urgency, urgency);
    EXPECT_EQ(needs_attention(read(id)), urgency != Urgency::kClosed);
    const auto attention = attention_states();
    EXPECT_EQ(std::ranges::find(attention, read(id).state) != attention.end(),
              needs_attention(read(id)));
  };
  using enum DetectedState;
  is(kConfirmed, "open", "confirmed", Urgency::kConfirmed);
  is(kSuspect, "open", "suspect", Urgency::kSuspect);
  is(kConfirmed, "open", "confirmed", Urgency::kImprovement, ChangeDirection::kImprovement);
  is(kSuspect, "open", "suspect", Urgency::kChange, ChangeDirection::kChange);
  is(kConfirmed, "acknowledged", "acknowledged", Urgency::kTaken);
  is(kConfirmed, "investigating", "investigating", Urgency::kTaken, ChangeDirection::kImprovement);
  for (const char* decided : {"fixed", "wont_fix", "invalid", "infrastructure"}) {
    is(kConfirmed, decided, decided, Urgency::kClosed);
  }
  // Whatever people say.
  is(kRecovered, "acknowledged", "recovered", Urgency::kClosed);
  is(kWithdrawn, "open", "withdrawn", Urgency::kClosed);
}

TEST_F(AlertTest, RunsThatAreGoneKeepTheirNames) {
  ASSERT_TRUE(
      store_.execute("INSERT INTO run VALUES (7, 'A100', 'night', 100.5, NULL, 0, 1), "
                     "(6, 'A100', 'before', 50, NULL, 0, 1)"));
  const AlertId id = add(found(), found_details());
  Reader reader(store_);
  {
    AlertRuns runs(reader);
    EXPECT_EQ((*runs.find(RunId(7)))->name, "night");
    EXPECT_EQ(*runs.find(RunId(5)), nullptr);
    EXPECT_EQ(*runs.find(std::nullopt), nullptr);
  }
  ASSERT_TRUE(store_.execute("DELETE FROM run"));
  ASSERT_TRUE(forget_unused_alert_runs(store_));
  {
    AlertRuns runs(reader);
    const auto run = runs.find(RunId(7));
    ASSERT_TRUE(run && *run != nullptr);
    EXPECT_EQ((*run)->name, "night");
    EXPECT_EQ((*run)->started_at, 100.5);
    EXPECT_EQ((*run)->accelerator_model, "A100");
  }
  ASSERT_TRUE(delete_alert(store_, id));
  ASSERT_TRUE(forget_unused_alert_runs(store_));
  AlertRuns runs(reader);
  EXPECT_EQ(*runs.find(RunId(7)), nullptr);
}

TEST_F(AlertTest, ANumberIsNeverGivenTwice) {
  const AlertId first = add(found(), found_details());
  ASSERT_TRUE(delete_alert(store_, first));
  EXPECT_THAT(*alerts(store_), IsEmpty());
  EXPECT_EQ(*alert_details(store_, first), AlertDetails());
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
  EXPECT_THAT(*alerts(store_), IsEmpty());
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
  ASSERT_EQ(all.size(), 10u);
  EXPECT_EQ(read(id).triaged_at, all.back().at);
  EXPECT_EQ(all[0].alert, id);
  EXPECT_EQ(all[0].kind, AlertActionKind::kState);
  EXPECT_EQ(all[0].value, "investigating");
  EXPECT_EQ(all[1].kind, AlertActionKind::kOwner) << "nobody's belongs to who investigates it";
  EXPECT_EQ(all[5].who, "grace");
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
  EXPECT_THAT(kind.message, HasSubstr("state, note, owner, link or mute"));
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
    alert.title = text;
    alert.model = text;
    AlertDetails details = found_details();
    details.labels = {{text, "", text}};
    details.members[1].counted->after = text;
    details.members[0].experiment.model = text;
    const AlertId id = add(alert, details);
    EXPECT_EQ(*alert_details(store_, id), details);
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
  for (const auto& entry :
       std::filesystem::directory_iterator(source_root() / "schema/migrations")) {
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

// What version 20 stored of an alert: the answer to a request, as a text.
constexpr const char* kOlderAlerts = R"sql(
INSERT INTO run VALUES (15, 'A100', 'tenth', 1010.5, NULL, 0, 1);
INSERT INTO alert VALUES (4, 'A100', 'model' || char(9) || 's/m', 1010.5, 'confirmed', 1011.0, 1012.0, '{
  "title":"s/m on inductor: inference 29.9 % slower","scope":"model","subject":{"suite":"s","model":"m","backend":null},
  "direction":"regression","onset":{"id":15,"name":"tenth","accelerator_model":"A100","started_at":"1970-01-01T00:16:50.5Z"},
  "last_good":{"id":13,"name":"ninth","accelerator_model":"A100","started_at":"1970-01-01T00:15:00.25Z"},
  "first_bad":{"id":15,"name":"tenth"},"labels":[{"key":"commit","before":"a","after":""}],
  "first_seen":{"id":15},"confirmed":{"id":17},"closed":null,"rerun":"",
  "members":[{"experiment":{"id":1,"suite":"s","model":"m","test":"eval","backend":"inductor","column":"inductor [x]"},
    "metric":"steady","title":"steady time","unit":"s","better":"lower","state":"confirmed","direction":"regression",
    "onset":{"id":15},"earliest":{"id":15},"latest":{"id":15},"before":0.1,"after":0.13,"effect":0.299,
    "interval":{"low":0.2,"high":0.4,"confidence":0.95},"p_value":1e-9,"q_value":null,"nights_before":14,"nights_after":3,
    "noise":{"class":"stable","meaning":"m","sigma":0.01}},
   {"experiment":{"id":1,"suite":"s","model":"m","test":"eval","backend":"inductor"},"metric":"graph_breaks",
    "state":"suspect","direction":"regression","onset":{"id":15},"earliest":null,"latest":{"id":15},
    "before_text":"0","after_text":"2","flakiness":{"flips":1,"of":20}},
   {"experiment":{"id":1,"suite":"s","model":"m","test":"eval","backend":"inductor"},"metric":"speedup","state":"suspect",
    "direction":"change","onset":{"id":15},"earliest":{"id":15},"latest":{"id":15},"before":1,"after":2,"effect":1,
    "interval":null,"p_value":1,"q_value":1,"nights_before":1,"nights_after":1,"is_doing_of_baseline":true}]}'),
  (5, 'A100', 'k', 1.0, 'suspect', 1.0, NULL, '{"title": '),
  (6, 'A100', 'k', 1.0, 'suspect', 1.0, NULL, '[1, "x"]'),
  (7, 'A100', 'k', 1.0, 'suspect', 1.0, NULL, '{"title":7,"onset":"x","labels":[1,{}],"members":["x",{},{"experiment":1}],"subject":[]}');
INSERT INTO alert_action VALUES (1, 4, 50.0, 'ada', 'state', 'fixed', NULL), (2, 4, 60.0, 'ada', 'state', 'investigating', NULL),
  (3, 4, 70.0, 'ada', 'owner', 'bob', NULL), (4, 4, 80.0, 'ada', 'link', 'https://x/1', NULL), (5, 4, 90.0, 'ada', 'note', 'n', NULL);
UPDATE sqlite_sequence SET seq = 9 WHERE name = 'alert';
)sql";

TEST(AlertMigration, TextsOfOlderProgramsAreTakenApart) {
  auto store = Connection::open(":memory:", OpenMode::kReadWriteCreate);
  ASSERT_TRUE(store);
  const auto scripts = migration_scripts();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(store->execute(scripts[i]));
  const auto filled = store->execute(kOlderAlerts);
  ASSERT_TRUE(filled) << filled.error().message;
  ASSERT_TRUE(store->execute("PRAGMA user_version = 20"));
  const auto migrated = migrate(*store);
  ASSERT_TRUE(migrated) << migrated.error().message;

  const auto read = alert(*store, AlertId(4));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->title, "s/m on inductor: inference 29.9 % slower");
  EXPECT_EQ(read->scope, "model");
  EXPECT_EQ(read->suite, "s");
  EXPECT_EQ(read->model, "m");
  EXPECT_EQ(read->backend, std::nullopt);
  EXPECT_EQ(read->direction, ChangeDirection::kRegression);
  EXPECT_EQ(read->onset_run, RunId(15));
  EXPECT_EQ(read->last_good, RunId(13));
  EXPECT_EQ(read->closed_run, std::nullopt);
  EXPECT_EQ(read->triage, TriageState::kInvestigating);
  EXPECT_EQ(read->triaged_at, 60.0);
  EXPECT_EQ(read->owner, "bob");
  EXPECT_EQ(read->link, "https://x/1");
  EXPECT_EQ(read->urgency, Urgency::kTaken);
  const auto details = alert_details(*store, AlertId(4));
  ASSERT_TRUE(details);
  EXPECT_EQ(details->labels, (std::vector<AlertLabel>{{"commit", "a", ""}}));
  ASSERT_EQ(details->members.size(), 3u);
  const AlertMember& timed = details->members[0];
  EXPECT_EQ(timed.experiment_id, ExperimentId(1));
  EXPECT_EQ(timed.configuration, "inductor [x]");
  EXPECT_EQ(timed.detected, DetectedState::kConfirmed);
  EXPECT_EQ(timed.timed, (AlertMember::Timed{0.1, 0.13, 0.299, 0.2, 0.4, 0.95, 1e-9, std::nullopt,
                                             14, 3, "stable", 0.01}));
  EXPECT_FALSE(timed.counted || timed.is_doing_of_baseline);
  EXPECT_EQ(details->members[1].counted, (AlertMember::Counted{"0", "2", 1, 20}));
  EXPECT_EQ(details->members[1].earliest, std::nullopt);
  EXPECT_FALSE(details->members[1].timed);
  EXPECT_EQ(details->members[2].is_doing_of_baseline, true);
  EXPECT_EQ(details->members[2].timed->low, std::nullopt);

  Reader reader(*store);
  AlertRuns runs(reader);
  EXPECT_EQ((*runs.find(RunId(13)))->name, "ninth") << "it is gone";
  EXPECT_EQ((*runs.find(RunId(13)))->started_at, 900.25);
  for (const int unreadable : {5, 6, 7}) {
    EXPECT_EQ(alert(*store, AlertId(unreadable))->title, "") << unreadable;
    EXPECT_EQ(*alert_details(*store, AlertId(unreadable)), AlertDetails()) << unreadable;
  }
  // What is found next takes the place of what was taken apart, and no number is given twice.
  Alert again = *read;
  EXPECT_TRUE(*update_alert(*store, again, *details));
  EXPECT_FALSE(*update_alert(*store, again, *details));
  EXPECT_EQ(*add_alert(*store, found()), AlertId(10));
}

TEST_F(AlertTest, ParkedAlertsAreNumberedInTheOrderInWhichTheyWereFirstSeen) {
  const AlertId known = add(found());
  AlertWriter writer(store_);
  const auto parked = [&](const std::string& key, double first_seen, const std::string& model) {
    Alert alert = found(model);
    alert.key = key;
    alert.first_seen = first_seen;
    AlertDetails details = found_details();
    details.members[0].configuration = key;
    EXPECT_TRUE(writer.park(alert, details));
  };
  parked("third", 30, "A100");
  parked("second", 20, "V100");
  parked("first", 20, "A100");
  parked("fourth", 30, "A100");
  ASSERT_TRUE(writer.flush());
  const auto numbered = number_parked_alerts(store_);
  ASSERT_TRUE(numbered) << numbered.error().message;
  ASSERT_EQ(numbered->size(), 4u);
  EXPECT_LT(to_int((*numbered)[0].parked), 0);
  EXPECT_EQ(to_int((*numbered)[0].number), to_int(known) + 1);
  const auto outlines = alert_outlines(store_);
  ASSERT_TRUE(outlines);
  std::vector<std::string> keys;
  for (std::size_t i = 1; i < outlines->size(); ++i) {
    keys.push_back((*outlines)[i].key);
    EXPECT_EQ(to_int((*outlines)[i].id), to_int(known) + static_cast<std::int64_t>(i));
    EXPECT_EQ(read((*outlines)[i].id).title, found().title);
    const auto details = alert_details(store_, (*outlines)[i].id);
    ASSERT_EQ(details->members.size(), 3u);
    EXPECT_EQ(details->members[0].configuration, keys.back());
    EXPECT_EQ(details->labels, found_details().labels);
  }
  EXPECT_THAT(keys, ElementsAre("first", "second", "third", "fourth"));
  EXPECT_EQ(alert_outlines(store_, "V100")->size(), 1u);
  EXPECT_TRUE(number_parked_alerts(store_)->empty());
}

// More than a statement writes, and more series than may wait.
TEST_F(AlertTest, ManyAreWrittenTogetherAsOneByOne) {
  std::vector<Alert> all;
  std::vector<AlertDetails> details;
  for (int i = 0; i < 150; ++i) {
    Alert alert = found();
    alert.key = "alert " + std::to_string(i);
    if (i % 3 == 0) alert.headline.reset();
    if (i % 5 == 0) alert.suite = alert.model = alert.backend = std::nullopt;
    AlertDetails of_alert = i % 4 == 0 ? AlertDetails() : found_details();
    for (int more = 0; more < (i == 70 ? 5000 : i % 7); ++more) {
      of_alert.members.push_back(found_details().members[more % 3]);
    }
    alert.id = add(alert, of_alert);
    all.push_back(alert);
    details.push_back(of_alert);
  }
  AlertWriter writer(store_);
  for (int i = 0; i < 150; ++i) {
    if (i % 10 == 9) continue;
    all[i].title = "changed " + std::to_string(i);
    if (i % 2 == 0) all[i].headline.reset();
    std::ranges::reverse(details[i].members);
    if (i % 6 == 0) details[i].labels.clear();
    ASSERT_TRUE(writer.update(all[i], details[i]));
  }
  EXPECT_TRUE(*writer.flush());
  EXPECT_FALSE(*writer.flush()) << "nothing is left";
  for (int i = 0; i < 150; ++i) {
    expect_same_finding(read(all[i].id), all[i]);
    ASSERT_EQ(*alert_details(store_, all[i].id), details[i]) << i;
  }
}

}  // namespace
}  // namespace benchhud::schema
