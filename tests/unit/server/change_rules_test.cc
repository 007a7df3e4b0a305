#include "server/change_rules.h"

#include <gtest/gtest.h>

namespace benchhud::server {
namespace {

using schema::ErrorCode;

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

TEST(ChangeRules, LoopbackIsThisMachineAlone) {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "localhost", "LocalHost", "::1"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"", "0.0.0.0", "::", "127.example.org", "127.0.0.1.example.org",
                           "localhost.example.org", "1127.0.0.1", "10.127.0.1"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

TEST(ChangeRules, OwnPagesAndProgramsMay) {
  EXPECT_FALSE(check_change(own(), Changes::kFromThisMachine));
  EXPECT_FALSE(check_change(own(), Changes::kFromAnywhere));
  Request program = own();
  program.origin = program.fetch_site = "";
  program.content_type = "Application/JSON ; charset=utf-8";
  EXPECT_FALSE(check_change(program, Changes::kFromThisMachine));
  for (const char* host : {"localhost:8080", "[::1]:8080", "127.0.0.1", "localhost"}) {
    program.host = host;
    EXPECT_FALSE(check_change(program, Changes::kFromThisMachine)) << host;
  }
}

TEST(ChangeRules, AServerThatOthersReachRefusesAll) {
  EXPECT_EQ(check_change(own(), Changes::kRefused)->code, ErrorCode::kForbidden);
}

TEST(ChangeRules, OtherSitesMayNot) {
  for (const char* origin :
       {"http://evil.example", "null", "http://127.0.0.1:8081", "http://127.0.0.1",
        "file://127.0.0.1:8080", "http://127.0.0.1:8080.evil.example", "127.0.0.1:8080"}) {
    Request request = own();
    request.origin = origin;
    EXPECT_EQ(check_change(request, Changes::kFromAnywhere)->code, ErrorCode::kForbidden) << origin;
  }
  for (const char* site : {"cross-site", "same-site", "Same-Origin", "x"}) {
    Request request = own();
    request.fetch_site = site;
    EXPECT_EQ(check_change(request, Changes::kFromAnywhere)->code, ErrorCode::kForbidden) << site;
  }
}

TEST(ChangeRules, ANameThatWasPointedHereIsNotThisMachine) {
  Request request = own();
  request.host = "evil.example:8080";
  request.origin = "http://evil.example:8080";
  EXPECT_EQ(check_change(request, Changes::kFromThisMachine)->code, ErrorCode::kForbidden);
  EXPECT_FALSE(check_change(request, Changes::kFromAnywhere));
  request.origin = request.host = "";
  EXPECT_TRUE(check_change(request, Changes::kFromThisMachine));
}

TEST(ChangeRules, FormsOfOtherSitesAreNoJson) {
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded",
                           "multipart/form-data", "application/jsonx", "application/json+x"}) {
    Request request = own();
    request.content_type = type;
    EXPECT_EQ(check_change(request, Changes::kFromThisMachine)->code, ErrorCode::kMediaType)
        << type;
    request.method = "DELETE";
    EXPECT_FALSE(check_change(request, Changes::kFromThisMachine)) << "it has no body";
  }
}

}  // namespace
}  // namespace benchhud::server
