#include "server/http/request_head.h"

#include <gtest/gtest.h>

#include <string>

namespace benchhud::server {
namespace {

using schema::ErrorCode;

std::string head(const std::string& first, const std::string& headers = "Host: x\r\n") {
  return first + "\r\n" + headers + "\r\n";
}

TEST(Guard, HeadersThatAreReadStandOnce) {
  for (const char* name : {"Host", "Content-Length", "Range", "Authorization", "Cookie", "Origin",
                           "Sec-Fetch-Site", "Content-Type"}) {
    const std::string one = std::string(name) == "Content-Length" ? "0" : "x";
    const std::string host = std::string(name) == "Host" ? "" : "Host: x\r\n";
    const std::string line = std::string(name) + ": " + one + "\r\n";
    std::string lower = line;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto refused = check_head(head("GET / HTTP/1.1", host + line + lower));
    ASSERT_TRUE(refused) << name;
    EXPECT_NE(refused->message.find("more than one header"), std::string::npos) << name;
  }
  EXPECT_FALSE(check_head(head("GET / HTTP/1.1", "Host: x\r\nAccept: a\r\nAccept: b\r\n")));
}

TEST(Guard, PlainRequestsPass) {
  EXPECT_FALSE(check_head(head("GET / HTTP/1.1")));
  EXPECT_FALSE(check_head(head("HEAD /api/v1/runs?limit=5&model=a%2Fb%C3%A4 HTTP/1.1")));
  EXPECT_FALSE(check_head(head("GET / HTTP/1.0", "")));
  EXPECT_FALSE(
      check_head(head("GET / HTTP/1.1", "Host: x\r\nContent-Length: 0\r\nRange: bytes=0-1\r\n")));
  EXPECT_FALSE(check_head(head("GET / HTTP/1.1", "Host: x\r\nX-A:\tb \xc3\xa4\r\nX-Empty:\r\n")));
}

TEST(Guard, OnlySqlMayHaveLineBreaks) {
  EXPECT_FALSE(check_head(head("GET /q?sql=a%0Ab%0D%0A%09c&limit=5 HTTP/1.1")));
  EXPECT_FALSE(check_head(head("GET /q?limit=5&sql=a%0ab HTTP/1.1")));
  for (const char* target : {"/a%0A", "/?q=a%0A", "/?sql=a&q=%0A", "/?mysql=%0A", "/&sql=%0A",
                             "/?%0Asql=", "/?sql=%00", "/?sql=%7F", "/sql=%0A"}) {
    EXPECT_TRUE(check_head(head("GET " + std::string(target) + " HTTP/1.1"))) << target;
  }
}

TEST(Guard, AnythingThatCouldMeanTwoThingsIsRefused) {
  for (const char* headers :
       {"", "Host: x\r\nHOST: x\r\n", "Host: x\r\nContent-Length: 1\r\n",
        "Host: x\r\nContent-Length: 0\r\ncontent-length: 0\r\n",
        "Host: x\r\nContent-Length: +0\r\n", "Host: x\r\nTransfer-Encoding: identity\r\n",
        "Host: x\r\nRange: bytes=0-1,3-4\r\n", "Host: x\r\nX Y: z\r\n", "Host: x\r\n: z\r\n",
        "Host: x\r\n\tz\r\n", "Host: x\r\nA: \x01\r\n", "Host: x\r\nA: \x7f\r\n",
        "Host: x\nA: b\r\n", "Host: x\r\nExpect: 100-continue\r\n"}) {
    const auto error = check_head(head("GET / HTTP/1.1", headers));
    ASSERT_TRUE(error) << headers;
    EXPECT_EQ(error->code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(error->message.empty());
  }
}

TEST(Guard, RequestLinesOfOtherShapesAreRefused) {
  for (const char* line :
       {"", "GET", "GET /", "GET / HTTP/1.2", "GET  / HTTP/1.1 ", "G@T / HTTP/1.1",
        "GET x HTTP/1.1", "GET /a b HTTP/1.1", "GET /#a HTTP/1.1", "GET /%0A HTTP/1.1",
        "GET /%7f HTTP/1.1", "GET /% HTTP/1.1", "GET /%4 HTTP/1.1", "GET /\x80 HTTP/1.1",
        "GET http://x/ HTTP/1.1"}) {
    EXPECT_TRUE(check_head(head(line))) << line;
  }
}

TEST(Guard, APostSaysHowLongItsBodyIs) {
  const auto post = [](const std::string& headers) {
    return check_head(head("POST / HTTP/1.1", "Host: x\r\n" + headers));
  };
  EXPECT_FALSE(post("Content-Length: 0\r\n"));
  EXPECT_FALSE(post("content-length: 262144 \r\n"));
  EXPECT_EQ(post("Content-Length: 262145\r\n")->code, ErrorCode::kTooLarge);
  for (const char* headers :
       {"", "Content-Length: \r\n", "Content-Length: -1\r\n", "Content-Length: 0x10\r\n",
        "Content-Length: 1, 1\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: 18446744073709551617\r\n", "Transfer-Encoding: chunked\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 1\r\nContent-Encoding: gzip\r\n",
        "Content-Length: 1\r\nExpect: 100-continue\r\n"}) {
    const auto error = post(headers);
    ASSERT_TRUE(error) << headers;
    EXPECT_EQ(error->code, ErrorCode::kInvalidArgument) << headers;
  }
  EXPECT_FALSE(check_head(head("DELETE / HTTP/1.1")));
  EXPECT_TRUE(check_head(head("DELETE / HTTP/1.1", "Host: x\r\nContent-Length: 1\r\n")));
}

TEST(Guard, TheBodysSizeIsTheLength) {
  EXPECT_EQ(body_size(head("POST / HTTP/1.1", "Host: x\r\ncontent-LENGTH:\t12 \r\n")), 12U);
  EXPECT_EQ(body_size(head("GET / HTTP/1.1")), 0U);
  EXPECT_EQ(
      body_size(head("GET /Content-Length:7 HTTP/1.1", "Host: x\r\nX: Content-Length: 9\r\n")), 0U);
}

TEST(Guard, WhatAHeadSays) {
  const std::string text =
      head("POST /a?b=%41&c??d HTTP/1.1", "Host: x\r\norigin:  a%0d%0ab \r\nOrigin: second\r\n");
  EXPECT_EQ(method_of(text), "POST");
  EXPECT_EQ(target_of(text), "/a?b=%41&c??d");
  EXPECT_EQ(header_of(text, "Origin"), "a%0d%0ab");  // nothing is decoded
  EXPECT_EQ(header_of(text, "Orig"), "");
}

TEST(Guard, TheLastRequestOfAConnection) {
  EXPECT_FALSE(is_last_request(head("GET / HTTP/1.1")));
  EXPECT_FALSE(is_last_request(head("GET / HTTP/1.1", "Host: x\r\nConnection: closed\r\n")));
  EXPECT_TRUE(is_last_request(head("GET / HTTP/1.1", "Host: x\r\nConnection: TE, Close\r\n")));
  EXPECT_TRUE(is_last_request(head("GET / HTTP/1.0", "")));
  EXPECT_FALSE(is_last_request(head("GET / HTTP/1.0", "Connection: Keep-Alive\r\n")));
}

TEST(Guard, MethodsAndSizes) {
  EXPECT_EQ(check_head(head("PUT / HTTP/1.1"))->code, ErrorCode::kMethodNotAllowed);
  EXPECT_EQ(check_head(head("OPTIONS / HTTP/1.1"))->code, ErrorCode::kMethodNotAllowed);
  HeadLimits limits;
  limits.headers = 2;
  limits.target = 4;
  limits.bytes = 100;
  EXPECT_FALSE(check_head(head("GET /abc HTTP/1.1", "Host: x\r\nA: b\r\n"), limits));
  EXPECT_EQ(check_head(head("GET /abcd HTTP/1.1"), limits)->code, ErrorCode::kTooLarge);
  EXPECT_EQ(check_head(head("GET / HTTP/1.1", "Host: x\r\nA: b\r\nA: c\r\n"), limits)->code,
            ErrorCode::kTooLarge);
  const std::string large = "Host: x\r\nA: " + std::string(100, 'b') + "\r\n";
  EXPECT_EQ(check_head(head("GET / HTTP/1.1", large), limits)->code, ErrorCode::kTooLarge);
}

TEST(Guard, AHeadMustEndWhereItEnds) {
  EXPECT_TRUE(check_head("GET / HTTP/1.1\r\nHost: x\r\n"));
  EXPECT_TRUE(check_head(head("GET / HTTP/1.1") + "GET"));
  EXPECT_TRUE(check_head(""));
  EXPECT_TRUE(check_head(std::string("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n", 29)));
}

}  // namespace
}  // namespace benchhud::server
