// The search over everything, on a store that is made up.
#include <gmock/gmock.h>

#include "schema/alerts/alert.h"
#include "tests/unit/schema/alerts/one_alert.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Search : public StoreFixture {
 protected:
  void SetUp() override {
    MadeLine failed;
    failed.model = "gamma";
    failed.times.clear();
    failed.code = "VERIFIER_DIDNT_RUN";
    failed.error = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB";
    ingest({MadeLine{}, MadeLine{.model = "alphabet", .dynamo = ""}, failed});
    ingest({MadeLine{.model = "beta_alpha", .timestamp = 1090000, .test = "train"}});
  }

  json find(const std::string& query) { return get_json(*app_, "/search?" + query); }
  /// The hits' kinds and titles, in order.
  std::vector<std::string> found(const std::string& query) {
    std::vector<std::string> titles;
    const auto answer = find(query);
    for (const auto& group : answer["groups"]) {
      for (const auto& item : group["items"]) {
        titles.push_back(group["kind"].get<std::string>() + " " + item["title"].get<std::string>());
      }
    }
    return titles;
  }
  schema::AlertId add_alert(const std::string& title,
                            schema::DetectedState detected = schema::DetectedState::kConfirmed) {
    schema::Alert alert;
    alert.accelerator_model = "A100";
    alert.detected = detected;
    alert.title = title;
    auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    EXPECT_TRUE(transaction);
    const auto id = schema::add_alert(*connection_, alert);
    EXPECT_TRUE(id);
    EXPECT_TRUE(transaction->commit());
    return *id;
  }

  std::unique_ptr<App> app_ = app();
};

TEST_F(Search, TheWholeNameIsBeforeItsBeginningAndAWordOfAnother) {
  const auto answer = find("q=ALPHA");
  ASSERT_FALSE(answer["groups"].empty());
  const auto& models = answer["groups"][0];
  EXPECT_EQ(models["kind"], "model");
  EXPECT_EQ(models["total"], 3);
  std::vector<std::string> titles, matches;
  for (const auto& item : models["items"]) {
    titles.push_back(item["title"]);
    matches.push_back(item["match"]);
  }
  EXPECT_THAT(titles, ElementsAre("alpha", "alphabet", "beta_alpha"));
  EXPECT_THAT(matches, ElementsAre("exact", "prefix", "word_start"));
  EXPECT_EQ(models["items"][0]["address"], (json{{"suite", "suite"}, {"model", "alpha"}}));
  EXPECT_FALSE(answer["nearly"]);
}

TEST_F(Search, AHitSaysWhenItWasLastThere) {
  const auto models = find("q=beta_alpha")["groups"][0];
  EXPECT_THAT(models["items"][0]["at"].get<std::string>(), HasSubstr("1970-01-13"));
}

TEST_F(Search, EachKindIsFound) {
  EXPECT_THAT(found("q=inductor&limit=1"), testing::Contains("backend inductor"));
  EXPECT_THAT(found("q=a100"), testing::Contains("accelerator A100"));
  EXPECT_THAT(found("q=suite&limit=1"), testing::Contains("suite suite"));
  EXPECT_THAT(found("q=per_iter_time"), testing::Contains("metric per_iter_time"));
  const auto errors = find("q=out of memory");
  EXPECT_EQ(errors["groups"][0]["kind"], "error");
  EXPECT_EQ(errors["groups"][0]["items"][0]["address"]["signature"],
            errors["groups"][0]["items"][0]["title"]);
  EXPECT_THAT(errors["groups"][0]["items"][0]["context"].get<std::string>(),
              HasSubstr("out of memory"));
  EXPECT_EQ(find("q=1970-01-13")["groups"][0]["kind"], "run");
}

TEST_F(Search, TestsAreFoundByWhatPeopleCallThem) {
  EXPECT_THAT(found("q=training"), testing::Contains("model beta_alpha"));
  EXPECT_THAT(found("q=alpha inference"), testing::Not(testing::Contains("model beta_alpha")));
}

TEST_F(Search, AlertsAreFoundByNumberTitleOwnerAndNotes) {
  add_alert("the machine: 3 models slower");
  add_alert("gone", schema::DetectedState::kWithdrawn);
  for (const auto& [kind, value] :
       {std::pair("owner", "Noether"), std::pair("note", "see the cooling of rack 7")}) {
    ASSERT_EQ(change(*app_, "POST", "/alerts/1/actions",
                     json{{"kind", kind}, {"value", value}, {"who", "ann"}}.dump())
                  .status,
              201);
  }
  for (const auto query : {"q=%231", "q=alert 1", "q=noether", "q=rack cooling", "q=machine"}) {
    EXPECT_THAT(found(query), testing::Contains("alert the machine: 3 models slower")) << query;
  }
  EXPECT_THAT(find("q=noether")["groups"][0]["items"][0]["context"].get<std::string>(),
              HasSubstr("Noether"));
  EXPECT_THAT(found("q=gone"), IsEmpty());
}

TEST_F(Search, AnAlertWithoutTitleIsFoundByItsNumber) {
  schema::Alert alert;
  alert.accelerator_model = "A100";
  ASSERT_TRUE(schema::add_alert(*connection_, alert));
  EXPECT_THAT(found("q=%231"), ElementsAre("alert alert 1"));
}

TEST_F(Search, TitlesOfAlertsMayHoldAnything) {
  const std::string title = "a \"quoted\" \\ back\\slash\n\u00fc";
  add_alert(title);
  EXPECT_THAT(found("q=%22quoted%22"), ElementsAre("alert " + title));
}

TEST_F(Search, WhatIsNewSinceIsFound) {
  EXPECT_THAT(found("q=delta"), IsEmpty());
  ingest({MadeLine{.model = "delta", .timestamp = 1180000}});
  EXPECT_THAT(found("q=delta"), ElementsAre("model delta"));
}

TEST_F(Search, AModelWithoutAnyRunIsNotFound) {
  ingest({MadeLine{.model = "lonely", .timestamp = 1180000}});
  EXPECT_THAT(found("q=lonely"), ElementsAre("model lonely"));
  ASSERT_TRUE(connection_->execute(
      "DELETE FROM result WHERE experiment_id IN (SELECT id FROM experiment WHERE model = "
      "'lonely'); UPDATE setting SET value = value + 1 WHERE key = 'revision'"));
  EXPECT_THAT(found("q=lonely"), IsEmpty());
  EXPECT_EQ(find("q=lonely")["total"], 0);
}

TEST_F(Search, ALetterMayBeWrongWhereNothingFits) {
  const auto answer = find("q=alphabte");
  EXPECT_TRUE(answer["nearly"]);
  EXPECT_EQ(answer["groups"][0]["items"][0]["title"], "alphabet");
  EXPECT_EQ(answer["groups"][0]["items"][0]["match"], "nearly");
}

TEST_F(Search, LimitIsOfEachKindAndTotalsAreOfAll) {
  const auto answer = find("q=alpha&limit=1");
  EXPECT_EQ(answer["groups"][0]["items"].size(), 1U);
  EXPECT_EQ(answer["groups"][0]["total"], 3);
  EXPECT_EQ(answer["searched"]["model"], 4);
}

TEST_F(Search, HostileQuestionsFindNothingAndHarmNothing) {
  for (const auto query : {"q=%25", "q=_", "q=*", "q=%27%3B+DROP+TABLE+run", "q=%FF%FE", "q=%00",
                           "q=%0A%09+", "q=", "q=%ED%A0%80"}) {
    EXPECT_EQ(get(*app_, std::string("/search?") + query).status, 200) << query;
  }
  EXPECT_THAT(found("q="), IsEmpty());
  EXPECT_THAT(found("q=%25"), IsEmpty());
  EXPECT_EQ(get(*app_, "/search?q=" + std::string(10'000, 'x')).status, 400);
  EXPECT_EQ(find("q=%FF")["query"], "\xEF\xBF\xBD");
}

class EmptySearch : public StoreFixture {};

TEST_F(EmptySearch, FindsWhatTheProgramKnows) {
  const auto app = this->app();
  EXPECT_EQ(get_json(*app, "/search?q=alpha")["total"], 0);
  EXPECT_EQ(get_json(*app, "/search?q=total_time")["groups"][0]["kind"], "metric");
}

}  // namespace
}  // namespace benchhud::server
