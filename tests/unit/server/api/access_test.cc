#include "server/api/access.h"

#include <gtest/gtest.h>

#include "schema/base/time.h"
#include "schema/store/migrate.h"

namespace benchhud::server {
namespace {

using schema::ErrorCode;
using schema::Scope;

/// A change as our own page asks for it.
Request own() {
  Request request;
  request.method = "POST";
  request.host = "127.0.0.1:8080";
  request.origin = "http://127.0.0.1:8080";
  request.fetch_site = "same-origin";
  request.content_type = "application/json";
  return request;
}

TEST(Access, OwnPagesAndProgramsMayAsk) {
  EXPECT_FALSE(check_change(own()));
  Request program = own();
  program.origin = program.fetch_site = "";
  program.content_type = "Application/JSON ; charset=utf-8";
  EXPECT_FALSE(check_change(program));
  program.origin = "http://127.0.0.1:8080";
  EXPECT_FALSE(check_change(program)) << "a browser that says less";
}

TEST(Access, BehindAProxyTheBrowsersWordCounts) {
  Request request = own();
  request.origin = "https://hud.example.org";
  EXPECT_FALSE(check_change(request)) << "the proxy passes on another Host";
  request.fetch_site = "";
  EXPECT_TRUE(check_change(request));
}

TEST(Access, OtherSitesMayNot) {
  for (const char* origin :
       {"http://evil.example", "null", "http://127.0.0.1:8081", "http://127.0.0.1",
        "file://127.0.0.1:8080", "http://127.0.0.1:8080.evil.example", "127.0.0.1:8080"}) {
    Request request = own();
    request.fetch_site = "";
    request.origin = origin;
    EXPECT_EQ(check_change(request)->code, ErrorCode::kForbidden) << origin;
  }
  for (const char* site : {"cross-site", "same-site", "Same-Origin", "x"}) {
    Request request = own();
    request.fetch_site = site;
    EXPECT_EQ(check_change(request)->code, ErrorCode::kForbidden) << site;
  }
}

TEST(Access, FormsOfOtherSitesAreNoJson) {
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded",
                           "multipart/form-data", "application/jsonx", "application/json+x"}) {
    Request request = own();
    request.content_type = type;
    EXPECT_EQ(check_change(request)->code, ErrorCode::kMediaType) << type;
    request.method = "DELETE";
    EXPECT_FALSE(check_change(request)) << "it has no body";
  }
}

TEST(Access, CookiesOfTwoPortsAreTwo) {
  Request request = own();
  EXPECT_EQ(session_cookie(request, "bhud_1_x", {}),
            "benchhud_session_8080=bhud_1_x; Path=/; HttpOnly; SameSite=Strict");
  request.host = "hud.example.org";
  request.origin = "https://hud.example.org";
  EXPECT_EQ(ended_session_cookie(request),
            "benchhud_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure");
  request.cookie = "a=b; benchhud_session_8080=other;benchhud_session=mine ; c=d";
  EXPECT_EQ(session_token(request), "mine");
  request.host = "hud.example.org:8080";
  EXPECT_EQ(session_token(request), "other");
  request.host = "hud.example.org:81";
  EXPECT_EQ(session_token(request), "");
  for (const char* host : {"[::1]", "x:", "x:8o80", ""}) {
    request.host = host;
    EXPECT_EQ(session_token(request), "mine") << host;
  }
}

class Tokens : public testing::Test {
 protected:
  Tokens() : store_(*schema::Connection::open(":memory:", schema::OpenMode::kReadWriteCreate)) {
    EXPECT_TRUE(schema::migrate(store_));
  }
  std::string add(schema::Scopes scopes) {
    return schema::add_access_token(store_, "laptop", scopes, schema::now() + 1000)->text;
  }
  /// What becomes of a request for something that takes `scope`: 0 where it may.
  int status(const Request& request, Scope scope) {
    const auto who = identify(request, store_);
    EXPECT_TRUE(who);
    const auto refusal = check_scope(*who, scope);
    return refusal ? schema::error_info(refusal->code).http_status : 0;
  }

  schema::Connection store_;
};

TEST_F(Tokens, AreShownAsBearerOrInACookie) {
  const std::string token = add({Scope::kTriage});
  Request request = own();
  EXPECT_EQ(status(request, Scope::kRead), 401);
  request.cookie = "benchhud_session_8080=" + token;
  EXPECT_EQ(status(request, Scope::kTriage), 0);
  request.authorization = "bEaReR  " + token + " ";
  request.cookie = "";
  EXPECT_EQ(status(request, Scope::kTriage), 0);
  EXPECT_EQ(status(request, Scope::kRead), 0);
  EXPECT_EQ(status(request, Scope::kIngest), 403);
}

TEST_F(Tokens, OthersOpenNothing) {
  const std::string token = add({Scope::kTriage});
  Request request = own();
  // What the header says counts, even where the cookie is good.
  request.cookie = "benchhud_session_8080=" + token;
  for (const std::string& other :
       {std::string(), std::string("x"), token + "x", token.substr(0, token.size() - 1),
        "bhud_2" + token.substr(6), std::string("bhud_1_"), std::string("bhud__"),
        std::string("bhud_99999999999999999999_x"), "BHUD" + token.substr(4)}) {
    request.authorization = "Bearer " + other;
    EXPECT_EQ(status(request, Scope::kRead), 401) << other;
  }
  request.authorization = "Basic " + token;
  EXPECT_EQ(status(request, Scope::kTriage), 0) << "that is no token; the cookie has one";
  request.authorization = "";
  request.cookie = "benchhud_session_8080=" + token + "x";
  EXPECT_EQ(status(request, Scope::kRead), 401);
}

}  // namespace
}  // namespace benchhud::server
