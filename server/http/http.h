// Sockets and threads: the only unit that knows HTTP on the wire. What it lets through is plain;
// what it does not is answered with a problem, counted, and its connection closed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "server/http/http_counters.h"
#include "server/http/lane.h"
#include "server/http/message.h"
#include "server/http/request_head.h"
#include "server/http/request_log.h"

namespace benchhud::server {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;  ///< 0: any that is free
  /// Names beside those of the loopback interface that requests may give as their Host (HostNames).
  std::vector<std::string> allowed_hosts;
  /// How many usual requests are answered at once. A connection holds a thread only meanwhile.
  std::size_t threads = 32;
  /// How many are open at once, where the system lets a process have as many files. One more takes
  /// the place of the one that has been idle for the longest, or is answered 503.
  std::size_t connections = 4096;
  /// Bytes of requests that are not here yet, and of answers that are not taken yet, of all
  /// connections. More, and those that have waited for the longest are closed.
  std::size_t waiting_bytes = std::size_t{128} << 20;
  std::size_t requests_per_connection = 1000;
  double idle_seconds = 30;  ///< how long a connection may wait between two requests
  double head_seconds = 10;  ///< how long a request's head may take to come
  double body_seconds = 10;  ///< how long a request's body may take to come
  /// How long a file that is sent may stand still, and the bytes a second that it must bring after
  /// that time.
  double upload_still_seconds = 30;
  double upload_rate = 8 << 10;
  /// How long an answer may wait for who reads it, and the bytes a second that it must take after
  /// that time.
  double write_seconds = 30;
  double answer_rate = 8 << 10;
  HeadLimits limits;
  /// The lane of a request of this method and address; not set: all are usual. Threads share it.
  std::function<Lane(std::string_view method, std::string_view target)> lane_of;
  std::shared_ptr<RequestLog> log;  ///< null: no requests are logged
  std::shared_ptr<HttpCounters> counters = std::make_shared<HttpCounters>();
};

class HttpServer {
 public:
  using Handler = std::function<Response(const Request&)>;

  /// Binds the address. Errors: kIo where it cannot be had (in use, not this machine's, forbidden),
  /// kInvalidArgument for an allowed host that is no name.
  static schema::Expected<HttpServer> bind(const HttpOptions& options, Handler handler);
  HttpServer(HttpServer&&) noexcept;
  HttpServer& operator=(HttpServer&&) = delete;
  ~HttpServer();

  int port() const;
  /// Serves until stop() is called; requests that are under way are answered first.
  void run();
  /// May be called from any thread.
  void stop();

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::server
