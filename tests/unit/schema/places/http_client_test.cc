// What requests over HTTP may not do. What they do is tested by tests/integration/places.test.mjs.

#include "schema/places/http_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <new>
#include <optional>
#include <string>

namespace benchhud::schema {
namespace {

using testing::HasSubstr;

/// Listens at a port of this machine, and answers nothing.
class Listener {
 public:
  Listener() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket_, any, size), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
    EXPECT_EQ(getsockname(socket_, any, &size), 0);
    url_ = fmt::format("http://127.0.0.1:{}/", ntohs(address.sin_port));
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { close(socket_); }

  const std::string& url() const { return url_; }
  bool was_reached() const {
    const int connection = accept(socket_, nullptr, nullptr);
    if (connection >= 0) close(connection);
    return connection >= 0;
  }

 private:
  int socket_;
  std::string url_;
};

TEST(HttpClient, SendsNothingWhereAnOptionIsNotTaken) {
  // libcurl takes no text above 8 MB. Without its signature, a request would carry the secret.
  const std::string too_long(9'000'000, 'x');
  const AwsSignature signature{"us-east-1", "KEY", "secret", "e3b0"};
  for (const int left_out : {0, 1, 2, 3}) {
    const Listener listener;
    HttpClient client(
        {.connect = std::chrono::milliseconds(500), .stall = std::chrono::seconds(1)});
    HttpRequest request;
    request.url = listener.url();
    request.signature = signature;
    if (left_out == 0) request.signature->region = too_long;
    if (left_out == 1) request.signature->secret = too_long;
    if (left_out == 2) request.url += too_long;
    if (left_out == 3) request.method = too_long;
    const auto sent = client.send(request);
    EXPECT_FALSE(listener.was_reached()) << left_out;
    ASSERT_TRUE(std::holds_alternative<HttpFailure>(sent)) << left_out;
    const HttpFailure& failure = std::get<HttpFailure>(sent);
    EXPECT_EQ(failure.kind, HttpFailure::Kind::kOther) << left_out;
    EXPECT_THAT(failure.error.message, HasSubstr("cannot send the request")) << left_out;
  }
}

TEST(HttpClient, DoesNotCallForAnotherTryWhereNoneCanSucceed) {
  HttpClient client({});
  for (const char* url : {"ftp://127.0.0.1/", "http://127.0.0.1:99999/", "http://"}) {
    HttpRequest request;
    request.url = url;
    const auto sent = client.send(request);
    ASSERT_TRUE(std::holds_alternative<HttpFailure>(sent)) << url;
    const HttpFailure& failure = std::get<HttpFailure>(sent);
    EXPECT_EQ(failure.kind, HttpFailure::Kind::kOther) << url;
    EXPECT_EQ(failure.error.code, ErrorCode::kPlaceRefused) << failure.error.message;
  }
}

TEST(HttpClient, EndsARequestOfWhichACallbackThrows) {
  const Listener listener;
  HttpClient client({.gives_up = []() -> bool { throw std::bad_alloc(); }});
  HttpRequest request;
  request.url = listener.url();
  const auto sent = client.send(request);
  ASSERT_TRUE(std::holds_alternative<HttpFailure>(sent));
  EXPECT_EQ(std::get<HttpFailure>(sent).error.code, ErrorCode::kNoMemory);
}

TEST(HttpClient, ReadsTheHostOfAnUrl) {
  EXPECT_EQ(host_of_url("http://host:80/a?b"), "host");
  EXPECT_EQ(host_of_url("http://[fd00:ec2::23]/v1"), "[fd00:ec2::23]");
  EXPECT_EQ(host_of_url("https://127.0.0.1"), "127.0.0.1");
  for (const char* url : {"", "host", "http://", "http://user@host/", "http://user:word@host/",
                          "http://@host/", "http://a b/", "http://169.254.170.2@evil.example/"}) {
    EXPECT_EQ(host_of_url(url), std::nullopt) << url;
  }
}

}  // namespace
}  // namespace benchhud::schema
