// The addresses of alerts, on a store that has made-up ones.
#include <gmock/gmock.h>

#include "schema/alert.h"
#include "store_fixture.h"

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
    auto transaction = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    EXPECT_TRUE(transaction);
    schema::Alert alert;
    alert.accelerator_model = accelerator_model;
    alert.key = "model\talpha\t" + std::to_string(++keys_);
    alert.onset = onset;
    alert.detected = detected;
    alert.first_seen = onset;
    const json experiment = {{"id", 1},
                             {"suite", "suite"},
                             {"model", "alpha"},
                             {"test", "eval"},
                             {"backend", "inductor"}};
    alert.details = json{{"title", "alpha is slower"},
                         {"direction", direction},
                         {"members", {{{"experiment", experiment}, {"metric", "steady"}}}}}
                        .dump();
    const auto id = schema::add_alert(*connection_, alert);
    EXPECT_TRUE(id) << id.error().message;
    EXPECT_TRUE(transaction->commit());
    return *id;
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

TEST_F(Alerts, CsvHasALineEach) {
  add(3000, schema::DetectedState::kConfirmed);
  const auto csv = *get(*app_, "/alerts?format=csv").body;
  EXPECT_THAT(csv, testing::HasSubstr("1,confirmed,confirmed,open,alpha is slower,regression,"));
}

}  // namespace
}  // namespace benchhud::server
