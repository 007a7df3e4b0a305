// Traces that are dropped on a page: seen by their token alone, bounded, and gone without a trace.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "schema/store/store_backup.h"
#include "server/api/expiry.h"
#include "tests/unit/server/store_fixture.h"
#include "trace/dropped_trace.h"
#include "trace/pack/pack_file.h"

namespace benchhud::server {
namespace {

using nlohmann::json;

class DroppedTraces : public StoreFixture {
 protected:
  static std::string trace_text(int slices, const std::string& more = "") {
    std::string events;
    for (int i = 0; i < slices; ++i) {
      events += fmt::format(
          R"({}{{"ph":"X","pid":0,"tid":7,"cat":"kernel","name":"k{}","ts":{},"dur":5}})",
          i == 0 ? "" : ",", i, 10 * i);
    }
    return "{\"traceEvents\":[" + events + "]" + more + "}";
  }

  Response drop(App& app, const std::string& text, const std::string& token,
                const std::string& name = "mine.json", std::size_t* read = nullptr) const {
    Request request = change_request("POST", "/dropped-traces?name=" + name);
    request.content_type = "application/octet-stream";
    request.authorization = token.empty() ? "" : "Bearer " + token;
    std::size_t at = 0;
    request.read_body = [&text, read, at](
                            char* to, std::size_t most) mutable -> schema::Expected<std::size_t> {
      const std::size_t count = std::min(most, text.size() - at);
      std::memcpy(to, text.data() + at, count);
      at += count;
      if (read != nullptr) *read = at;
      return count;
    };
    return app.handle(request);
  }
  Response ask(App& app, const std::string& path, const std::string& token) const {
    Request request{"GET", "/api/v1" + path, "", ""};
    request.host = "localhost:8080";
    if (!token.empty()) request.authorization = "Bearer " + token;
    return app.handle(request);
  }
  json ask_json(App& app, const std::string& path, const std::string& token) const {
    const Response response = ask(app, path, token);
    EXPECT_EQ(response.status, 200) << *response.body;
    return json::parse(*response.body);
  }
  std::int64_t rows(schema::Connection& store, const std::string& table) {
    schema::Statement query = store.prepare("SELECT count(*) FROM " + table);
    EXPECT_TRUE(query.step());
    return query.integer(0);
  }
};

// By the hash that a pack says, it would open another's trace, or be taken for it later.
TEST_F(DroppedTraces, AreNoPacks) {
  const auto server = app();
  const Response dropped = drop(*server, trace_text(3), token_);
  ASSERT_EQ(dropped.status, 200) << *dropped.body;
  const auto trace = schema::TraceId(json::parse(*dropped.body)["id"].get<std::int64_t>());
  const std::filesystem::path file = folder_ / "mine.pack";
  ASSERT_TRUE(trace::write_pack(*connection_, trace, file));
  std::ifstream bytes(file, std::ios::binary);
  const std::string pack{std::istreambuf_iterator<char>(bytes), {}};
  for (const std::string name : {"mine.json.pack", "mine.json"}) {
    const Response refused = drop(*server, pack, add_token({schema::Scope::kTriage}), name);
    EXPECT_EQ(refused.status, 400) << *refused.body;
    EXPECT_NE(refused.body->find("is a pack"), std::string::npos) << *refused.body;
    EXPECT_EQ(refused.body->find(folder_.string()), std::string::npos) << *refused.body;
  }
}

TEST_F(DroppedTraces, OpenAtOnceAndForTheirTokenAlone) {
  const auto server = app();
  const std::string other = add_token({schema::Scope::kTriage});
  const Response response = drop(*server, trace_text(3), token_);
  ASSERT_EQ(response.status, 200) << *response.body;
  const json dropped = json::parse(*response.body);
  EXPECT_EQ(dropped["name"], "mine.json");
  const std::string trace = "/traces/" + dropped["id"].dump();
  const json overview = ask_json(*server, trace, token_);
  EXPECT_EQ(overview["slices"], 3);
  EXPECT_EQ(overview["dropped_until"], dropped["until"]);
  EXPECT_EQ(overview["devices"][0]["busy"], 15'000);
  EXPECT_TRUE(ask_json(*server, trace + "/report", token_)["trace"].is_object());
  for (const std::string& path :
       {trace, trace + "/report", trace + "/labels?block=0", trace + "/findings", trace + "/notes",
        trace + "/tile?thread=0&begin=0&end=10&buckets=2", trace + "/export",
        trace + "/query?sql=SELECT%201"}) {
    EXPECT_EQ(ask(*server, path, other).status, 404) << path;
    EXPECT_EQ(ask(*server, path, "").status, 404) << path;
  }
  EXPECT_EQ(ask_json(*server, "/dropped-traces", token_)["items"].size(), 1u);
  EXPECT_TRUE(ask_json(*server, "/dropped-traces", other)["items"].empty());
  EXPECT_EQ(ask_json(*server, "/artifacts", token_)["total"], 0) << "it is no dump";
  EXPECT_EQ(rows(*connection_, "artifact_file"), 0);
}

TEST_F(DroppedTraces, WhoDroppedOneNotesOnItAndOthersCannot) {
  const auto server = app();
  ASSERT_EQ(drop(*server, trace_text(3), token_).status, 200);
  const std::string body = R"({"begin":"0","end":"5","words":"seen","who":"ada"})";
  const Response noted = change(*server, "POST", "/traces/1/notes", body);
  EXPECT_EQ(noted.status, 201) << *noted.body;
  token_ = add_token({schema::Scope::kTriage});
  EXPECT_EQ(change(*server, "POST", "/traces/1/notes", body).status, 404);
}

TEST_F(DroppedTraces, NothingAboutThemIsKeptByBrowsers) {
  const auto server = app();
  ASSERT_EQ(drop(*server, trace_text(3), token_).status, 200);
  const std::string key = ask_json(*server, "/traces/1", token_)["key"];
  for (const std::string& path : {std::string("/traces/1"), "/traces/1/labels?block=0&key=" + key,
                                  "/traces/1/tile?thread=0&begin=0&end=10&buckets=2&key=" + key,
                                  "/traces/1/export?key=" + key, std::string("/traces/1/report")}) {
    const Response response = ask(*server, path, token_);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.header("Cache-Control"), "no-store") << path;
    EXPECT_EQ(response.header("ETag"), "") << path;
  }
}

TEST_F(DroppedTraces, ExpireOneByOneWhateverBecomesOfOthers) {
  AppOptions options;
  options.uploads.drops.seconds = 0;
  const auto server = app(options);
  ASSERT_EQ(drop(*server, trace_text(1), token_, "a.json").status, 200);
  ASSERT_EQ(drop(*server, trace_text(2), token_, "b.json").status, 200);
  ASSERT_TRUE(
      connection_->execute("CREATE TRIGGER harm BEFORE DELETE ON trace WHEN old.id = 1 BEGIN "
                           "SELECT raise(ABORT, 'harmed'); END"));
  testing::internal::CaptureStderr();
  {
    const Expiry expiry(path_);
    for (int turn = 0; turn < 500 && rows(*connection_, "trace") > 1; ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(rows(*connection_, "trace"), 1);
  EXPECT_NE(told.find("The expired trace 1 could not be removed"), std::string::npos) << told;
}

TEST_F(DroppedTraces, AreRemovedOnRequest) {
  const auto server = app();
  ASSERT_EQ(drop(*server, trace_text(3), token_).status, 200);
  const std::string own = token_;
  token_ = add_token({schema::Scope::kTriage});
  EXPECT_EQ(change(*server, "DELETE", "/dropped-traces/1").status, 404) << "somebody else's";
  token_ = own;
  const Response removed = change(*server, "DELETE", "/dropped-traces/1");
  ASSERT_EQ(removed.status, 200) << *removed.body;
  EXPECT_TRUE(json::parse(*removed.body)["items"].empty());
  EXPECT_EQ(ask(*server, "/traces/1", token_).status, 404);
  for (const char* table : {"trace", "trace_device", "trace_device_block", "trace_finding_block",
                            "trace_chunk", "dropped_trace"}) {
    EXPECT_EQ(rows(*connection_, table), 0) << table;
  }
}

TEST_F(DroppedTraces, AreRemovedWhollyOrNotAtAll) {
  const auto server = app();
  ASSERT_EQ(drop(*server, trace_text(3), token_).status, 200);
  const json before = ask_json(*server, "/traces/1", token_);
  ASSERT_TRUE(connection_->execute(
      "CREATE TRIGGER harm BEFORE DELETE ON trace BEGIN SELECT raise(ABORT, 'harmed'); END"));
  EXPECT_NE(change(*server, "DELETE", "/dropped-traces/1").status, 200);
  EXPECT_EQ(ask_json(*server, "/traces/1", token_), before);
  EXPECT_EQ(ask(*server, "/traces/1", "").status, 404) << "nobody else sees what is left";
}

TEST_F(DroppedTraces, TakeATokenForTriage) {
  const auto server = app();
  EXPECT_EQ(drop(*server, trace_text(3), "").status, 401);
  const std::string reader = add_token({schema::Scope::kRead});
  EXPECT_EQ(drop(*server, trace_text(3), reader).status, 403);
  EXPECT_EQ(ask_json(*server, "/dropped-traces", "")["refusal"], "no_token");
  EXPECT_EQ(ask_json(*server, "/dropped-traces", reader)["refusal"], "other_scope");
  EXPECT_TRUE(ask_json(*server, "/dropped-traces", token_)["refusal"].is_null());
  EXPECT_EQ(rows(*connection_, "trace"), 0);
}

TEST_F(DroppedTraces, AreBounded) {
  AppOptions options;
  options.uploads.drops.bytes = 1000;
  options.uploads.drops.all_bytes = 700;
  options.uploads.drops.count = 2;
  const auto server = app(options);
  EXPECT_EQ(drop(*server, trace_text(30), token_).status, 413) << "of a file";
  EXPECT_EQ(ask_json(*server, "/dropped-traces", token_)["limits"]["count"], 2) << "the server's";
  ASSERT_EQ(drop(*server, trace_text(1), token_, "a.json").status, 200);
  EXPECT_EQ(drop(*server, trace_text(1), token_, "again.json").status, 200) << "the same once more";
  ASSERT_EQ(drop(*server, trace_text(2), token_, "b.json").status, 200);
  std::size_t read = 0;
  const Response third = drop(*server, trace_text(3), token_, "c.json", &read);
  EXPECT_EQ(read, 0u) << "it is refused before anything is read";
  EXPECT_EQ(third.status, 413);
  EXPECT_NE(third.body->find("You have 2 dropped traces"), std::string::npos) << *third.body;
  EXPECT_EQ(rows(*connection_, "trace"), 2);
  ASSERT_EQ(change(*server, "DELETE", "/dropped-traces/1").status, 200);
  const Response too_large = drop(*server, trace_text(10), token_, "d.json");
  EXPECT_EQ(too_large.status, 413) << "of all together";
  EXPECT_NE(too_large.body->find("when it is unpacked"), std::string::npos)
      << "it is read no further than the bytes that are left: " << *too_large.body;
  EXPECT_EQ(drop(*server, trace_text(1), token_, "e.json").status, 200);
}

TEST_F(DroppedTraces, WhatIsNoTraceIsRefusedAndLeavesNothing) {
  const auto server = app();
  for (const char* text : {"", "hello", "{\"a\": 1}", "[1, 2"}) {
    const Response response = drop(*server, text, token_);
    EXPECT_EQ(response.status, 400) << text << *response.body;
    EXPECT_EQ(response.body->find(folder_.string()), std::string::npos) << *response.body;
  }
  EXPECT_EQ(drop(*server, trace_text(1), token_, "..%2Fup.json").status, 400);
  EXPECT_EQ(rows(*connection_, "artifact"), 0);
  EXPECT_EQ(rows(*connection_, "trace"), 0);
}

TEST_F(DroppedTraces, AreNotInCopiesThatReadersGet) {
  const auto server = app();
  ASSERT_EQ(drop(*server, trace_text(3), token_).status, 200);
  ASSERT_EQ(change(*server, "POST", "/traces/1/notes",
                   R"({"begin":"0","end":"5","words":"mine alone","who":"ada"})")
                .status,
            201);
  const std::string copy = (folder_ / "copy.db").string();
  const auto copied = schema::copy_to_share(*connection_, copy);
  ASSERT_TRUE(copied) << copied.error().message;
  auto opened = schema::open_store(copy);
  ASSERT_TRUE(opened);
  for (const char* table : {"trace", "trace_thread", "trace_chunk", "trace_device", "trace_index",
                            "trace_block", "trace_note", "dropped_trace"}) {
    EXPECT_EQ(rows(*opened, table), 0) << table;
  }
  EXPECT_EQ(rows(*connection_, "trace"), 1);

  // Nor is what is still coming in, which may be one of these.
  ASSERT_TRUE(connection_->execute(
      "DELETE FROM dropped_trace; INSERT INTO arriving_trace SELECT id, 1 FROM trace"));
  std::filesystem::remove(copy);
  ASSERT_TRUE(schema::copy_to_share(*connection_, copy));
  opened = schema::open_store(copy);
  ASSERT_TRUE(opened);
  for (const char* table : {"trace", "trace_chunk", "arriving_trace"}) {
    EXPECT_EQ(rows(*opened, table), 0) << table;
  }
}

}  // namespace
}  // namespace benchhud::server
