#include "server/http/request_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace benchhud::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using std::string_literals::operator""s;

LoggedRequest asked(std::string_view target) {
  LoggedRequest request;
  request.at = 1'800'000'000.25;
  request.method = "GET";
  request.target = target;
  request.status = 200;
  request.bytes = 5120;
  request.seconds = 0.00084;
  request.token = 3;
  return request;
}

TEST(RequestLog, ALineSaysWhatWasAskedAndHowItWent) {
  EXPECT_EQ(log_line(asked("/api/v1/runs?limit=5"), LogFormat::kText),
            "2027-01-15T08:00:00.250Z GET /api/v1/runs?limit=5 200 5120 B 0.8 ms token 3\n");
  const std::string line = log_line(asked("/api/v1/runs?limit=5"), LogFormat::kJson);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json, nlohmann::json({{"time", "2027-01-15T08:00:00.250Z"},
                                  {"method", "GET"},
                                  {"path", "/api/v1/runs?limit=5"},
                                  {"status", 200},
                                  {"bytes", 5120},
                                  {"ms", 0.8},
                                  {"token", 3},
                                  {"whole", true},
                                  {"problem", nullptr}}));
  LoggedRequest refused;
  refused.status = 400;
  EXPECT_THAT(log_line(refused, LogFormat::kText), HasSubstr(" - - 400 0 B 0.0 ms\n"));
  EXPECT_TRUE(nlohmann::json::parse(log_line(refused, LogFormat::kJson)).at("token").is_null());
  LoggedRequest cut = asked("/x");
  cut.is_whole = false;
  EXPECT_THAT(log_line(cut, LogFormat::kText), HasSubstr(" broken off\n"));
  LoggedRequest failed = asked("/x");
  failed.status = 503;
  failed.problem = "out-of-memory";
  EXPECT_THAT(log_line(failed, LogFormat::kText), HasSubstr(" token 3 out-of-memory\n"));
  EXPECT_EQ(nlohmann::json::parse(log_line(failed, LogFormat::kJson)).at("problem"),
            "out-of-memory");
}

TEST(RequestLog, HostileBytesStayInTheirLine) {
  const std::string hostile = "/a\n2027 GET /forged 200\r\x1b[31m\"\\\0\xff\xe2\x80\xa8 b"s;
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    LoggedRequest request = asked(hostile);
    request.method = "G\nT\x7f";
    const std::string line = log_line(request, format);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    for (const char c : line.substr(0, line.size() - 1)) {
      EXPECT_TRUE(c >= 0x20 && c < 0x7f) << line;
    }
  }
  const auto json = nlohmann::json::parse(log_line(asked(hostile), LogFormat::kJson));
  EXPECT_THAT(json.at("path").get<std::string>(),
              testing::StartsWith("/a%0A2027%20GET%20/forged%20200%0D%1B[31m\"\\%00%FF%E2%80%A8"));
}

TEST(RequestLog, SecretsStayOut) {
  for (const std::string target :
       {"/x?token=hush", "/x?a=b&access_token=hush&c=d", "/x?Token=hush", "/sign-in?code=hush",
        "/x?session=hush", "/x?client_secret=hush", "/x?password=hush", "/x?=&token=hush=hush"}) {
    EXPECT_THAT(loggable_target(target), Not(HasSubstr("hush"))) << target;
    EXPECT_THAT(loggable_target(target), HasSubstr("***")) << target;
  }
  EXPECT_EQ(loggable_target("/x?a=b&access_token=hush&c=d"), "/x?a=b&access_token=***&c=d");
  for (const std::string target :
       {"/", "", "/x?", "/x?&", "/x?a", "/x?a=&b==&", "/x?model=resnet&limit=5", "/a/b%20c"}) {
    EXPECT_EQ(loggable_target(target), target);
  }
}

TEST(RequestLog, TokensAreHiddenWhereverTheyAre) {
  for (const std::string target :
       {"/x?model=bhud_3_hush", "/x?bhud_3_hush", "/x?bhud_3_hush=1", "/bhud_3_hush",
        "/a/bhud_3_hush/b", "/x?model=%62hud_3_hush", "/x?model=bhud%5f3_hush",
        "/x?model=%2562hud_3_hush", "/x?%74oken=hush", "/x?to%6ben=hush"}) {
    EXPECT_THAT(loggable_target(target), Not(HasSubstr("hush"))) << target;
    EXPECT_THAT(loggable_target(target), HasSubstr("***")) << target;
  }
  EXPECT_EQ(loggable_target("/a/bhud_3_hush/b?model=bhud_3_hush&run=5"),
            "/a/***/b?model=***&run=5");
}

TEST(RequestLog, LineForWhichThereIsNoRoomIsDroppedAndCounted) {
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    int written = 0, dropped = 0;
    RequestLog log(format, ends[1]);
    while (dropped < 10) ++(log.note(asked("/x")) ? written : dropped);
    EXPECT_GT(written, 100);
    std::string text(1 << 20, '\0');
    const auto first = read(ends[0], text.data(), text.size());
    ASSERT_GT(first, 0);
    EXPECT_TRUE(log.note(asked("/y")));
    const auto rest =
        read(ends[0], text.data() + first, text.size() - static_cast<std::size_t>(first));
    text.resize(static_cast<std::size_t>(first + rest));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), written + 2);
    EXPECT_THAT(
        text, HasSubstr(format == LogFormat::kText ? " 10 lines dropped: " : "\"dropped\":10}\n"));
    close(ends[0]);
    close(ends[1]);
  }
}

TEST(RequestLog, WhatIsLongIsCutOff) {
  for (const std::string& target :
       {"/" + std::string(100'000, 'a'), "/x?" + std::string(100'000, '\n'),
        "/x?a=" + std::string(100'000, 'b') + "&token=hush",
        "/x?token=" + std::string(100'000, 'h')}) {
    const std::string text = loggable_target(target);
    EXPECT_LE(text.size(), kMostLoggedBytes + 3) << text.size();
    EXPECT_THAT(text, Not(HasSubstr("hush")));
    EXPECT_LT(log_line(asked(target), LogFormat::kJson).size(), 4096u) << "one write to a pipe";
  }
}

TEST(RequestLog, IsWrittenOnlyWhereOneIsWanted) {
  for (const LogFormat format : {LogFormat::kNone, LogFormat::kText}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    RequestLog(format, ends[1]).note(asked("/x"));
    close(ends[1]);
    std::array<char, 200> bytes{};
    const auto count = read(ends[0], bytes.data(), bytes.size());
    close(ends[0]);
    EXPECT_EQ(count > 0, format == LogFormat::kText);
  }
  EXPECT_EQ(log_format_of("json"), LogFormat::kJson);
  EXPECT_EQ(log_format_of("JSON"), std::nullopt);
}

}  // namespace
}  // namespace benchhud::server
