// Signing in and out, and reading by token, through the application.

#include "server/api/sessions.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "schema/base/time.h"
#include "schema/results/maintenance.h"
#include "server/routes/route_tables.h"
#include "tests/unit/server/store_fixture.h"

namespace benchhud::server {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kCode = "one-time-code";

class SessionsTest : public StoreFixture {
 protected:
  std::unique_ptr<App> serving(Reading reading, double code_seconds = 3600) const {
    AppOptions options;
    options.store_path = path_;
    options.instance = "test";
    options.reading = reading;
    options.sign_in_code = kCode;
    options.sign_in_code_until = schema::now() + code_seconds;
    options.write_patience = std::chrono::milliseconds(50);
    return std::make_unique<App>(options, all_routes(), std::span<const StaticFiles::File>());
  }
  /// As the page asks.
  Request session(const std::string& method, const std::string& body = "") const {
    Request request = change_request(method, "/session", body);
    request.authorization = "";
    request.fetch_site = "same-origin";
    return request;
  }
  /// A GET with a cookie that an answer set.
  static Request with_cookie(const std::string& path, const Response& answer) {
    Request request;
    request.method = "GET";
    request.target = "/api/v1" + path;
    request.host = "localhost:8080";
    const std::string_view cookie = answer.header("Set-Cookie");
    request.cookie = cookie.substr(0, cookie.find(';'));
    return request;
  }
};

TEST_F(SessionsTest, ACodeSignsOneBrowserIn) {
  const auto app = serving(Reading::kOpen);
  EXPECT_EQ(app->handle(session("POST", R"({"code": "another"})")).status, 401);
  const Response begun = app->handle(session("POST", R"({"code": "one-time-code"})"));
  ASSERT_EQ(begun.status, 201) << *begun.body;
  EXPECT_THAT(begun.header("Set-Cookie"), StartsWith("benchhud_session_8080=bhud_"));
  EXPECT_THAT(std::string(begun.header("Set-Cookie")), HasSubstr("; HttpOnly; SameSite=Strict"));
  EXPECT_EQ(begun.header("Cache-Control"), "no-store");
  const json told = json::parse(*begun.body);
  EXPECT_EQ(told["signed_in"], true);
  EXPECT_EQ(told["scopes"], json({"read", "triage", "ingest"}));
  EXPECT_EQ(json::parse(*app->handle(with_cookie("/session", begun)).body), told);
  EXPECT_EQ(app->handle(session("POST", R"({"code": "one-time-code"})")).status, 401)
      << "once is enough";
}

TEST_F(SessionsTest, ACodeGrowsOld) {
  const auto app = serving(Reading::kOpen, -1);
  EXPECT_EQ(app->handle(session("POST", R"({"code": "one-time-code"})")).status, 401);
}

TEST_F(SessionsTest, ACodeOutlivesABusyStore) {
  const auto app = serving(Reading::kOpen);
  {
    const auto other = schema::Transaction::begin(*connection_, schema::Transaction::Kind::kWrite);
    ASSERT_TRUE(other);
    EXPECT_EQ(app->handle(session("POST", R"({"code": "one-time-code"})")).status, 503);
  }
  EXPECT_EQ(app->handle(session("POST", R"({"code": "one-time-code"})")).status, 201);
}

TEST_F(SessionsTest, ATokenSignsInAndOutAgain) {
  const auto app = serving(Reading::kByToken);
  EXPECT_EQ(app->handle(session("POST", R"({"token": "bhud_1_x"})")).status, 401);
  const Response begun = app->handle(session("POST", R"({"token": ")" + token_ + R"("})"));
  ASSERT_EQ(begun.status, 201) << *begun.body;
  EXPECT_EQ(app->handle(with_cookie("/runs", begun)).status, 200);

  Request out = session("DELETE");
  out.cookie = with_cookie("/session", begun).cookie;
  const Response ended = app->handle(out);
  EXPECT_EQ(ended.status, 200);
  EXPECT_THAT(ended.header("Set-Cookie"), StartsWith("benchhud_session_8080=; Max-Age=0"));
  EXPECT_EQ(json::parse(*ended.body)["signed_in"], false);
  EXPECT_EQ(app->handle(with_cookie("/runs", begun)).status, 200)
      << "the token itself is its owner's";
}

TEST_F(SessionsTest, WhatACodeBroughtEndsWithItsSession) {
  const auto app = serving(Reading::kByToken);
  const Response begun = app->handle(session("POST", R"({"code": "one-time-code"})"));
  EXPECT_EQ(app->handle(with_cookie("/runs", begun)).status, 200);
  Request out = session("DELETE");
  out.cookie = with_cookie("/session", begun).cookie;
  EXPECT_EQ(app->handle(out).status, 200);
  EXPECT_EQ(app->handle(with_cookie("/runs", begun)).status, 401);
}

TEST_F(SessionsTest, OneOfBothIsWanted) {
  const auto app = serving(Reading::kOpen);
  for (const char* body : {"{}", R"({"token": ""})", R"({"token": "x", "code": "y"})",
                           R"({"token": 1})", R"({"name": "x"})", "[]", ""}) {
    EXPECT_EQ(app->handle(session("POST", body)).status, 400) << body;
  }
  Request foreign = session("POST", R"({"code": "one-time-code"})");
  foreign.fetch_site = "cross-site";
  EXPECT_EQ(app->handle(foreign).status, 403);
}

TEST_F(SessionsTest, ReadingByTokenLetsNobodyElseRead) {
  const auto app = serving(Reading::kByToken);
  const Response refused = get(*app, "/runs");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("WWW-Authenticate"), "Bearer realm=\"benchhud\"");
  for (const char* open : {"/session", "/health", "/openapi.json"}) {
    EXPECT_EQ(get(*app, open).status, 200) << open;
  }
  EXPECT_EQ(get_json(*app, "/session")["reading"], "token");
  Request request{"GET", "/api/v1/runs", "", ""};
  request.authorization = "Bearer " + token_;
  EXPECT_EQ(app->handle(request).status, 200);
  request.if_none_match = std::string(app->handle(request).header("ETag"));
  EXPECT_EQ(app->handle(request).status, 304);
  request.authorization = "Bearer bhud_1_x";
  EXPECT_EQ(app->handle(request).status, 401) << "a known ETag opens nothing";
}

TEST_F(SessionsTest, ATokenThatIsNoneIsSaidToBe) {
  const auto app = serving(Reading::kOpen);
  Request request{"GET", "/api/v1/runs", "", ""};
  request.authorization = "Bearer bhud_1_x";
  EXPECT_EQ(app->handle(request).status, 401);
  // A browser goes on sending the cookie of a token that has expired.
  request.authorization = "";
  request.host = "localhost:8080";
  request.cookie = "benchhud_session_8080=bhud_1_x";
  EXPECT_EQ(app->handle(request).status, 200);
}

TEST_F(SessionsTest, ChangesTakeATokenForThem) {
  const auto app = serving(Reading::kOpen);
  ingest({{}});
  Request request = change_request("POST", "/runs/latest/marks", R"({"kind": "excluded"})");
  request.authorization = "";
  EXPECT_EQ(app->handle(request).status, 401);
  request.authorization = "Bearer " + add_token({schema::Scope::kRead, schema::Scope::kIngest});
  const Response refused = app->handle(request);
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(*refused.body, HasSubstr("read ingest"));
  request.authorization = "Bearer " + token_;
  EXPECT_EQ(app->handle(request).status, 201);

  // The audit tells whose token it was, before what was done. What was refused is written later,
  // and may be so in between.
  const auto lines = schema::audit(*connection_, 10);
  ASSERT_TRUE(lines);
  const auto mark = std::ranges::find(*lines, "mark", &schema::AuditLine::action);
  ASSERT_NE(mark, lines->end());
  EXPECT_TRUE(std::any_of(mark, lines->end(), [](const schema::AuditLine& line) {
    return line.action == "request" &&
           line.detail == "token 1 (tester): POST /api/v1/runs/latest/marks";
  }));
}

}  // namespace
}  // namespace benchhud::server
