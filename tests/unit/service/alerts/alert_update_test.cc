// Alerts of a store: found once, kept with what people did, moved by what comes late.
#include "service/alerts/alert_update.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "schema/alerts/alert.h"
#include "schema/alerts/alert_run.h"
#include "schema/alerts/night_mark.h"
#include "schema/results/maintenance.h"
#include "service/alerts/alert_rules_file.h"
#include "service/alerts/night_reader.h"
#include "tests/unit/service/alerts/alert_fixture.h"
#include "views/alert_json.h"

namespace benchhud::service {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class AlertUpdates : public AlertFixture {
 protected:
  /// All that is told of an alert, to be compared.
  schema::ContentHash told_of(const schema::Alert& alert) {
    const auto details = schema::alert_details(*connection_, alert.id);
    EXPECT_TRUE(details);
    return details ? schema::alert_content(alert, *details) : schema::ContentHash();
  }
  std::vector<schema::ContentHash> told_of(const std::vector<schema::Alert>& alerts) {
    std::vector<schema::ContentHash> all;
    for (const schema::Alert& alert : alerts) all.push_back(told_of(alert));
    return all;
  }
  /// The contract's Alert.
  json shown(const schema::Alert& alert) {
    schema::Reader reader(*connection_);
    schema::AlertRuns runs(reader);
    std::string text;
    schema::JsonWriter writer(&text);
    writer.begin_array();
    EXPECT_TRUE(views::write_alerts(writer, {alert}, *connection_, runs));
    writer.end_array();
    return json::parse(text, nullptr, false)[0];
  }
  void act(schema::AlertId id, const char* kind, const char* value) {
    const auto done = schema::act_on_alert(*connection_, id, kind, value, "ada");
    ASSERT_TRUE(done) << done.error().message;
  }
  /// All nights are watched again with the next update.
  void forget_what_was_watched() {
    ASSERT_TRUE(connection_->execute("DELETE FROM watch_state; DELETE FROM night_facts"));
    ASSERT_TRUE(schema::set_alerts_state(*connection_, "other"));
  }
};

TEST_F(AlertUpdates, AnEmptyStoreHasNone) {
  EXPECT_FALSE(update().was_current);
  EXPECT_TRUE(update().was_current);
  EXPECT_THAT(alerts(), IsEmpty());
}

TEST_F(AlertUpdates, FindsOnceAndThenHasNothingToDo) {
  nights(0, 19, quiet_);
  nights(20, 25, slow_);
  const AlertUpdate first = update();
  EXPECT_EQ(first.nights, 26u);
  EXPECT_GE(first.added, 1u);
  EXPECT_FALSE(first.was_current);
  ASSERT_THAT(confirmed(), SizeIs(1));
  EXPECT_EQ(confirmed()[0].onset, time_of(20));
  EXPECT_EQ(confirmed()[0].first_seen, time_of(20));
  EXPECT_GE(*confirmed()[0].confirmed_at, time_of(22));
  EXPECT_EQ(confirmed()[0].accelerator_model, "A100");
  const auto told = told_of(confirmed()[0]);
  const AlertUpdate second = update();
  EXPECT_TRUE(second.was_current);
  EXPECT_EQ(second.nights, 0u);
  night(26, slow_);
  EXPECT_FALSE(update().was_current);
  ASSERT_THAT(confirmed(), SizeIs(1));
  EXPECT_NE(told_of(confirmed()[0]), told);
}

TEST_F(AlertUpdates, NightByNightGivesWhatAllAtOnceGives) {
  for (int n = 0; n < 26; ++n) {
    night(n, n < 20 ? quiet_ : slow_);
    update();
  }
  const auto by_night = alerts();
  const auto told_by_night = told_of(by_night);
  for (const schema::Alert& alert : by_night) {
    auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(schema::delete_alert(*connection_, alert.id));
    ASSERT_TRUE(transaction->commit());
  }
  forget_what_was_watched();
  EXPECT_EQ(update().replayed, 0u);
  const auto at_once = alerts();
  EXPECT_EQ(told_of(at_once), told_by_night);
  ASSERT_EQ(at_once.size(), by_night.size());
  ASSERT_THAT(confirmed(), SizeIs(1));
  for (std::size_t i = 0; i < at_once.size(); ++i) {
    EXPECT_EQ(at_once[i].key, by_night[i].key);
    EXPECT_EQ(at_once[i].detected, by_night[i].detected);
    EXPECT_EQ(at_once[i].confirmed_at, by_night[i].confirmed_at);
    EXPECT_EQ(to_int(at_once[i].id) - to_int(at_once[0].id),
              to_int(by_night[i].id) - to_int(by_night[0].id));
  }
}

TEST_F(AlertUpdates, SortingOutQuietSeriesGivesTheSameAlerts) {
  // Models on a baseline and beside it, most of which never change; what changes alone, with many,
  // in its verdict or whether it is timed at all, or only in its baseline.
  for (int n = 0; n < 40; ++n) {
    std::mt19937_64 random(1000 + n);
    std::normal_distribution<double> normal(0, 0.01);
    std::vector<server::MadeLine> lines;
    const auto add = [&](const std::string& model, const std::string& dynamo, double level,
                         const std::string& accelerator_model, std::int64_t batch_size) {
      server::MadeLine line;
      line.model = model;
      line.dynamo = dynamo;
      line.timestamp = time_of(n);
      line.accelerator_model = accelerator_model;
      line.batch_size = batch_size;
      line.times = {};
      level *= std::exp(normal(random));
      for (int i = 0; i < 8; ++i) {
        line.times.push_back(level * (i == 0 ? 3 : 1) * std::exp(0.3 * normal(random)));
      }
      lines.push_back(line);
    };
    for (int m = 0; m < 12; ++m) {
      const std::string model = "model_" + std::to_string(m);
      const bool has_stepped = (m == 3 && n >= 15) || (m >= 8 && n >= 25);
      add(model, "openxla", has_stepped ? 1.2 : 1, "A100", 8);
      add(model, "inductor", m == 5 && n >= 20 ? 1.3 : 1, "A100", 8);
      // Another batch size has no baseline, or two of which neither is one.
      add(model, "openxla", 1, "A100", 16);
      if (m % 4 == 0) add(model, "openxla", m == 4 && n >= 30 ? 0.8 : 1, "H100", 8);
    }
    add("of one night " + std::to_string(n), "openxla", 1, "A100", 8);
    if (n % 7 != 3) {
      lines.push_back(server::verified(lines[4], n < 22 ? "PASS" : "FAIL"));
      lines.push_back(verified(lines[0], "PASS"));
    }
    server::MadeLine broken = lines[2];
    broken.model = "breaks";
    if (n >= 18) {
      broken.times.clear();
      broken.error = "ValueError: broken";
    }
    lines.push_back(broken);
    ingest(lines);
  }
  mark(10, schema::NightMarkKind::kEnvironment);
  mark(12, schema::NightMarkKind::kExcluded);
  mark(33, schema::NightMarkKind::kPinned);
  const auto forget_all = [&] {
    forget_what_was_watched();
    ASSERT_TRUE(
        connection_->execute("DELETE FROM notification; DELETE FROM alert; "
                             "DELETE FROM alert_member; DELETE FROM alert_label"));
  };
  update();
  const auto together = alerts();
  const auto keys_of = [](const std::vector<schema::Alert>& some) {
    std::set<std::string> keys;
    for (const schema::Alert& alert : some) keys.insert(alert.key);
    return keys;
  };
  const auto confirmed_together = keys_of(confirmed());
  ASSERT_GE(confirmed_together.size(), 4u);
  forget_all();
  const auto sorted = update_alerts(*connection_, 0);
  ASSERT_TRUE(sorted) << sorted.error().message;
  EXPECT_EQ(sorted->replayed, 0u);
  // What series have in common is not judged then, which these fleets hardly have.
  EXPECT_EQ(keys_of(confirmed()), confirmed_together);
  schema::Reader reader(*connection_);
  auto quiet = sort_out_quiet(reader, {}, {});
  ASSERT_TRUE(quiet) << quiet.error().message;
  const auto all = reader.experiments_after(schema::ExperimentId{0});
  ASSERT_TRUE(all);
  const auto restless = std::move(quiet->restless).finish(&quiet->configurations);
  EXPECT_LT(restless.entries().size(), all->size() / 2);
  EXPECT_THAT(quiet->quiet, SizeIs(reader.runs({})->size()));
}

TEST_F(AlertUpdates, OnlyNightsThatAreNewAreWatched) {
  nights(0, 19, quiet_);
  EXPECT_EQ(update().replayed, 0u);
  night(20, slow_);
  AlertUpdate done = update();
  EXPECT_EQ(done.nights, 21u);
  EXPECT_EQ(done.replayed, 19u) << "all but the newest";
  mark(20, schema::NightMarkKind::kExcluded);
  EXPECT_EQ(update().replayed, 20u) << "the newest is what changes most";
  mark(19, schema::NightMarkKind::kExcluded);
  EXPECT_EQ(update().replayed, 0u) << "one before it is not what it was";
  nights(21, 25, slow_);
  EXPECT_EQ(update().replayed, 20u);
  night(-1, quiet_);
  EXPECT_EQ(update().replayed, 0u) << "it goes before all others";
  ASSERT_TRUE(schema::set_alert_rules(*connection_, R"({"false_discovery_rate": 0.01})"));
  EXPECT_EQ(update().replayed, 0u) << "by other rules";
  night(26, slow_);
  EXPECT_EQ(update().replayed, 26u);
}

TEST_F(AlertUpdates, WhatWasKeptOfWatchedNightsAndDoesNotReadIsMadeAnew) {
  nights(0, 19, quiet_);
  nights(20, 24, slow_);
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  for (const char* damage :
       {"UPDATE watch_state SET bytes = zeroblob(40)", "UPDATE watch_state SET byte_count = 7",
        "UPDATE night_facts SET bytes = zeroblob(40)", "UPDATE night_facts SET content = x'00'",
        "DELETE FROM night_facts WHERE run_id % 3 = 0", "DELETE FROM watch_state"}) {
    ASSERT_TRUE(connection_->execute(damage));
    ASSERT_TRUE(schema::set_alerts_state(*connection_, "other"));
    update();
    const auto after = alerts();
    const auto told_after = told_of(after);
    forget_what_was_watched();
    update();
    const auto found_again = alerts();
    EXPECT_EQ(told_of(found_again), told_after) << damage;
    ASSERT_EQ(after.size(), found_again.size()) << damage;
    for (std::size_t i = 0; i < found_again.size(); ++i) {
      EXPECT_EQ(after[i].id, found_again[i].id) << damage;
    }
  }
}

TEST_F(AlertUpdates, NothingIsKeptOfRunsThatAreGone) {
  nights(0, 9, quiet_);
  update();
  const auto rows = [&](const std::string& table) {
    schema::Statement count = connection_->prepare("SELECT count(*) FROM " + table);
    return count.step() ? count.integer(0) : -1;
  };
  EXPECT_EQ(rows("night_facts"), 10);
  EXPECT_EQ(rows("watch_state"), 1);
  for (int n = 0; n < 10; ++n) ASSERT_TRUE(schema::delete_run(*connection_, run_at(n)));
  update();
  EXPECT_EQ(rows("night_facts"), 0);
  EXPECT_EQ(rows("watch_state"), 0);
}

TEST_F(AlertUpdates, ANightThatComesLateKeepsNumberAndWhatPeopleDid) {
  nights(0, 18, quiet_);
  nights(21, 26, slow_);
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  const schema::AlertId id = confirmed()[0].id;
  EXPECT_EQ(confirmed()[0].onset, time_of(21));
  act(id, "state", "acknowledged");
  act(id, "owner", "grace");
  night(20, slow_);  // it had begun already
  const AlertUpdate late = update();
  EXPECT_EQ(late.nights, 26u);
  ASSERT_THAT(confirmed(), SizeIs(1));
  EXPECT_EQ(confirmed()[0].id, id);
  EXPECT_EQ(confirmed()[0].onset, time_of(20));
  EXPECT_EQ(confirmed()[0].triage, schema::TriageState::kAcknowledged);
  EXPECT_EQ(confirmed()[0].owner, "grace");
  night(19, quiet_);
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  EXPECT_EQ(confirmed()[0].id, id);
}

TEST_F(AlertUpdates, NumbersAreOfTheLastNight) {
  nights(0, 19, quiet_);
  nights(20, 29, slow_);
  // What is not young any more is searched only now and then: its numbers are not.
  std::vector<double> widths;
  for (int n = 30; n < 50; ++n) {
    night(n, slow_);
    update();
    ASSERT_THAT(confirmed(), SizeIs(1));
    const auto details = schema::alert_details(*connection_, confirmed()[0].id);
    ASSERT_TRUE(details);
    for (const schema::AlertMember& member : details->members) {
      ASSERT_TRUE(member.timed);
      EXPECT_EQ(member.timed->nights_after, n - 19) << member.metric << " on night " << n;
      EXPECT_EQ(member.timed->nights_before, 20);
      EXPECT_LT(*member.timed->low, *member.timed->effect);
      EXPECT_LT(*member.timed->effect, *member.timed->high);
    }
    const auto& timed = *details->members.front().timed;
    EXPECT_EQ(confirmed()[0].headline->effect, timed.effect) << "title, list and page say the same";
    widths.push_back(*timed.high - *timed.low);
  }
  EXPECT_LT(widths.back(), widths.front()) << "twenty more nights tell more";
}

TEST_F(AlertUpdates, OneThatIsNotFoundAnyMoreIsWithdrawnAndComesBack) {
  const std::map<std::string, double> both = {{"alpha", 1.3}, {"beta", 2.6}};
  nights(0, 19, quiet_);
  nights(20, 32, both);  // long enough that nobody is told
  update();
  ASSERT_THAT(confirmed(), SizeIs(2)) << "two models are no common cause";
  const auto before = told_of(confirmed());
  const schema::AlertId first = confirmed()[0].id, second = confirmed()[1].id;
  act(second, "note", "looks like the driver");
  mark(20, schema::NightMarkKind::kEnvironment);
  EXPECT_FALSE(update().was_current);
  EXPECT_THAT(confirmed(), IsEmpty());
  for (const schema::AlertId id : {first, second}) {
    const auto left = schema::alert(*connection_, id);
    ASSERT_TRUE(left);
    EXPECT_EQ(left->detected, schema::DetectedState::kWithdrawn);
    EXPECT_FALSE(schema::needs_attention(*left));
  }
  const schema::Run run = run_at(20);
  ASSERT_TRUE(
      schema::unmark_nights(*connection_, std::span(&run, 1), schema::NightMarkKind::kEnvironment));
  update();
  EXPECT_EQ(told_of(confirmed()), before);
  ASSERT_THAT(confirmed(), SizeIs(2));
  EXPECT_EQ(confirmed()[0].id, first);
  EXPECT_EQ(confirmed()[1].id, second);
}

TEST_F(AlertUpdates, ASuspectThatIsNotFoundAnyMoreGoesUnlessSomebodyActedOnIt) {
  nights(0, 19, quiet_);
  nights(20, 20, {{"alpha", 1.3}, {"beta", 2.6}});
  update();
  ASSERT_THAT(alerts(), SizeIs(2));
  EXPECT_THAT(confirmed(), IsEmpty());
  const schema::AlertId gone = alerts()[0].id, kept = alerts()[1].id;
  act(kept, "note", "looks like the driver");
  mark(20, schema::NightMarkKind::kExcluded);
  update();
  EXPECT_FALSE(schema::alert(*connection_, gone));
  const auto left = schema::alert(*connection_, kept);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->detected, schema::DetectedState::kWithdrawn);
  nights(21, 24, {{"alpha", 1.3}, {"beta", 2.6}});
  update();
  ASSERT_THAT(confirmed(), SizeIs(2));
  for (const schema::Alert& alert : confirmed()) EXPECT_NE(alert.id, gone) << "never given twice";
}

TEST_F(AlertUpdates, AnExcludedNightDoesNotCount) {
  nights(0, 19, quiet_);
  night(20, {{"alpha", 1}, {"beta", 0}});
  night(21, quiet_);
  update();
  const auto has_timing = [&] {
    const auto all = alerts();
    return std::any_of(all.begin(), all.end(), [](const schema::Alert& alert) {
      return alert.detected != schema::DetectedState::kWithdrawn &&
             alert.title.find("timed → failed in ") != std::string::npos;
    });
  };
  EXPECT_TRUE(has_timing());
  mark(20, schema::NightMarkKind::kExcluded);
  EXPECT_FALSE(update().was_current);
  EXPECT_FALSE(has_timing());
}

TEST_F(AlertUpdates, AcceleratorModelsAreWatchedApartAndNumberedByFirstSight) {
  for (const char* machine : {"Z9", "A100"}) nights(0, 19, quiet_, machine);
  nights(20, 26, {{"alpha", 1}, {"beta", 2.8}}, "Z9");
  nights(20, 22, quiet_, "A100");
  nights(23, 26, slow_, "A100");
  update();
  ASSERT_THAT(confirmed(), SizeIs(2));
  EXPECT_EQ(confirmed()[0].accelerator_model, "Z9");
  EXPECT_EQ(confirmed()[1].accelerator_model, "A100");
  double before = 0;
  for (const schema::Alert& alert : alerts()) {
    EXPECT_GE(alert.first_seen, before);
    before = alert.first_seen;
  }
}

TEST_F(AlertUpdates, OtherRulesFindAnew) {
  nights(0, 3, quiet_);
  update();
  ASSERT_TRUE(keep_alert_rules(*connection_, R"({"baseline": "eager"})"));
  EXPECT_FALSE(update().was_current);
  EXPECT_TRUE(update().was_current);
}

TEST_F(AlertUpdates, DetailsSayWhatAPageShows) {
  nights(0, 19, quiet_);
  nights(20, 25, slow_);
  update();
  ASSERT_THAT(confirmed(), SizeIs(1));
  const json details = shown(confirmed()[0])["details"];
  for (const char* field :
       {"title", "scope", "subject", "direction", "onset", "last_good", "first_bad", "labels",
        "first_seen", "confirmed", "closed", "rerun", "members"}) {
    EXPECT_TRUE(details.contains(field)) << field;
  }
  EXPECT_EQ(details["scope"], "model");
  EXPECT_EQ(details["subject"], (json{{"suite", "suite"}, {"model", "alpha"}, {"backend", {}}}));
  EXPECT_EQ(details["direction"], "regression");
  EXPECT_EQ(details["onset"]["id"], to_int(run_at(20).id));
  EXPECT_EQ(details["last_good"]["id"], to_int(run_at(19).id));
  EXPECT_EQ(details["first_bad"]["id"], to_int(run_at(20).id));
  EXPECT_TRUE(details["closed"].is_null());
  EXPECT_EQ(details["rerun"], "");
  const json& members = details["members"];
  ASSERT_FALSE(members.empty());
  const auto steady = std::find_if(members.begin(), members.end(),
                                   [](const json& one) { return one["metric"] == "steady"; });
  ASSERT_NE(steady, members.end());
  EXPECT_EQ((*steady)["experiment"]["model"], "alpha");
  EXPECT_EQ((*steady)["state"], "confirmed");
  EXPECT_EQ((*steady)["unit"], "s");
  EXPECT_NEAR((*steady)["before"], 1, 0.02);
  EXPECT_NEAR((*steady)["after"], 1.3, 0.03);
  EXPECT_NEAR((*steady)["effect"], 0.3, 0.03);
  EXPECT_LT((*steady)["interval"]["low"], (*steady)["effect"]);
  EXPECT_GT((*steady)["interval"]["high"], (*steady)["effect"]);
  EXPECT_EQ((*steady)["noise"]["class"], "stable");
  EXPECT_EQ((*steady)["nights_before"], 20);
}

TEST_F(AlertUpdates, HostileNames) {
  const std::string hostile = "a\tb\"<script>\n\xff\xfe\x1b[31m";
  nights(0, 19, {{hostile, 1}, {"a", 1}});
  night(20, {{hostile, 0}, {"a", 1}});
  night(21, {{hostile, 0}, {"a", 0}});
  update();
  ASSERT_GE(confirmed().size(), 2u);
  for (const schema::Alert& alert : confirmed()) {
    EXPECT_FALSE(shown(alert).is_discarded());
  }
  const auto before = alerts();
  night(22, {{hostile, 0}, {"a", 0}});
  update();
  ASSERT_EQ(confirmed().size(), 2u);
  for (const schema::Alert& alert : confirmed()) {
    const auto same = std::find_if(before.begin(), before.end(),
                                   [&](const auto& one) { return one.id == alert.id; });
    ASSERT_NE(same, before.end());
    EXPECT_EQ(same->key, alert.key);
  }
}

TEST_F(AlertUpdates, ReadsANight) {
  night(0, {{"beta", 2}, {"alpha", 1}, {"gamma", 0}}, "A100", "FAIL");
  schema::Reader reader(*connection_);
  const auto experiments = reader.experiments_after(schema::ExperimentId{0});
  const analysis::Catalog catalog(*experiments);
  const auto read = read_night(reader, run_at(0), catalog);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->run, run_at(0).id);
  EXPECT_EQ(read->started_at, time_of(0));
  ASSERT_THAT(read->results, SizeIs(3));
  EXPECT_TRUE(
      std::is_sorted(read->results.begin(), read->results.end(),
                     [](const auto& a, const auto& b) { return a.experiment < b.experiment; }));
  for (const analysis::ExperimentObservation& result : read->results) {
    const std::string model = catalog.find(result.experiment)->experiment().model;
    if (model == "gamma") {
      EXPECT_EQ(result.status, analysis::Status::kFailed);
      EXPECT_FALSE(result.times[0]);
    } else {
      EXPECT_EQ(result.status, analysis::Status::kTimed);
      ASSERT_TRUE(result.times[0]);
      EXPECT_NEAR(std::exp(result.times[0]->level), model == "alpha" ? 1 : 2, 0.1);
      EXPECT_EQ(result.times[0]->count, 5u);
      EXPECT_EQ(result.code, "FAIL");
    }
    EXPECT_FALSE(result.times[place_of(analysis::WatchedMetric::kSpeedup)]);
  }
  EXPECT_THAT(read_night(reader, run_at(0), analysis::CatalogBuilder().finish())->results,
              IsEmpty())
      << "the catalog is older than the night";
}

}  // namespace
}  // namespace benchhud::service
