// The server on a real socket, with room for few connections and little patience.
#include "server/http/http.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace benchhud::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kRequest = "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A peer that does what it is told, and no more.
class Peer {
 public:
  explicit Peer(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    // Little is taken that is not read.
    const int few = 4096;
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  Peer(Peer&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  Peer& operator=(Peer&&) = delete;
  ~Peer() {
    if (socket_ >= 0) ::close(socket_);
  }

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  /// What comes until `end` is at its end, the connection is closed, or nothing comes for so long.
  std::string read(std::string_view end = "\r\n\r\nanswer", std::chrono::milliseconds quiet = 20s) {
    std::string text;
    pollfd entry{socket_, POLLIN, 0};
    while (!text.ends_with(end) && ::poll(&entry, 1, static_cast<int>(quiet.count())) > 0) {
      char bytes[4096];
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      is_closed_ = count <= 0;
      if (is_closed_) break;
      text.append(bytes, static_cast<std::size_t>(count));
    }
    return text;
  }
  /// Reads so many bytes, or what there is of them.
  void skip(std::size_t size) const {
    std::vector<char> bytes(size);
    ::recv(socket_, bytes.data(), size, 0);
  }
  std::string read_to_end(std::chrono::milliseconds quiet = 20s) { return read("\x01", quiet); }
  bool is_closed() const { return is_closed_; }

 private:
  int socket_;
  bool is_closed_ = false;
};

class HttpTest : public testing::Test {
 protected:
  /// What the library makes at its first request is made by one thread before others look at it:
  /// ThreadSanitizer does not see how the library, which is not built with it, keeps them apart.
  static void SetUpTestSuite() {
    HttpOptions options;
    options.port = 0;
    options.threads = 1;
    auto server = HttpServer::bind(options, [](const Request&) {
      Response response;
      response.content_type = "text/plain";
      response.body = std::make_shared<const std::string>("answer");
      return response;
    });
    ASSERT_TRUE(server);
    std::thread running([&] { server->run(); });
    Peer one(server->port());
    one.send(kRequest);
    EXPECT_THAT(one.read(), StartsWith("HTTP/1.1 200 "));
    server->stop();
    running.join();
  }

  void start(HttpOptions options) {
    options.port = 0;
    counters_ = options.counters;
    auto bound = HttpServer::bind(options, [this](const Request& request) {
      Response response;
      response.content_type = "text/plain";
      if (request.target == "/big") {
        response.body = std::make_shared<const std::string>(kBig, 'b');
        return response;
      }
      if (request.target == "/slow") {
        while (holds_) std::this_thread::sleep_for(1ms);
      }
      if (request.target == "/until-cancelled") {
        ++working_;
        while (holds_ && !request.is_cancelled()) std::this_thread::sleep_for(1ms);
        --working_;
      }
      response.body = std::make_shared<const std::string>("answer");
      if (request.target == "/heedless") {
        response.stream = [](const schema::ByteSink& take) {
          const std::string piece(1 << 16, 'p');
          for (int i = 0; i < 1000; ++i) take(piece);
          return true;
        };
      }
      if (request.target == "/pieces") {
        response.stream = [](const schema::ByteSink& take) {
          const std::string piece(1 << 16, 'p');
          for (int i = 0; i < 1000; ++i) {
            if (!take(piece)) return false;
          }
          return true;
        };
      }
      return response;
    });
    ASSERT_TRUE(bound) << bound.error().message;
    server_.emplace(*std::move(bound));
    running_ = std::thread([this] { server_->run(); });
  }

  void TearDown() override {
    holds_ = false;
    stop();
  }

  void stop() {
    if (!server_) return;
    // run() may not have begun yet, and then would not see it.
    while (counters_->connections == 0) Peer(server_->port()).send("x");
    server_->stop();
    running_.join();
    server_.reset();
  }

  Peer peer() const { return Peer(server_->port()); }

  /// Asks once, on a connection of its own.
  std::string context() const {
    Peer one = peer();
    one.send(kRequest);
    return one.read();
  }

  void expect_soon(const std::function<bool()>& is_so) const {
    for (int i = 0; i < 30000 && !is_so(); ++i) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(is_so());
  }

  static constexpr std::size_t kBig = 16 << 20;
  std::shared_ptr<HttpCounters> counters_;
  std::optional<HttpServer> server_;
  std::thread running_;
  std::atomic<bool> holds_{true};
  std::atomic<int> working_{0};  // requests for /until-cancelled
};

HttpOptions few_threads() {
  HttpOptions options;
  options.threads = 2;
  return options;
}

TEST_F(HttpTest, ConnectionsThatDoNothingHoldNoThread) {
  start(few_threads());
  std::vector<Peer> idle, dawdling, unread;
  for (int i = 0; i < 20; ++i) {
    idle.push_back(peer());
    dawdling.push_back(peer());
    dawdling.back().send("GET /x HTTP/1.1\r\nHo");
    dawdling.push_back(peer());
    dawdling.back().send("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab");
  }
  for (int i = 0; i < 6; ++i) {
    unread.push_back(peer());
    unread.back().send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_THAT(context(), StartsWith("HTTP/1.1 200 "));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  // Each of them is answered as soon as it does its part.
  for (Peer& one : idle) {
    one.send(kRequest);
    EXPECT_THAT(one.read(), StartsWith("HTTP/1.1 200 "));
  }
  for (std::size_t i = 0; i < dawdling.size(); ++i) {
    dawdling[i].send(i % 2 == 0 ? "st: localhost\r\n\r\n" : "cde");
    EXPECT_THAT(dawdling[i].read(), StartsWith("HTTP/1.1 200 "));
  }
  for (Peer& one : unread) {
    const std::string text = one.read(std::string(kBig, 'b'));
    EXPECT_EQ(text.size() - text.find("\r\n\r\n") - 4, kBig);
  }
}

TEST_F(HttpTest, WhoIsTooSlowIsToldAndCounted) {
  HttpOptions options = few_threads();
  options.head_seconds = options.body_seconds = 0.3;
  start(options);
  Peer head = peer(), body = peer();
  head.send("GET /x HTTP/1.1\r\nHo");
  body.send("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab");
  for (Peer* one : {&head, &body}) {
    EXPECT_THAT(one->read_to_end(), StartsWith("HTTP/1.1 408 "));
    EXPECT_TRUE(one->is_closed());
  }
  EXPECT_EQ(counters_->refusals, 2u);
}

TEST_F(HttpTest, AByteNowAndThenDoesNotProlongARequest) {
  HttpOptions options = few_threads();
  options.head_seconds = 0.5;
  start(options);
  Peer one = peer();
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 200 && counters_->refusals == 0; ++i) {
    one.send(i == 0 ? "GET /x HTTP/1.1\r\nA: " : "a");
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_THAT(one.read_to_end(), StartsWith("HTTP/1.1 408 "));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
}

TEST_F(HttpTest, AnIdleConnectionEndsAfterAWhile) {
  HttpOptions options = few_threads();
  options.idle_seconds = 0.3;
  start(options);
  Peer never = peer(), once = peer();
  once.send(kRequest);
  EXPECT_THAT(once.read(), StartsWith("HTTP/1.1 200 "));
  for (Peer* one : {&never, &once}) {
    EXPECT_EQ(one->read_to_end(), "");
    EXPECT_TRUE(one->is_closed());
  }
  EXPECT_EQ(counters_->refusals, 0u);
}

TEST_F(HttpTest, AnAnswerThatNobodyTakesIsGivenUp) {
  HttpOptions options = few_threads();
  options.write_seconds = 0.3;
  options.answer_rate = 1e9;
  start(options);
  std::vector<Peer> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(peer());
    peers.back().send(i == 0 ? "GET /pieces HTTP/1.1\r\nHost: localhost\r\n\r\n"
                             : "GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  expect_soon([&] { return counters_->requests == 3; });
  expect_soon([&] { return counters_->open == 0; });
}

TEST_F(HttpTest, StreamGoesOnForReaderThatKeepsTheLeastRate) {
  HttpOptions options = few_threads();
  options.write_seconds = 0.5;
  options.answer_rate = 8 << 10;
  start(options);
  Peer one = peer();
  one.send("GET /pieces HTTP/1.1\r\nHost: localhost\r\n\r\n");
  // 20 kB/s: in three seconds this system's buffer has not become a third emptier, which is when
  // it says that there is room.
  for (int i = 0; i < 30; ++i) {
    one.skip(2000);
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_EQ(counters_->open, 1u);
}

TEST_F(HttpTest, StreamThatNobodyTakesIsLoggedAsBrokenOff) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  HttpOptions options = few_threads();
  options.log = std::make_shared<RequestLog>(LogFormat::kText, ends[1]);
  start(options);
  {
    Peer one = peer();
    one.send("GET /heedless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    one.skip(2000);
  }
  expect_soon([&] { return counters_->open == 0; });
  char line[1000];
  const ssize_t size = ::read(ends[0], line, sizeof line);
  EXPECT_THAT(std::string(line, static_cast<std::size_t>(std::max<ssize_t>(size, 0))),
              HasSubstr("broken off"));
  stop();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(HttpTest, StreamForHttp10EndsWithTheConnection) {
  start(few_threads());
  Peer one = peer();
  one.send("GET /pieces HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  const std::string text = one.read_to_end();
  EXPECT_TRUE(one.is_closed());
  EXPECT_THAT(text, Not(HasSubstr("chunked")));
  EXPECT_EQ(text.size() - text.find("\r\n\r\n") - 4, std::size_t{1000} << 16);
}

TEST_F(HttpTest, RequestsThatTakeLongHoldNoThreadOfOthers) {
  HttpOptions options = few_threads();
  options.lane_of = [](std::string_view, std::string_view target) {
    return target == "/slow" ? Lane::kHeavy : target == "/alive" ? Lane::kAlive : Lane::kUsual;
  };
  start(options);
  std::vector<Peer> slow;
  for (int i = 0; i < 10; ++i) {
    slow.push_back(peer());
    slow.back().send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // Of requests that come at once nobody knows which come first.
    if (i == 1) expect_soon([&] { return counters_->requests == 2; });
  }
  for (const char* target : {"/x", "/alive"}) {
    Peer other = peer();
    other.send(std::string("GET ") + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(other.read(), StartsWith("HTTP/1.1 200 "));
  }
  // Two are being answered; the others are told to try again rather than kept waiting.
  std::size_t refused = 0;
  for (std::size_t i = 2; i < slow.size(); ++i) {
    refused += slow[i].read_to_end(15s).starts_with("HTTP/1.1 503 ") ? 1U : 0U;
  }
  EXPECT_EQ(refused, 8u);
  holds_ = false;
  EXPECT_THAT(slow[0].read(), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(slow[1].read(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpTest, StuckReadersDoNotKeepTheServerFromEnding) {
  start(few_threads());
  Peer of_stream = peer(), of_answer = peer();
  of_stream.send("GET /pieces HTTP/1.1\r\nHost: localhost\r\n\r\n");
  of_answer.send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect_soon([&] { return counters_->requests == 2; });
  const auto began = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 8s);
}

TEST_F(HttpTest, OneConnectionTooManyTakesTheLongestIdleOnesPlace) {
  HttpOptions options = few_threads();
  options.connections = 8;
  start(options);
  std::vector<Peer> idle;
  for (int i = 0; i < 8; ++i) {
    idle.push_back(peer());
    idle.back().send(kRequest);
    EXPECT_THAT(idle.back().read(), StartsWith("HTTP/1.1 200 "));
    // The answer is here a moment before the connection is idle.
    std::this_thread::sleep_for(30ms);
  }
  EXPECT_THAT(context(), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(counters_->crowded_out, 1u);
  EXPECT_EQ(idle.front().read_to_end(), "");
  EXPECT_TRUE(idle.front().is_closed());
  for (std::size_t i = 1; i < idle.size(); ++i) {
    idle[i].send(kRequest);
    EXPECT_THAT(idle[i].read(), StartsWith("HTTP/1.1 200 "));
  }
}

TEST_F(HttpTest, WhereNoneCanBeSparedOneMoreIsRefusedForNow) {
  HttpOptions options = few_threads();
  options.connections = 4;
  start(options);
  std::vector<Peer> begun;
  for (int i = 0; i < 4; ++i) {
    begun.push_back(peer());
    begun.back().send("GET /x HTTP/1.1\r\nHo");
  }
  expect_soon([&] { return counters_->open == 4; });
  std::this_thread::sleep_for(50ms);
  Peer more = peer();
  const std::string refused = more.read_to_end();
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(refused, HasSubstr("Connection: close"));
  EXPECT_THAT(refused, HasSubstr("Too many connections"));
  EXPECT_EQ(counters_->refusals, 1u);
  // A request that still has not come after a second is no reason any more.
  std::this_thread::sleep_for(1200ms);
  EXPECT_THAT(context(), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(counters_->crowded_out, 1u);
}

TEST_F(HttpTest, AnswersThatNobodyTakesHoldBoundedMemory) {
  HttpOptions options = few_threads();
  options.waiting_bytes = 3 * kBig;
  start(options);
  std::vector<Peer> unread;
  for (int i = 0; i < 12; ++i) {
    unread.push_back(peer());
    unread.back().send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  expect_soon([&] { return counters_->crowded_out >= 8; });
  EXPECT_THAT(context(), StartsWith("HTTP/1.1 200 "));
  // The last of them is not given up for the others.
  const std::string text = unread.back().read(std::string(kBig, 'b'));
  EXPECT_EQ(text.size() - text.find("\r\n\r\n") - 4, kBig);
}

TEST_F(HttpTest, ManyRequestsAtOnceAreAnsweredInTheirOrder) {
  start(few_threads());
  Peer one = peer();
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += kRequest;
  one.send(requests);
  std::size_t answers = 0;
  for (std::string text; answers < 500;) {
    const std::string more = one.read();
    if (more.empty()) break;
    text = more;
    for (std::size_t at = 0; (at = text.find("\r\n\r\nanswer", at)) != std::string::npos; ++at) {
      ++answers;
    }
  }
  EXPECT_EQ(answers, 500u);
}

TEST_F(HttpTest, WorkIsCancelledWhenThePeerLeavesOrTheServerStops) {
  start(few_threads());
  constexpr const char* kWork = "GET /until-cancelled HTTP/1.1\r\nHost: localhost\r\n\r\n";
  {
    const Peer leaves = peer();
    // The request behind it shall not hide that the peer has left.
    leaves.send(std::string(kWork) + kRequest);
    expect_soon([this] { return working_ == 1; });
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(working_, 1) << "a peer that waits is no reason to stop";
  }
  expect_soon([this] { return working_ == 0; });
  const Peer stays = peer();
  stays.send(kWork);
  expect_soon([this] { return working_ == 1; });
  server_->stop();
  expect_soon([this] { return working_ == 0; });
  stop();
}

TEST_F(HttpTest, WhatIsUnderWayIsAnsweredBeforeTheServerEnds) {
  start(few_threads());
  Peer slow = peer(), unread = peer(), idle = peer();
  slow.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
  unread.send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect_soon([&] { return counters_->requests == 2; });
  std::thread later([this] {
    std::this_thread::sleep_for(100ms);
    holds_ = false;
  });
  std::string big;
  std::thread reading([&] {
    std::this_thread::sleep_for(100ms);
    big = unread.read_to_end();
  });
  const auto began = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 4s);
  later.join();
  reading.join();
  EXPECT_THAT(slow.read(), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(big.size() - big.find("\r\n\r\n") - 4, kBig);
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_EQ(counters_->open, 0u);
}

}  // namespace
}  // namespace benchhud::server
