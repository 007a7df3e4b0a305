#include "server/http/http.h"

#include <fmt/format.h>
#include <httplib.h>
#include <netdb.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "schema/base/caught_error.h"
#include "schema/base/time.h"
#include "server/http/connection.h"
#include "server/http/host_names.h"
#include "server/http/idle_connection_poller.h"
#include "server/http/lanes.h"
#include "server/http/response_head.h"

namespace benchhud::server {
namespace {

using Clock = Connection::Clock;

/// How often is looked for connections that have waited too long.
constexpr std::chrono::milliseconds kBetweenChecks{100};
/// How long answers that are on their way may take once the server stops.
constexpr std::chrono::seconds kLastAnswers{5};
/// Connections that may wait to be accepted: a burst of them is no reason to lose any.
constexpr int kBacklog = 1024;
/// Threads that read requests and send what is left of answers; they wait for nothing, so that two
/// are enough for thousands of connections.
constexpr std::size_t kReceivers = 2;
constexpr int kNotModified = 304;
/// Files that are not connections: stores with their logs, what is sent, pipes.
constexpr std::size_t kOtherFiles = 256;

/// As many connections as the system lets this process have, up to `wanted`.
std::size_t allowed_connections(std::size_t wanted) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
  const rlim_t enough = wanted + kOtherFiles;
  if (files.rlim_cur < enough) {
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, enough);
    ::setrlimit(RLIMIT_NOFILE, &files);
    ::getrlimit(RLIMIT_NOFILE, &files);
  }
  if (files.rlim_cur >= enough) return wanted;
  // Few are better than none.
  return std::max<std::size_t>(files.rlim_cur / 2,
                               files.rlim_cur - std::min<rlim_t>(files.rlim_cur, kOtherFiles));
}

/// What the library hands connections to: they are taken in at once, where it accepts them.
class TakeAtOnce final : public httplib::TaskQueue {
 public:
  explicit TakeAtOnce(std::function<void()> at_end) : at_end_(std::move(at_end)) {}
  // Newer versions of the library want to know whether there was room.
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue(nullptr));
  Taken enqueue(std::function<void()> take_in) override {
    take_in();
    return static_cast<Taken>(true);
  }
  void shutdown() override { at_end_(); }

 private:
  const std::function<void()> at_end_;
};

// Errors that only the protocol knows; their code says what they are nearest to.
constexpr schema::ErrorInfo kTimeoutProblem{schema::ErrorCode::kInvalidArgument, "request-timeout",
                                            408, "The request took too long to come."};
constexpr schema::ErrorInfo kMisdirected{
    schema::ErrorCode::kForbidden, "misdirected-request", 421,
    "The request is for a host name that this server does not answer for."};

/// An end of a socket (::getsockname or ::getpeername) as a numeric address; "" where it has none.
std::string address_of(int socket, int (*end)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (end(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  std::array<char, NI_MAXHOST> text{};
  const bool is_known = ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size,
                                      text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  return is_known ? text.data() : "";
}

std::string peer_of(int socket) { return address_of(socket, ::getpeername); }

/// Whether only this machine reaches a socket's own address.
bool is_bound_to_loopback(int socket) { return is_loopback(address_of(socket, ::getsockname)); }

}  // namespace

/// The library binds, listens and accepts; what comes on the connections is this class's. Receivers
/// read requests, of which no connection holds a thread while it waits in the waiting room, and
/// give each whole request to the lane of its kind, one of whose threads answers it.
class GuardedServer final : public httplib::Server {
 public:
  GuardedServer(const HttpOptions& options, HttpServer::Handler handler)
      : options_(options),
        handler_(std::move(handler)),
        most_connections_(allowed_connections(options.connections)) {
    new_task_queue = [this] { return new TakeAtOnce([this] { finish(); }); };
    set_tcp_nodelay(true);
    // Not the library's SO_REUSEPORT, with which two servers would share a port in silence.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
  }

  ~GuardedServer() override {
    if (room_) finish();
  }

  /// Before listening; once the address is bound.
  schema::Expected<void> begin() {
    BENCHHUD_ASSIGN(hosts_, HostNames::make(options_.host, is_bound_to_loopback(svr_sock_),
                                            options_.allowed_hosts));
    BENCHHUD_ASSIGN(room_, IdleConnectionPoller::make(options_));
    // The library asks for five.
    ::listen(svr_sock_, kBacklog);
    lanes_ = std::make_unique<Lanes>(
        options_.threads, [this](std::unique_ptr<Connection> one) { answer(std::move(one)); });
    for (std::size_t i = 0; i < kReceivers; ++i) {
      threads_.emplace_back([this] {
        while (auto connection = room_->next()) {
          unless_out_of_memory([&] { attend(std::move(connection)); });
        }
      });
    }
    threads_.emplace_back([this] { look_after_time(); });
    return {};
  }

  void stop_soon() {
    stopping_ = true;
    stop();
  }
  bool stopping() const { return stopping_; }

 private:
  /// What throws loses its connection; the others go on.
  template <class Work>
  static void unless_out_of_memory(const Work& work) {
    try {
      work();
    } catch (const std::exception&) {
      // Out of memory.
    }
  }

  Request request_of(Connection& connection, LoggedRequest* logged) const {
    const std::string_view head = connection.head();
    const auto text = [head](std::string_view name) { return std::string(header_of(head, name)); };
    Request request;
    request.method = method_of(head);
    request.target = target_of(head);
    request.if_none_match = text("If-None-Match");
    request.accept_encoding = text("Accept-Encoding");
    request.authorization = text("Authorization");
    request.cookie = text("Cookie");
    request.host = text("Host");
    request.origin = text("Origin");
    request.fetch_site = text("Sec-Fetch-Site");
    request.content_type = text("Content-Type");
    request.peer = peer_of(connection.socket());
    if (connection.is_file()) {
      request.read_body = [&connection](char* bytes, std::size_t size) {
        return connection.read_file(bytes, size);
      };
    } else {
      request.body = connection.body();
    }
    request.asked_by = &logged->token;
    request.is_cancelled = [this, &connection] { return stopping_ || connection.has_left(); };
    return request;
  }

  /// Answers the request that a connection has brought. On a thread of the request's lane.
  void answer(std::unique_ptr<Connection> connection) {
    ++options_.counters->requests;
    const std::string_view head = connection->head();
    const auto began = Clock::now();
    LoggedRequest logged;
    logged.method = method_of(head);
    logged.target = target_of(head);
    if (options_.log) logged.at = schema::now();
    const Response made = handler_(request_of(*connection, &logged));
    options_.counters->count_answer(made.status);
    logged.status = made.status;
    if (made.is_server_error()) logged.problem = made.problem;
    const bool has_body = made.status != kNotModified && method_of(head) != "HEAD";
    // Who is refused need not send the rest of a file: it is the last thing that a connection
    // brings.
    const bool is_last = stopping_ || connection->is_file() || is_last_request(head) ||
                         connection->used_up() + 1 >= options_.requests_per_connection;
    Framing framing;
    framing.is_old = is_old_request(head);
    framing.is_last = is_last || (framing.is_old && made.stream);
    framing.idle_seconds = static_cast<std::size_t>(options_.idle_seconds);
    framing.requests = options_.requests_per_connection;
    framing.size = made.body->size();
    if (made.stream) {
      framing.body = framing.is_old ? Framing::Body::kUntilEnd : Framing::Body::kChunked;
    }
    if (made.status == kNotModified) framing.body = Framing::Body::kNone;
    connection->begin_answer();
    connection->append(response_head(made, framing));
    if (framing.is_last) connection->end_when_sent();
    if (made.stream && has_body) {
      logged.is_whole = send_stream(*connection, made, framing, &logged.bytes);
      log(logged, began);
      // Whoever reads it must not take the end of the connection for that of the answer.
      if (!logged.is_whole) return connection->abort();
    } else {
      if (has_body) logged.is_whole = append_body(*connection, *made.body, &logged.bytes);
      log(logged, began);
      if (!logged.is_whole) return connection->abort();
    }
    send(std::move(connection));
  }

  /// False: there is no memory to keep what the peer does not take at once.
  static bool append_body(Connection& connection, const std::string& body, std::int64_t* bytes) {
    try {
      connection.append(body);
    } catch (const std::exception&) {
      return false;
    }
    *bytes = static_cast<std::int64_t>(body.size());
    return true;
  }

  /// Sends an answer as it is made. False: it broke off, because it could not be made to its end or
  /// because nobody took it.
  static bool send_stream(Connection& connection, const Response& made, const Framing& framing,
                          std::int64_t* bytes) {
    const bool is_chunked = framing.body == Framing::Body::kChunked;
    bool is_taken = true;
    const auto take = [&](std::string_view piece) {
      if (piece.empty() || !is_taken) return is_taken;  // an empty chunk would be the last one
      if (is_chunked) connection.append(fmt::format("{:x}\r\n", piece.size()));
      connection.append(piece);
      if (is_chunked) connection.append("\r\n");
      is_taken = connection.send_all();
      if (is_taken) *bytes += static_cast<std::int64_t>(piece.size());
      return is_taken;
    };
    try {
      if (!made.stream(take) || !is_taken) return false;
    } catch (const std::exception&) {
      return false;  // out of memory
    }
    if (is_chunked) connection.append("0\r\n\r\n");
    return connection.send_all();
  }

  void log(LoggedRequest logged, Clock::time_point began) const {
    logged.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    write_log(logged);
  }

  void write_log(const LoggedRequest& logged) const {
    if (options_.log && !options_.log->note(logged)) ++options_.counters->log_lines_dropped;
  }

  /// Answers with a problem; the connection ends with it.
  void refuse(std::unique_ptr<Connection> connection, const schema::Error& error,
              std::string_view checked_head = {}) {
    refuse(std::move(connection), problem_response(error, target_of(checked_head)), checked_head);
  }

  /// `checked_head`: of a request that the guard has passed. Nothing of another one is repeated.
  void refuse(std::unique_ptr<Connection> connection, const Response& response,
              std::string_view checked_head = {}) {
    ++options_.counters->refusals;
    LoggedRequest logged;
    logged.method = method_of(checked_head);
    logged.target = target_of(checked_head);
    if (options_.log) logged.at = schema::now();
    logged.status = response.status;
    logged.bytes = static_cast<std::int64_t>(response.body->size());
    write_log(logged);
    connection->begin_answer();
    connection->append(response_head(response, {.size = response.body->size(), .is_last = true}) +
                       *response.body);
    connection->end_when_sent();
    send(std::move(connection));
  }

  void refuse_host(std::unique_ptr<Connection> connection) {
    const std::string head(connection->head());
    const auto host = header_of(head, "host");
    refuse(std::move(connection),
           protocol_problem(
               kMisdirected,
               host.empty()
                   ? std::string("The request must name its Host.")
                   : fmt::format("This server does not answer for the host \"{}\". If it is meant "
                                 "to, start it with --allow-host and that name.",
                                 host)),
           head);
  }

  void refuse_as_busy(std::unique_ptr<Connection> connection) {
    const std::string head(connection->head());
    // Before the connection is given away: in which order arguments are worked out is not said.
    const char* const reason =
        connection->is_file()
            ? "Others are sending files; try again in a moment."
            : "Too many requests of this kind are waiting; try again in a moment.";
    refuse(std::move(connection), {schema::ErrorCode::kBusy, reason}, head);
  }

  /// Sends what is there to be sent, as far as the peer takes it, and lets the connection wait.
  void send(std::unique_ptr<Connection> connection) {
    if (!connection->send_some()) return;
    if (!connection->has_unsent()) {
      if (connection->is_last()) {
        connection->begin_to_end();
      } else {
        connection->use_up();
      }
    }
    room_->enter(std::move(connection));
  }

  /// Does what there is to do for a connection, without waiting for anything.
  void attend(std::unique_ptr<Connection> connection) {
    if (connection->is_ending()) {
      if (connection->drain()) room_->enter(std::move(connection));
      return;
    }
    if (connection->has_unsent()) return send(std::move(connection));
    switch (connection->receive()) {
      case Connection::Arrival::kGone:
        return;
      case Connection::Arrival::kNotYet:
        return room_->enter(std::move(connection));
      case Connection::Arrival::kRefused: {
        const schema::Error error = connection->error();
        return refuse(std::move(connection), error);
      }
      case Connection::Arrival::kWhole:
        if (!hosts_.contains(header_of(connection->head(), "host"))) {
          return refuse_host(std::move(connection));
        }
        return hand_over(std::move(connection));
    }
  }

  /// Gives a whole request to its lane.
  void hand_over(std::unique_ptr<Connection> connection) {
    Lane lane = Lane::kUsual;
    if (connection->is_file()) {
      lane = Lane::kUpload;
    } else if (options_.lane_of) {
      lane = options_.lane_of(method_of(connection->head()), target_of(connection->head()));
    }
    if (lane == Lane::kAlive) return answer(std::move(connection));
    if (!lanes_->enter(lane, connection)) refuse_as_busy(std::move(connection));
  }

  /// Refuses or closes what has waited too long.
  void look_after_time() {
    while (!is_over_) {
      {
        std::unique_lock lock(mutex_);
        // With nobody there, nothing happens until somebody comes.
        came_.wait_for(lock, kBetweenChecks, [this] { return is_over_.load(); });
        came_.wait(lock, [this] { return is_over_ || options_.counters->open > 0; });
      }
      unless_out_of_memory([this] { look_for_overdue(); });
    }
  }

  void look_for_overdue() {
    if (options_.log) options_.log->report_dropped();
    for (auto& connection : lanes_->overdue(stopping_)) refuse_as_busy(std::move(connection));
    for (auto& connection : room_->overdue()) {
      if (connection->has_unsent()) {
        // The room looks for more than a little place to send to, the peer may have taken less.
        if (connection->keeps_up()) send(std::move(connection));
      } else if (connection->is_begun() && !connection->is_ending()) {
        refuse(std::move(connection), protocol_problem(kTimeoutProblem, ""));
      }
    }
  }

  /// The library calls it where it accepts.
  bool process_and_close_socket(socket_t socket) override {
    unless_out_of_memory([&] { accept(socket); });
    return true;
  }

  void accept(socket_t socket) {
    std::unique_ptr<Connection> connection;
    try {
      connection = std::make_unique<Connection>(socket, options_, is_cut_off_);
    } catch (const std::bad_alloc&) {
      ::close(socket);
      throw;
    }
    {
      // Who looks after time sees it, or sleeps already.
      const std::scoped_lock lock(mutex_);
    }
    came_.notify_one();
    if (options_.counters->open > most_connections_ && !room_->make_place()) {
      return refuse(std::move(connection),
                    schema::Error{schema::ErrorCode::kBusy,
                                  "Too many connections are open; try again in a moment."});
    }
    room_->enter(std::move(connection));
  }

  /// Requests that are under way are answered, answers that are on their way are sent. What is not
  /// done then is cut off, so that no peer keeps the server from ending.
  void finish() {
    stopping_ = true;
    const auto latest = Clock::now() + kLastAnswers;
    for (room_->clear(); options_.counters->open > 0 && Clock::now() < latest; room_->clear()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    is_cut_off_ = true;
    {
      const std::scoped_lock lock(mutex_);
      is_over_ = true;
    }
    came_.notify_all();
    room_->close();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    lanes_.reset();
    room_.reset();
    if (options_.log) options_.log->report_dropped();
  }

  const HttpOptions options_;
  const HttpServer::Handler handler_;
  const std::size_t most_connections_;
  HostNames hosts_;
  std::unique_ptr<IdleConnectionPoller> room_;
  std::unique_ptr<Lanes> lanes_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> is_cut_off_{false};  // nobody is waited for any more
  std::mutex mutex_;
  std::condition_variable came_;  // somebody, or the end
  std::atomic<bool> is_over_{false};
};

struct HttpServer::State {
  State(const HttpOptions& options, Handler handler) : server(options, std::move(handler)) {}
  GuardedServer server;
  int port = 0;
};

schema::Expected<HttpServer> HttpServer::bind(const HttpOptions& options, Handler handler) {
  auto state = std::make_unique<State>(options, std::move(handler));
  if (options.port == 0) {
    state->port = state->server.bind_to_any_port(options.host);
  } else if (state->server.bind_to_port(options.host, options.port)) {
    state->port = options.port;
  }
  if (state->port <= 0) {
    return schema::Error{
        schema::ErrorCode::kIo,
        fmt::format("cannot listen on {}:{}: the port is in use, or the address is not "
                    "one of this machine",
                    options.host, options.port)};
  }
  BENCHHUD_TRY(schema::caught([&] { return state->server.begin(); }));
  return HttpServer(std::move(state));
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() = default;

int HttpServer::port() const { return state_->port; }
void HttpServer::run() {
  if (!state_->server.stopping()) state_->server.listen_after_bind();
}
void HttpServer::stop() { state_->server.stop_soon(); }

}  // namespace benchhud::server
