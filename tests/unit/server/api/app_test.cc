#include "server/api/app.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using nlohmann::json;

class AppTest : public StoreFixture {
 protected:
  /// Two nights: inductor and eager on two models; alpha's verification fails in the second.
  void two_nights() {
    const MadeLine a, b{.dynamo = ""}, c{.model = "beta"};
    ingest({a, b, c, {.model = "beta", .dynamo = "", .times = {}, .error = "ValueError: no"}});
    ingest({verified({.timestamp = 1000100}, "PASS"),
            verified({.dynamo = "", .timestamp = 1000100}, "PASS")});
    ingest({{.timestamp = 1086400, .times = {3, 1, 1, 0.25, 0.25, 0.25}},
            {.dynamo = "", .timestamp = 1086400}});
    ingest({verified({.timestamp = 1086500}, "FAIL")});
  }
};

TEST_F(AppTest, AnEmptyStoreHasEmptyAnswers) {
  const auto server = app();
  EXPECT_EQ(get_json(*server, "/runs")["total"], 0);
  EXPECT_TRUE(get_json(*server, "/overview")["accelerators"].empty());
  EXPECT_EQ(get(*server, "/runs/latest").status, 404);
  EXPECT_EQ(get(*server, "/verification").status, 404);
}

TEST_F(AppTest, AStoreThatCannotBeReadIsAProblem) {
  AppOptions options;
  options.store_path = (folder_ / "nothing.db").string();
  App server(options, all_routes(), {});
  const auto response = get(server, "/runs");
  EXPECT_GE(response.status, 400);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(get(server, "/api/nothing").status, 404);
}

TEST_F(AppTest, AStoreThatANewerProgramMigratedIsReadNoMore) {
  two_nights();
  const auto server = app();
  EXPECT_EQ(get(*server, "/runs").status, 200);
  ASSERT_TRUE(connection_->execute("PRAGMA user_version = 99"));
  const auto response = get(*server, "/runs");
  EXPECT_EQ(response.status, 503);
  EXPECT_NE(response.body->find("schema version 99"), std::string::npos) << *response.body;
}

TEST_F(AppTest, WhatNeverRanStandsInTheRowOfTheOnlyBatchSize) {
  const MadeLine failed{.times = {}, .error = "ValueError: no"};
  ingest({{.dynamo = ""}, failed});
  const auto server = app();
  const auto rows = get_json(*server, "/runs/latest/models")["rows"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["batch_size"], 8);
  EXPECT_EQ(rows[0]["cells"].size(), 2U);
  const auto csv = *get(*server, "/runs/latest/models?format=csv").body;
  EXPECT_NE(csv.find("suite,alpha,eval,8,inductor,inductor,2,failed"), std::string::npos) << csv;
}

TEST_F(AppTest, OfTwoBatchSizesNobodyKnowsWhichNeverRan) {
  ingest(
      {{.dynamo = ""}, {.dynamo = "", .batch_size = 16}, {.times = {}, .error = "ValueError: no"}});
  const auto server = app();
  const auto rows = get_json(*server, "/runs/latest/models")["rows"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(rows[0]["batch_size"].is_null());
}

TEST_F(AppTest, SpeedupsVerificationsAndTransitions) {
  two_nights();
  const auto server = app();
  const auto table = get_json(*server, "/runs/latest/models");
  const auto& cells = table["rows"][0]["cells"];
  EXPECT_DOUBLE_EQ(cells["inductor"]["time"]["value"].get<double>(), 0.25);
  EXPECT_DOUBLE_EQ(cells["eager"]["speedup"]["value"].get<double>(), 0.5);
  EXPECT_EQ(cells["inductor"]["verification"]["code"], "FAIL");
  EXPECT_TRUE(cells["eager"]["verification"]["stale"].get<bool>());

  const auto oldest = get_json(*server, "/runs/latest/models?baseline_run=oldest");
  EXPECT_DOUBLE_EQ(oldest["rows"][0]["cells"]["inductor"]["speedup"]["value"].get<double>(), 2.0);
  EXPECT_EQ(oldest["baseline"]["runs"].size(), 1U);

  const auto transitions = get_json(*server, "/verification/transitions");
  std::map<std::string, int> kinds;
  for (const auto& item : transitions["items"]) ++kinds[item["kind"].get<std::string>()];
  EXPECT_EQ(kinds, (std::map<std::string, int>{{"disappeared", 2}, {"newly_failing", 1}}));

  EXPECT_EQ(transitions["verified_run"]["id"], transitions["run"]["id"]);

  const auto overview = get_json(*server, "/overview");
  EXPECT_EQ(overview["accelerators"][0]["history"].size(), 2U);
  EXPECT_EQ(overview["accelerators"][0]["moves"].size(), 1U);
  EXPECT_DOUBLE_EQ(overview["accelerators"][0]["moves"][0]["ratio"].get<double>(), 0.5);
  EXPECT_EQ(overview["store"]["rejected_count"], 4);
}

TEST_F(AppTest, ARunThatWasNotVerifiedShowsWhatTheLastVerifiedOneBrought) {
  two_nights();
  ingest({{.timestamp = 1172800}, {.model = "gamma", .timestamp = 1172800}});
  const auto server = app();
  const auto transitions = get_json(*server, "/verification/transitions");
  EXPECT_TRUE(transitions["run"]["verified_at"].is_null());
  EXPECT_NE(transitions["verified_run"]["id"], transitions["run"]["id"]);
  EXPECT_NE(transitions["since"]["id"], transitions["verified_run"]["id"]);
  std::map<std::string, std::vector<std::string>> found;
  for (const auto& item : transitions["items"]) {
    found[item["kind"]].push_back(item["experiment"]["model"]);
  }
  // The verdict of the night before; what is new and what is gone is so in the newest run.
  EXPECT_EQ(found["newly_failing"], std::vector<std::string>{"alpha"});
  EXPECT_EQ(found["new"], std::vector<std::string>{"gamma"});

  const auto accelerator = get_json(*server, "/overview")["accelerators"][0];
  EXPECT_EQ(accelerator["transitions"], transitions["items"]);
  EXPECT_EQ(accelerator["verified_run"], transitions["verified_run"]);
  EXPECT_EQ(accelerator["verified_before"], transitions["since"]);
  EXPECT_NE(accelerator["previous_run"]["id"], accelerator["verified_before"]["id"]);
}

TEST_F(AppTest, FailuresKeepTheirTextAndSignature) {
  two_nights();
  const auto server = app();
  const auto first = get_json(*server, "/runs")["items"][1];
  const auto failures = get_json(*server, "/failures?run=" + first["id"].dump());
  ASSERT_EQ(failures["items"].size(), 1U);
  EXPECT_EQ(failures["items"][0]["kind"], "exception");
  const auto text = get(*server, "/lines/" + failures["items"][0]["line_id"].dump() + "/error");
  EXPECT_EQ(*text.body, "ValueError: no");
  EXPECT_EQ(text.content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(first["failed_count"], 1);
  EXPECT_EQ(first["timed_count"], 3);
}

TEST_F(AppTest, BytesThatAreNoTextComeAsText) {
  two_nights();
  const auto server = app();
  const auto rejected = get_json(*server, "/rejected-lines");
  EXPECT_EQ(rejected["items"][0]["excerpt"], "{broken\ufffd");
}

TEST_F(AppTest, AnEtagOutlivesWhatDoesNotChangeItsAnswer) {
  two_nights();
  const auto server = app();
  const std::string old_run = get_json(*server, "/runs")["items"][1]["id"].dump();
  const auto etag = [&](const std::string& path) {
    return std::string(get(*server, path).header("ETag"));
  };
  const std::string paths[] = {"/runs/" + old_run + "/models", "/failures?run=" + old_run,
                               "/results?run=" + old_run, "/overview", "/runs"};
  std::vector<std::string> before;
  for (const auto& path : paths) before.push_back(etag(path));
  ingest({{.timestamp = 1172800}});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(etag(paths[i]), before[i]) << paths[i];
  for (std::size_t i = 3; i < 5; ++i) EXPECT_NE(etag(paths[i]), before[i]) << paths[i];
  // A night that comes late, before the run: now that run may show another stale verification.
  ingest({{.timestamp = 900000}});
  EXPECT_NE(etag(paths[0]), before[0]);

  const auto known = server->handle({"GET", "/api/v1/overview", etag("/overview"), ""});
  EXPECT_EQ(known.status, 304);
  EXPECT_TRUE(known.body->empty());
}

TEST_F(AppTest, ALateVerificationChangesWhatLaterNightsShow) {
  ingest({{.timestamp = 1000000}});
  ingest({{.timestamp = 1086400}});
  const auto server = app();
  EXPECT_TRUE(get_json(*server, "/verification")["rows"][0]["cells"]["inductor"].is_null());
  ingest({verified({.timestamp = 1000100}, "PASS")});
  const auto cell = get_json(*server, "/verification")["rows"][0]["cells"]["inductor"];
  EXPECT_EQ(cell["code"], "PASS");
  EXPECT_TRUE(cell["stale"].get<bool>());
  EXPECT_DOUBLE_EQ(cell["age_seconds"].get<double>(), 86300);
}

TEST_F(AppTest, SeriesShowEveryNightAndItsGaps) {
  two_nights();
  ingest({{.model = "beta", .timestamp = 1172800}});
  const auto server = app();
  const auto series =
      get_json(*server, "/series?suite=suite&model=alpha&test=eval&backend=inductor");
  ASSERT_EQ(series["runs"].size(), 3U);
  ASSERT_EQ(series["series"].size(), 1U);
  const auto& points = series["series"][0]["points"];
  EXPECT_DOUBLE_EQ(points[0]["value"].get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(points[1]["value"].get<double>(), 0.25);
  EXPECT_TRUE(points[2].is_null());
  EXPECT_EQ(series["series"][0]["codes"][1]["code"], "FAIL");
  const auto speedups =
      get_json(*server, "/series?suite=suite&model=alpha&test=eval&backend=eager&metric=speedup");
  EXPECT_DOUBLE_EQ(speedups["series"][0]["points"][1]["value"].get<double>(), 0.5);
  const auto metric = get_json(
      *server, "/series?suite=suite&model=alpha&test=eval&backend=eager&metric=total_time");
  EXPECT_DOUBLE_EQ(metric["series"][0]["points"][0]["value"].get<double>(), 0.75);
  EXPECT_EQ(metric["unit"], "s");
}

TEST_F(AppTest, TwoAcceleratorsAreAskedApart) {
  ingest({{}, {.timestamp = 1086400, .accelerator_model = "V100"}});
  const auto server = app();
  EXPECT_EQ(get_json(*server, "/overview")["accelerators"].size(), 2U);
  EXPECT_EQ(get_json(*server, "/runs/latest")["accelerator_model"], "V100");
  EXPECT_EQ(get_json(*server, "/runs/latest?accelerator_model=A100")["accelerator_model"], "A100");
  EXPECT_EQ(get_json(*server, "/results?accelerator_model=A100")["total"], 1);
}

TEST_F(AppTest, MethodsAndAddressesItDoesNotKnow) {
  const auto server = app();
  EXPECT_EQ(server->handle({"POST", "/api/v1/runs", "", ""}).status, 405);
  EXPECT_EQ(get(*server, "/api/v2/runs").status, 404);
  EXPECT_EQ(server->handle({"GET", "/", "", ""}).content_type, "text/html; charset=utf-8");
  EXPECT_EQ(server->handle({"GET", "", "", ""}).status, 200);
}

TEST_F(AppTest, AnswersWhileTheStoreGrows) {
  two_nights();
  const auto server = app();
  std::atomic<bool> done{false};
  std::atomic<int> answered{0};
  std::vector<std::thread> readers;
  for (const char* path :
       {"/overview", "/runs/latest/models", "/results", "/verification/history"}) {
    readers.emplace_back([&, path] {
      while (!done) {
        const auto response = get(*server, path);
        EXPECT_EQ(response.status, 200) << *response.body;
        ++answered;
      }
    });
  }
  readers.emplace_back([&] { server->warm([&] { return !done; }); });
  for (int night = 0; night < 20; ++night) {
    ingest({{.timestamp = 2000000.0 + night * 86400},
            {.dynamo = "", .timestamp = 2000000.0 + night * 86400}});
  }
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_GT(answered, 0);
  EXPECT_EQ(get_json(*server, "/runs")["total"], 22);
}

}  // namespace
}  // namespace benchhud::server
