// Sockets and threads: the only unit that knows HTTP on the wire. What it lets through is plain;
// what it does not is answered with a problem, counted, and its connection closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "schema/errors.h"
#include "server/guard.h"
#include "server/message.h"

namespace benchhud::server {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;  ///< 0: any that is free
  /// Each open connection holds one; when all are held, idle connections are closed early.
  std::size_t threads = 32;
  std::size_t requests_per_connection = 1000;
  double idle_seconds = 5;    ///< how long a connection may wait between two requests
  double head_seconds = 10;   ///< how long a request's head may take to come
  double body_seconds = 10;   ///< how long a request's body may take to come
  double write_seconds = 30;  ///< how long an answer may wait for who reads it
  HeadLimits limits;
};

struct HttpCounts {
  std::uint64_t connections = 0;
  std::uint64_t requests = 0;
  std::uint64_t refusals = 0;  ///< by the guard, among them heads that did not come in time
};

class HttpServer {
 public:
  using Handler = std::function<Response(const Request&)>;

  /// Binds the address. Errors: kIo where it cannot be had (in use, not this machine's, forbidden).
  static schema::Expected<HttpServer> bind(const HttpOptions& options, Handler handler);
  HttpServer(HttpServer&&) noexcept;
  HttpServer& operator=(HttpServer&&) = delete;
  ~HttpServer();

  int port() const;
  /// Serves until stop() is called; requests that are under way are answered first.
  void run();
  /// May be called from any thread.
  void stop();
  HttpCounts counts() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::server
