// The addresses of alerts, on a store that has made-up ones.
#include <gmock/gmock.h>
#include <unistd.h>

#include "analysis/results/catalog.h"
#include "schema/alerts/alert.h"
#include "server/api/paging.h"
#include "service/alerts/alert_causes.h"
#include "tests/unit/schema/alerts/one_alert.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using nlohmann::json;
using testing::ElementsAre;

class Alerts : public StoreFixture {
 protected:
  /// An alert on the model alpha and the backend inductor, as analysis would keep it.
  schema::AlertId add(double onset, schema::DetectedState detected,
                      const std::string& accelerator_model = "A100",
                      const std::string& direction = "regression") {
    schema::Alert alert;
    alert.accelerator_model = accelerator_model;
    alert.key = "model\talpha\t" + std::to_string(++keys_);
    alert.onset = onset;
    alert.detected = detected;
    alert.first_seen = onset;
    alert.title = "alpha is slower";
    alert.scope = "model";
    alert.suite = "suite";
    alert.model = "alpha";
    alert.direction = *schema::change_direction_of(direction);
    schema::AlertMember member;
    member.experiment_id = schema::ExperimentId{1};
    member.experiment.suite = "suite";
    member.experiment.model = "alpha";
    member.experiment.test = "eval";
    member.backend = "inductor";
    member.metric = "steady";
    return keep(alert, {{}, {member}});
  }

  schema::AlertId keep(const schema::Alert& alert, const schema::AlertDetails& details = {}) {
    auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    EXPECT_TRUE(transaction);
    const auto id = schema::add_alert(*connection_, alert, details);
    EXPECT_TRUE(id) << id.error().message;
    EXPECT_TRUE(transaction->commit());
    return *id;
  }

  Response act(const std::string& body, const std::string& path = "/alerts/1/actions") {
    return change(*app_, "POST", path, body);
  }
  /// The field that a body is refused for, with its status.
  std::string refused(const std::string& body) {
    const auto response = act(body);
    return std::to_string(response.status) + " " +
           json::parse(*response.body).value("parameter", "");
  }

  std::vector<int> listed(const std::string& query) {
    std::vector<int> ids;
    const auto answer = get_json(*app_, "/alerts" + query);
    for (const auto& item : answer["items"]) ids.push_back(item["id"]);
    return ids;
  }

  int keys_ = 0;
  std::unique_ptr<App> app_ = app();
};

TEST_F(Alerts, TheListHasWhatNeedsAttentionTheLastToBeginFirst) {
  add(3000, schema::DetectedState::kConfirmed);
  add(5000, schema::DetectedState::kSuspect);
  add(4000, schema::DetectedState::kRecovered);
  add(3000, schema::DetectedState::kConfirmed);
  EXPECT_THAT(listed(""), ElementsAre(2, 4, 1));
  EXPECT_THAT(listed("?state=all"), ElementsAre(2, 3, 4, 1));
  EXPECT_THAT(listed("?state=recovered,suspect"), ElementsAre(2, 3));
  EXPECT_THAT(listed("?state=recovered&state=suspect"), ElementsAre(2, 3));
  EXPECT_THAT(listed("?state=recovered,attention"), ElementsAre(2, 3, 4, 1));

  ASSERT_TRUE(schema::act_on_alert(*connection_, schema::AlertId{4}, "state", "fixed", "ada"));
  EXPECT_THAT(listed(""), ElementsAre(2, 1));
  EXPECT_THAT(listed("?state=fixed"), ElementsAre(4));
  for (const char* wrong : {"?state=open", "?state=", "?state=fixed,", "?state=Fixed"}) {
    const auto response = get(*app_, std::string("/alerts") + wrong);
    EXPECT_EQ(response.status, 400) << wrong;
    EXPECT_EQ(json::parse(*response.body)["parameter"], "state");
  }
}

TEST_F(Alerts, FiltersLookAtWhatChanged) {
  add(3000, schema::DetectedState::kConfirmed);
  add(4000, schema::DetectedState::kConfirmed, "V100");
  add(5000, schema::DetectedState::kConfirmed, "A100", "improvement");
  EXPECT_THAT(listed("?accelerator_model=V100"), ElementsAre(2));
  EXPECT_THAT(listed("?direction=improvement"), ElementsAre(3));
  EXPECT_THAT(listed("?model=alpha&backend=inductor&suite=suite"), ElementsAre(3, 2, 1));
  EXPECT_THAT(listed("?model=alpha&backend=eager"), ElementsAre());
  EXPECT_THAT(listed("?model=beta&model=alpha&direction=regression"), ElementsAre(2, 1));
  EXPECT_THAT(listed("?since=1970-01-01T01:06:40Z"), ElementsAre(3, 2));
  EXPECT_THAT(listed("?until=1970-01-01T01:06:40Z"), ElementsAre(1));
  EXPECT_EQ(get(*app_, "/alerts?direction=up").status, 400);
}

TEST_F(Alerts, PagesFollowEachOther) {
  for (int i = 0; i < 5; ++i) add(1000.0 * (i / 2), schema::DetectedState::kConfirmed);
  std::vector<int> ids;
  std::string cursor;
  do {
    const auto page = get_json(*app_, "/alerts?limit=2" + cursor);
    EXPECT_EQ(page["total"], 5);
    for (const auto& item : page["items"]) ids.push_back(item["id"]);
    cursor =
        page["next_cursor"].is_null() ? "" : "&cursor=" + page["next_cursor"].get<std::string>();
  } while (!cursor.empty());
  EXPECT_THAT(ids, ElementsAre(5, 4, 3, 2, 1));
}

TEST_F(Alerts, TheMostUrgentComeFirstWhereThatIsAskedFor) {
  using enum schema::DetectedState;
  add(9000, kConfirmed, "A100", "improvement");  // 1
  add(3000, kConfirmed);                         // 2
  add(8000, kSuspect);                           // 3
  const auto taken = add(9500, kConfirmed);      // 4
  add(4000, kConfirmed);                         // 5
  add(9900, kConfirmed, "A100", "change");       // 6
  add(9990, kRecovered);                         // 7
  schema::Alert bare;
  bare.accelerator_model = "A100";
  keep(bare);  // 8
  ASSERT_TRUE(schema::act_on_alert(*connection_, taken, "state", "acknowledged", "ada"));
  EXPECT_THAT(listed("?order=urgency"), ElementsAre(5, 2, 3, 4, 1, 6, 8));
  EXPECT_THAT(listed("?order=urgency&state=all"), ElementsAre(5, 2, 3, 4, 1, 6, 8, 7));
  EXPECT_EQ(get_json(*app_, "/alerts")["counts"],
            json::parse(R"({"confirmed": 2, "suspect": 1, "taken": 1, "improvement": 1,
                            "change": 2, "muted": 0, "closed": 0})"));
  EXPECT_EQ(get_json(*app_, "/store")["attention_count"], 3) << "those for the worse";

  std::vector<int> ids;
  std::string cursor;
  do {
    const auto page = get_json(*app_, "/alerts?order=urgency&limit=2" + cursor);
    for (const auto& item : page["items"]) ids.push_back(item["id"]);
    cursor =
        page["next_cursor"].is_null() ? "" : "&cursor=" + page["next_cursor"].get<std::string>();
  } while (!cursor.empty());
  EXPECT_THAT(ids, ElementsAre(5, 2, 3, 4, 1, 6, 8));
  // Of a time when 5 was closed.
  const auto old = make_cursor("listAlerts?order=urgency&", {5, to_bits(0), to_bits(0), 1});
  EXPECT_EQ(get(*app_, "/alerts?order=urgency&cursor=" + old).status, 400);

  std::vector<std::string> urgencies;
  const auto all = get_json(*app_, "/alerts?order=urgency&state=all");
  for (const auto& item : all["items"]) {
    urgencies.push_back(item["urgency"]);
    EXPECT_EQ(get_json(*app_, "/alerts/" + std::to_string(item["id"].get<int>()))["urgency"],
              item["urgency"]);
  }
  EXPECT_THAT(urgencies, ElementsAre("confirmed", "confirmed", "suspect", "taken", "improvement",
                                     "change", "change", "closed"));
}

TEST_F(Alerts, OneHasItsHistory) {
  const auto id = add(3000, schema::DetectedState::kConfirmed);
  EXPECT_EQ(get(*app_, "/alerts/2").status, 404);
  EXPECT_EQ(get(*app_, "/alerts/0").status, 400);
  const auto etag = std::string(get(*app_, "/alerts/1").header("ETag"));
  EXPECT_TRUE(get_json(*app_, "/alerts/1")["actions"].empty());
  ASSERT_TRUE(schema::act_on_alert(*connection_, id, "owner", "ada", "bob"));
  ASSERT_TRUE(schema::act_on_alert(*connection_, id, "note", "the driver?", "ada"));
  const auto alert = get_json(*app_, "/alerts/1");
  EXPECT_NE(get(*app_, "/alerts/1").header("ETag"), etag);
  EXPECT_EQ(alert["owner"], "ada");
  EXPECT_EQ(alert["state"], "confirmed");
  EXPECT_EQ(alert["details"]["title"], "alpha is slower");
  ASSERT_EQ(alert["actions"].size(), 2U);
  EXPECT_EQ(alert["actions"][0]["kind"], "owner");
  EXPECT_EQ(alert["actions"][1]["value"], "the driver?");
  EXPECT_EQ(alert["actions"][1]["who"], "ada");
}

TEST_F(Alerts, OneWhoseRunsAndExperimentsAreGoneIsShown) {
  schema::Alert alert;
  alert.accelerator_model = "A100";
  alert.last_good = schema::RunId{71};
  alert.first_bad = schema::RunId{72};
  schema::AlertMember member;
  member.experiment_id = schema::ExperimentId{999};
  member.experiment.model = "gone";
  member.metric = "a metric of another version";
  member.onset = schema::RunId{72};
  member.timed = schema::AlertMember::Timed{};
  keep(alert, {{}, {member}});
  const auto shown = get_json(*app_, "/alerts/1");
  EXPECT_EQ(shown["details"]["last_good"], nullptr);
  EXPECT_EQ(shown["details"]["members"][0]["experiment"]["model"], "gone");
  EXPECT_EQ(shown["details"]["members"][0]["title"], "a metric of another version");
  EXPECT_TRUE(shown["causes"].empty());
  EXPECT_EQ(shown["reproduction"], "");
}

TEST_F(Alerts, PeopleActOnThem) {
  add(3000, schema::DetectedState::kConfirmed);
  const auto done = act(R"({"kind": "state", "value": "acknowledged", "who": "ada"})");
  EXPECT_EQ(done.status, 201) << *done.body;
  EXPECT_EQ(done.header("Location"), "/api/v1/alerts/1");
  EXPECT_EQ(json::parse(*done.body)["state"], "acknowledged");
  EXPECT_EQ(act(R"({"kind": "note", "value": "two\nlines"})").status, 201);
  const auto alert = json::parse(*act(R"({"kind": "link", "value": "https://x/1"})").body);
  EXPECT_EQ(alert["link"], "https://x/1");
  ASSERT_EQ(alert["actions"].size(), 4U);
  EXPECT_EQ(alert["actions"][0]["who"], "ada");
  EXPECT_EQ(alert["actions"][1]["kind"], "owner");
  EXPECT_EQ(alert["actions"][1]["value"], "ada") << "it was nobody's";
  EXPECT_EQ(alert["actions"][2]["value"], "two\nlines");
  EXPECT_EQ(alert["owner"], "ada");
  EXPECT_EQ(get_json(*app_, "/alerts/1"), alert);
}

TEST_F(Alerts, PeopleActOnSeveralAtOnce) {
  for (int i = 0; i < 3; ++i) add(3000 + i, schema::DetectedState::kConfirmed);
  const auto on = [&](const std::string& body) { return act(body, "/alerts/actions"); };
  const auto done =
      on(R"({"ids": [1, 3], "kind": "state", "value": "acknowledged", "who": "ada"})");
  EXPECT_EQ(done.status, 200) << *done.body;
  EXPECT_EQ(done.header("Location"), "");
  const auto answer = json::parse(*done.body);
  ASSERT_EQ(answer["items"].size(), 2U);
  EXPECT_EQ(answer["total"], 2);
  for (const auto& one : answer["items"]) {
    EXPECT_EQ(one["state"], "acknowledged");
    EXPECT_EQ(one["owner"], "ada");
  }
  EXPECT_THAT(listed("?state=acknowledged"), ElementsAre(3, 1));
  EXPECT_THAT(listed("?owner=ada"), ElementsAre(3, 1));
  EXPECT_THAT(listed("?owner=ada&owner="), ElementsAre(3, 2, 1));
  EXPECT_THAT(listed("?id=2&id=3"), ElementsAre(3, 2));
  EXPECT_EQ(get(*app_, "/alerts?id=0").status, 400);

  const auto refused_with = [&](const std::string& body) {
    const auto response = on(body);
    const auto problem = json::parse(*response.body);
    return std::to_string(response.status) + " " + problem.value("parameter", "") + ": " +
           problem.value("detail", "");
  };
  using testing::HasSubstr;
  const std::string fixed = R"(, "kind": "state", "value": "fixed"})";
  EXPECT_THAT(refused_with(R"({"ids": [2, 99])" + fixed),
              HasSubstr("404 ids: there is no alert 99"));
  EXPECT_THAT(refused_with(R"({"ids": [2, 2])" + fixed), HasSubstr("400 ids: ids names 2 twice"));
  EXPECT_THAT(refused_with(R"({"ids": [])" + fixed),
              HasSubstr("400 ids: ids must have at least 1"));
  for (const char* wrong : {"2", "\"2\"", "[\"2\"]", "[2.5]", "null", "[null]", "{}", "[[2]]",
                            "[18446744073709551615]"}) {
    EXPECT_THAT(refused_with(std::string(R"({"ids": )") + wrong + fixed),
                HasSubstr("400 ids: ids must be a list of whole numbers"))
        << wrong;
  }
  EXPECT_THAT(refused_with(R"({"ids": [2], "ids": [2])" + fixed), HasSubstr("only once"));
  EXPECT_THAT(refused_with(R"({"kind": "state", "value": "fixed"})"), HasSubstr("ids is missing"));
  EXPECT_THAT(refused_with(R"({"ids": [2], "kind": ["state"], "value": "fixed"})"),
              HasSubstr("400 kind"));
  EXPECT_THAT(refused_with(R"({"ids": [2], "kind": "state", "value": "gone"})"),
              HasSubstr("400 value"));
  std::string many = "1";
  for (int i = 2; i <= 1001; ++i) many += "," + std::to_string(i);
  EXPECT_THAT(refused_with(R"({"ids": [)" + many + "]" + fixed), HasSubstr("at most 1000"));
  EXPECT_TRUE(get_json(*app_, "/alerts/2")["actions"].empty()) << "nothing was done";
}

TEST_F(Alerts, AMuteEndsByItselfAndNoAnswerOfTheDayBeforeIsGivenAgain) {
  constexpr double kDay = 86400;
  double at = schema::now();
  AppOptions options;
  options.clock = [&at] { return at; };
  const auto app = this->app(options);
  add(3000, schema::DetectedState::kConfirmed);
  add(4000, schema::DetectedState::kConfirmed);
  const std::string until = schema::format_date(at + 2 * kDay);
  const auto done = act(R"({"kind": "mute", "value": ")" + until + R"(", "who": "ada"})");
  EXPECT_EQ(done.status, 201) << *done.body;
  EXPECT_EQ(json::parse(*done.body)["muted_until"], json({{"date", until}, {"state", nullptr}}));
  const std::vector<std::string> addresses = {"/alerts", "/alerts/1", "/store"};
  std::vector<std::string> etags;
  for (const auto& address : addresses) {
    etags.emplace_back(get(*app, address).header("ETag"));
  }
  EXPECT_EQ(get_json(*app, "/alerts")["total"], 1);
  EXPECT_EQ(get_json(*app, "/alerts?state=muted")["items"][0]["id"], 1);
  EXPECT_EQ(get_json(*app, "/alerts?state=muted")["counts"]["muted"], 1);
  EXPECT_EQ(get_json(*app, "/alerts/1")["state"], "muted");
  EXPECT_EQ(get_json(*app, "/alerts/1")["urgency"], "muted");
  EXPECT_EQ(get_json(*app, "/store")["attention_count"], 1);
  EXPECT_THAT(*get(*app, "/metrics").body, testing::HasSubstr("benchhud_alerts_muted 1"));

  at += 2 * kDay;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    EXPECT_NE(get(*app, addresses[i]).header("ETag"), etags[i]) << addresses[i];
  }
  EXPECT_EQ(get_json(*app, "/alerts")["total"], 2);
  EXPECT_EQ(get_json(*app, "/alerts?state=muted")["total"], 0);
  EXPECT_EQ(get_json(*app, "/alerts/1")["state"], "confirmed");
  EXPECT_EQ(get_json(*app, "/alerts/1")["muted_until"], nullptr);
  EXPECT_EQ(get_json(*app, "/store")["attention_count"], 2);
  EXPECT_EQ(refused(R"({"kind": "mute", "value": "2001-01-01"})"), "400 value");
  const auto worse = act(R"({"kind": "mute", "value": "recovered"})");
  EXPECT_EQ(json::parse(*worse.body)["muted_until"],
            json({{"date", nullptr}, {"state", "recovered"}}));
}

TEST_F(Alerts, WhatMakesNoSenseIsRefusedAndNamed) {
  add(3000, schema::DetectedState::kConfirmed);
  EXPECT_EQ(refused(""), "400 ");
  EXPECT_EQ(refused("{"), "400 ");
  EXPECT_EQ(refused("[]"), "400 ");
  EXPECT_EQ(refused("null"), "400 ");
  EXPECT_EQ(refused(R"({"kind":"note","value":"x"} {})"), "400 ");
  EXPECT_EQ(refused("{\"kind\":\"note\",\"value\":\"\xff\"}"), "400 ");
  EXPECT_EQ(refused(std::string(100000, '[')), "400 ");
  EXPECT_EQ(refused(R"({"value": "x"})"), "400 kind");
  EXPECT_EQ(refused(R"({"kind": "note"})"), "400 value");
  EXPECT_EQ(refused(R"({"kind": "note", "value": ""})"), "400 value");
  EXPECT_EQ(refused(R"({"kind": "note", "value": 1})"), "400 value");
  EXPECT_EQ(refused(R"({"kind": "note", "value": null})"), "400 value");
  EXPECT_EQ(refused(R"({"kind": "note", "value": "a\u0000b"})"), "400 value");
  EXPECT_EQ(refused(R"({"kind": "delete", "value": "x"})"), "400 kind");
  EXPECT_EQ(refused(R"({"kind": "note", "kind": "note", "value": "x"})"), "400 kind");
  EXPECT_EQ(refused(R"({"kind": "note", "value": "x", "at": "x"})"), "400 ");
  EXPECT_EQ(refused(R"({"kind": "state", "value": "gone"})"), "400 value");
  EXPECT_EQ(refused(R"({"kind": "link", "value": "javascript:1"})"), "400 value");
  const std::string kilobytes(2000, 'x');
  EXPECT_EQ(refused(R"({"kind": "owner", "value": ")" + kilobytes + R"("})"), "413 value");
  EXPECT_EQ(refused(R"({"kind": "note", "value": "x", "who": ")" + kilobytes + R"("})"), "413 who");
  EXPECT_EQ(act(R"({"kind": "note", "value": "x"})", "/alerts/2/actions").status, 404);
  EXPECT_EQ(act(R"({"kind": "note", "value": "x"})", "/alerts/x/actions").status, 400);
  EXPECT_EQ(act(R"({"kind": "note", "value": "x"})", "/alerts/1/actions?x=1").status, 400);
  EXPECT_TRUE(get_json(*app_, "/alerts/1")["actions"].empty());
}

TEST_F(Alerts, OtherSitesAndOtherFormsChangeNothing) {
  add(3000, schema::DetectedState::kConfirmed);
  const Request request =
      change_request("POST", "/alerts/1/actions", R"({"kind": "note", "value": "x"})");
  Request foreign = request;
  foreign.origin = "https://elsewhere.example";
  EXPECT_EQ(app_->handle(foreign).status, 403);
  Request form = request;
  form.content_type = "text/plain";
  EXPECT_EQ(app_->handle(form).status, 415);
  EXPECT_TRUE(get_json(*app_, "/alerts/1")["actions"].empty());
  EXPECT_EQ(app_->handle(request).status, 201);
}

TEST_F(Alerts, AddressesSayWhichMethodsTheyTake) {
  const auto only_post = get(*app_, "/alerts/1/actions");
  EXPECT_EQ(only_post.status, 405);
  EXPECT_EQ(only_post.header("Allow"), "POST");
  const auto only_get = change(*app_, "POST", "/alerts", "{}");
  EXPECT_EQ(only_get.status, 405);
  EXPECT_EQ(only_get.header("Allow"), "GET, HEAD");
  EXPECT_EQ(change(*app_, "POST", "/nothing", "{}").status, 404);
}

TEST_F(Alerts, AStoreThatIsWrittenToIsBusy) {
  add(3000, schema::DetectedState::kConfirmed);
  const std::string note = R"({"kind": "note", "value": "x"})";
  EXPECT_EQ(act(note).status, 201);
  {
    const auto other = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(other);
    const auto response = act(note);
    EXPECT_EQ(response.status, 503);
    EXPECT_NE(response.body->find("nothing was changed"), std::string::npos) << *response.body;
  }
  EXPECT_EQ(act(note).status, 201);
}

TEST_F(Alerts, AStoreThatMayNotBeWrittenToIsSaidToBe) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write to everything";
  add(3000, schema::DetectedState::kConfirmed);
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  EXPECT_EQ(act(R"({"kind": "note", "value": "x"})").status, 403);
}

TEST_F(Alerts, SeriesShowTheirChanges) {
  ingest({{}, {.dynamo = ""}});
  ingest({{.timestamp = 1086400, .times = {3, 1, 1, 0.6, 0.6, 0.6}}});
  const std::string series = "/series?suite=suite&model=alpha&test=eval";
  const auto experiment = [&](const char* backend) {
    return get_json(*app_, series + "&backend=" + backend)["series"][0]["experiment"];
  };
  schema::AlertMember change;
  change.experiment_id = schema::ExperimentId{experiment("inductor")["id"].get<std::int64_t>()};
  change.metric = "steady";
  change.detected = schema::DetectedState::kConfirmed;
  change.direction = schema::ChangeDirection::kRegression;
  change.onset = change.earliest = change.latest = schema::RunId{2};
  change.timed = schema::AlertMember::Timed{};
  change.timed->before = 0.5;
  change.timed->after = 0.6;
  change.timed->effect = 0.2;
  schema::AlertMember verdict = change, taken_back = change, without_levels = change;
  verdict.metric = "verification";
  taken_back.detected = schema::DetectedState::kWithdrawn;
  without_levels.timed->effect = std::nullopt;
  schema::Alert alert;
  alert.accelerator_model = "A100";
  alert.detected = schema::DetectedState::kConfirmed;
  keep(alert, {{}, {change, verdict, taken_back, without_levels}});
  alert.detected = schema::DetectedState::kWithdrawn;
  keep(alert, {{}, {change}});
  ASSERT_TRUE(schema::act_on_alert(*connection_, schema::AlertId{1}, "state", "fixed", ""));

  const auto answer = get_json(*app_, series);
  for (const auto& one : answer["series"]) {
    if (one["experiment"]["backend"] != "inductor") {
      EXPECT_TRUE(one["changes"].empty());
      continue;
    }
    ASSERT_EQ(one["changes"].size(), 1U);
    const json onset = one["changes"][0]["run"];
    EXPECT_EQ(onset["id"], 2);
    EXPECT_EQ(one["changes"][0], json({{"alert", 1},
                                       {"state", "fixed"},
                                       {"run", onset},
                                       {"earliest", onset},
                                       {"latest", onset},
                                       {"before", 0.5},
                                       {"after", 0.6},
                                       {"direction", "regression"},
                                       {"effect", 0.2},
                                       {"interval", nullptr}}));
  }
  EXPECT_TRUE(get_json(*app_, series + "&metric=compile")["series"][0]["changes"].empty());
}

TEST_F(Alerts, TheHeaviestComeFirstWithTheNumberOfTheirTitles) {
  const auto add_of = [&](double weight, const std::optional<schema::AlertHeadline>& headline) {
    schema::Alert alert;
    alert.accelerator_model = "A100";
    alert.key = "model\t" + std::to_string(++keys_);
    alert.onset = alert.first_seen = 1000.0 * keys_;
    alert.detected = schema::DetectedState::kConfirmed;
    alert.direction = schema::ChangeDirection::kRegression;
    alert.weight = weight;
    alert.headline = headline;
    keep(alert);
  };
  add_of(0.05, schema::AlertHeadline{"steady", 0.08, 0.05, 0.11, {}, {}, schema::ExperimentId{7}});
  add_of(1002, schema::AlertHeadline{"verification", {}, {}, {}, "PASS", "FAIL", {}});
  add_of(0.3, std::nullopt);
  add_of(0.3, std::nullopt);
  EXPECT_THAT(listed(""), ElementsAre(4, 3, 2, 1)) << "the newest";
  EXPECT_THAT(listed("?order=urgency"), ElementsAre(2, 4, 3, 1));
  std::vector<int> ids;
  std::string cursor;
  do {
    const auto page = get_json(*app_, "/alerts?order=urgency&limit=1" + cursor);
    for (const auto& item : page["items"]) ids.push_back(item["id"]);
    cursor =
        page["next_cursor"].is_null() ? "" : "&cursor=" + page["next_cursor"].get<std::string>();
  } while (!cursor.empty());
  EXPECT_THAT(ids, ElementsAre(2, 4, 3, 1));
  const auto of = [&](int id) {
    return get_json(*app_, "/alerts/" + std::to_string(id))["details"]["headline"];
  };
  EXPECT_EQ(of(1), json::parse(R"({"metric": "steady", "title": "steady time", "unit": "s",
      "better": "lower", "effect": 0.08, "interval": {"low": 0.05, "high": 0.11,
      "confidence": 0.95}, "before_text": null, "after_text": null, "experiment_id": 7})"));
  EXPECT_EQ(of(2), json::parse(R"({"metric": "verification", "title": "verification", "unit": "",
      "better": "neither", "effect": null, "interval": null, "before_text": "PASS",
      "after_text": "FAIL", "experiment_id": null})"));
  EXPECT_TRUE(of(3).is_null());
}

TEST_F(Alerts, CsvHasALineEach) {
  add(3000, schema::DetectedState::kConfirmed);
  const auto csv = *get(*app_, "/alerts?format=csv").body;
  EXPECT_THAT(csv,
              testing::HasSubstr("1,confirmed,confirmed,open,alpha is slower,,,,,,,0,regression,"))
      << "one without a headline";
}

}  // namespace
}  // namespace benchhud::server
