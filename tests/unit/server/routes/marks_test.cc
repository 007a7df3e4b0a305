// Marks of nights over the API.
#include <gmock/gmock.h>

#include "schema/alerts/night_mark.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using nlohmann::json;

class Marks : public StoreFixture {
 protected:
  Marks() {
    ingest({{}});
    ingest({{.timestamp = 1086400}});
  }
  std::unique_ptr<App> app_ = app();
};

TEST_F(Marks, StandWithTheRunUntilTheyAreTakenAway) {
  EXPECT_TRUE(get_json(*app_, "/runs/latest")["marks"].empty());
  const auto marked = change(*app_, "POST", "/runs/latest/marks",
                             R"({"kind": "excluded", "reason": "<b>noise</b>", "who": "ada"})");
  EXPECT_EQ(marked.status, 201) << *marked.body;
  const auto run = json::parse(*marked.body);
  EXPECT_EQ(marked.header("Location"), "/api/v1/runs/" + run["id"].dump());
  ASSERT_EQ(run["marks"].size(), 1U);
  EXPECT_EQ(run["marks"][0]["kind"], "excluded");
  EXPECT_EQ(run["marks"][0]["reason"], "<b>noise</b>");
  EXPECT_EQ(run["marks"][0]["who"], "ada");
  EXPECT_TRUE(get_json(*app_, "/runs")["items"][1]["marks"].empty()) << "the other night has none";

  EXPECT_EQ(change(*app_, "POST", "/runs/latest/marks", R"({"kind": "environment"})").status, 201);
  EXPECT_EQ(get_json(*app_, "/runs/latest")["marks"].size(), 2U);
  const auto unmarked = change(*app_, "DELETE", "/runs/latest/marks/excluded");
  EXPECT_EQ(unmarked.status, 200) << *unmarked.body;
  ASSERT_EQ(json::parse(*unmarked.body)["marks"].size(), 1U);
  EXPECT_EQ(json::parse(*unmarked.body)["marks"][0]["kind"], "environment");
  EXPECT_EQ(change(*app_, "DELETE", "/runs/latest/marks/excluded").status, 404);
}

TEST_F(Marks, StandBesideTheRunsOfASeries) {
  const std::string path = "/series?suite=suite&model=alpha&test=eval&metric=steady";
  EXPECT_EQ(get_json(*app_, path)["marks"], json::parse("[[], []]"));
  ASSERT_EQ(change(*app_, "POST", "/runs/latest/marks",
                   R"({"kind": "environment", "reason": "driver 550"})")
                .status,
            201);
  const json series = get_json(*app_, path);
  ASSERT_EQ(series["marks"].size(), series["runs"].size());
  EXPECT_TRUE(series["marks"][0].empty());
  ASSERT_EQ(series["marks"][1].size(), 1U);
  EXPECT_EQ(series["marks"][1][0]["kind"], "environment");
  EXPECT_EQ(series["marks"][1][0]["reason"], "driver 550");
}

TEST_F(Marks, WhatMakesNoSenseIsRefused) {
  const auto refused = [&](const std::string& path, const std::string& body) {
    const auto response = change(*app_, "POST", path, body);
    return std::to_string(response.status) + " " +
           json::parse(*response.body).value("parameter", "");
  };
  EXPECT_EQ(refused("/runs/latest/marks", "{}"), "400 kind");
  EXPECT_EQ(refused("/runs/latest/marks", R"({"kind": "gone"})"), "400 kind");
  EXPECT_EQ(refused("/runs/latest/marks", R"({"kind": "excluded", "reason": 1})"), "400 reason");
  EXPECT_EQ(refused("/runs/nobody/marks", R"({"kind": "excluded"})"), "404 run");
  const std::string kilobytes(2000, 'x');
  EXPECT_EQ(
      refused("/runs/latest/marks", R"({"kind": "excluded", "reason": ")" + kilobytes + R"("})"),
      "413 reason");
  EXPECT_EQ(refused("/runs/latest/marks", R"({"kind": "excluded", "who": ")" + kilobytes + R"("})"),
            "413 who");
  EXPECT_EQ(change(*app_, "DELETE", "/runs/latest/marks/gone").status, 400);
  EXPECT_EQ(change(*app_, "DELETE", "/runs/latest/marks").status, 405);
  EXPECT_EQ(change(*app_, "DELETE", "/runs/latest/marks/excluded", "{}").status, 400);
  EXPECT_TRUE(get_json(*app_, "/runs/latest")["marks"].empty());
}

}  // namespace
}  // namespace benchhud::server
