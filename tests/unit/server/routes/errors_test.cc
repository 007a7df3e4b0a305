// Errors over runs, on a store that is made up.
#include <gmock/gmock.h>

#include "schema/alerts/alert.h"
#include "tests/unit/schema/alerts/one_alert.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNight = 86400;
constexpr double kFirst = 1000000;
constexpr const char* kKeyError = "KeyError: 'x'";

MadeLine failed(MadeLine line, const std::string& error) {
  line.times.clear();
  line.code = "VERIFIER_DIDNT_RUN";
  line.error = error;
  return line;
}

class Errors : public StoreFixture {
 protected:
  /// Four nights: alpha fails in the second and the fourth, beta from the third on.
  void SetUp() override {
    for (int night = 0; night < 4; ++night) {
      const double at = kFirst + night * kNight;
      MadeLine alpha{.timestamp = at}, beta{.model = "beta", .dynamo = "", .timestamp = at};
      MadeLine fine{.model = "gamma", .timestamp = at};
      std::vector<MadeLine> lines = {fine};
      lines.push_back(night % 2 == 1 ? failed(alpha, kKeyError) : alpha);
      lines.push_back(night >= 2 ? failed(beta, "ValueError: no") : beta);
      ingest(lines);
    }
  }
  json list(const std::string& query = "") { return get_json(*app_, "/errors" + query); }
  json history(const std::string& query) { return get_json(*app_, "/errors/history?" + query); }

  std::unique_ptr<App> app_ = app();
};

TEST_F(Errors, TheListTellsSinceWhenAndHowOften) {
  const auto answer = list();
  ASSERT_EQ(answer["runs"].size(), 4U);
  ASSERT_EQ(answer["items"].size(), 2U);
  std::map<std::string, json> by_signature;
  for (const auto& item : answer["items"]) by_signature[item["signature"]] = item;
  const auto& key = by_signature[kKeyError];
  EXPECT_EQ(key["kind"], "exception");
  EXPECT_EQ(key["counts"], (json{0, 1, 0, 1}));
  EXPECT_EQ(key["now"], 1);
  EXPECT_EQ(key["run_count"], 2);
  ASSERT_EQ(key["since"].size(), 1U);
  EXPECT_EQ(key["since"][0]["run_id"], answer["runs"][3]["id"]);
  EXPECT_EQ(key["since"][0]["standing"], "back");
  EXPECT_EQ(key["line_run_id"], answer["runs"][3]["id"]);
  EXPECT_EQ(key["first_run_id"], answer["runs"][1]["id"]);
  EXPECT_EQ(key["backends"], json{"inductor"});
  EXPECT_EQ(by_signature["ValueError: no"]["since"][0]["run_id"], answer["runs"][2]["id"]);
  EXPECT_EQ(answer["now"], (json{{"experiments", 2}, {"failed", 2}, {"verification", 0}}));
  EXPECT_EQ(by_signature["ValueError: no"]["backends"], json{"eager"});
}

TEST_F(Errors, FiltersAndSpansNarrowTheList) {
  EXPECT_EQ(list("?backend=eager")["items"].size(), 1U);
  EXPECT_EQ(list("?suite=nobody")["items"].size(), 0U);
  EXPECT_EQ(list("?kind=crashed")["items"].size(), 0U);
  EXPECT_EQ(list("?kind=crashed&kind=exception")["items"].size(), 2U);
  const auto last = list("?runs=1");
  EXPECT_EQ(last["runs"].size(), 1U);
  EXPECT_EQ(last["items"][0]["since"][0]["standing"], "lasting");
}

TEST_F(Errors, OneSignatureTellsOfItsExperiments) {
  const auto answer = history("signature=KeyError:%20%27x%27");
  ASSERT_EQ(answer["experiments"].size(), 1U);
  const auto& one = answer["experiments"][0];
  EXPECT_EQ(one["experiment"]["model"], "alpha");
  EXPECT_EQ(one["nights"], ".x.x");
  EXPECT_EQ(one["failed"], 2);
  EXPECT_EQ(one["tried"], 4);
  EXPECT_TRUE(one["now"]);
  EXPECT_EQ(one["since_run_id"], answer["runs"][3]["id"]);
  EXPECT_FALSE(one["verifying"]);
  EXPECT_THAT(answer["reproduction"].get<std::string>(), HasSubstr("alpha"));
  const auto text = get(*app_, "/lines/" + std::to_string(one["line_id"].get<int>()) + "/error");
  EXPECT_EQ(*text.body, kKeyError);
}

TEST_F(Errors, AnUnknownSignatureHasNoHistory) {
  const auto answer = history("signature=nobody%20raised%20it");
  EXPECT_TRUE(answer["error"].is_null());
  EXPECT_EQ(answer["experiments"].size(), 0U);
  EXPECT_EQ(answer["reproduction"], "");
  EXPECT_EQ(answer["runs"].size(), 4U);
  EXPECT_EQ(history("signature=%FF%00%25")["experiments"].size(), 0U);
}

TEST_F(Errors, ASignatureIsLookedForWhereItWasLast) {
  ingest({MadeLine{.timestamp = kFirst + 9 * kNight, .accelerator_model = "H100"}});
  ingest({failed({.timestamp = kFirst + kNight, .accelerator_model = "T4"}, kKeyError)});
  EXPECT_EQ(list()["items"].size(), 0U) << "of the accelerator model with the newest run";
  const auto answer = history("signature=KeyError:%20%27x%27");
  EXPECT_THAT(answer["accelerator_models"], ElementsAre("A100", "T4"));
  EXPECT_EQ(answer["runs"][0]["accelerator_model"], "A100");
  EXPECT_EQ(history("signature=KeyError:%20%27x%27&accelerator_model=T4")["experiments"].size(),
            1U);
}

TEST_F(Errors, AlertsOfTheExperimentsAreNamed) {
  const auto id = history("signature=KeyError:%20%27x%27")["experiments"][0]["experiment"]["id"];
  for (const std::int64_t experiment : {id.get<std::int64_t>(), std::int64_t{987654}}) {
    schema::AlertMember member;
    member.experiment_id = schema::ExperimentId{experiment};
    schema::Alert alert;
    alert.accelerator_model = "A100";
    alert.onset = kFirst + kNight;
    ASSERT_TRUE(schema::add_alert(*connection_, alert, {{}, {member, member}}));
  }
  const auto answer = history("signature=KeyError:%20%27x%27");
  ASSERT_EQ(answer["alerts"].size(), 1U);
  EXPECT_EQ(answer["alerts"][0]["id"], 1);
}

TEST_F(Errors, AnIngestChangesTheAnswer) {
  const auto before = get(*app_, "/errors");
  MadeLine line{.timestamp = kFirst + 4 * kNight};
  ingest({failed(line, kKeyError)});
  const auto after = list();
  EXPECT_EQ(after["runs"].size(), 5U);
  EXPECT_EQ(after["items"][0]["counts"].size(), 5U);
}

class NoErrors : public StoreFixture {};

TEST_F(NoErrors, OfNoRunsThereIsNothingToSay) {
  const auto app = this->app();
  EXPECT_EQ(get(*app, "/errors").status, 404);
  EXPECT_EQ(get(*app, "/errors/history?signature=x").status, 404);
}

}  // namespace
}  // namespace benchhud::server
