#include "server/http.h"

#include <fmt/format.h>
#include <httplib.h>
#include <netdb.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "schema/time.h"
#include "server/connection.h"
#include "server/host_names.h"
#include "server/waiting_room.h"

namespace benchhud::server {
namespace {

/// How often is looked for connections that have waited too long.
constexpr std::chrono::milliseconds kBetweenLooks{100};
/// How long answers that are on their way may take once the server stops.
constexpr std::chrono::seconds kLastAnswers{5};
/// Connections that may wait to be accepted: a burst of them is no reason to lose any.
constexpr int kBacklog = 1024;
/// Files that are not connections: stores with their logs, what is sent, pipes.
constexpr std::size_t kOtherFiles = 256;

/// All that the library gets to read of a request: how it is answered depends on nothing else of
/// what the peer wrote. It would refuse some of what may be written in an address or a range with
/// an answer of its own, decode what headers say, wait for bodies, and compress by itself.
std::string head_for_library(std::string_view head) {
  return fmt::format("{} / HTTP/1.1\r\nHost: x\r\n\r\n", method_of(head));
}

/// How the library sees a connection: one request's head, and nothing behind it. What it answers is
/// kept to be sent when it is whole, but for what is made while it is sent.
///
/// `override` is left out on purpose: newer versions of the library have other pure functions, and
/// this has those of all of them.
class HeadStream final : public httplib::Stream {
 public:
  explicit HeadStream(Connection& connection)
      : connection_(connection), text_(head_for_library(connection.head())), head_(text_) {}
  ~HeadStream() = default;

  void send_at_once() { sends_at_once_ = true; }

  bool is_readable() const { return !head_.empty(); }
  bool is_writable() const { return true; }
  bool wait_readable() const { return is_readable(); }
  bool wait_writable() const { return true; }
  time_t duration() const { return 0; }

  ssize_t read(char* bytes, size_t size) {
    const std::size_t count = std::min(size, head_.size());
    std::memcpy(bytes, head_.data(), count);
    head_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* bytes, size_t size) {
    connection_.append({bytes, size});
    if (sends_at_once_ && !connection_.send_all()) return -1;
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const { ip.clear(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const { ip.clear(), port = 0; }
  socket_t socket() const { return connection_.socket(); }

 private:
  Connection& connection_;
  const std::string text_;
  std::string_view head_;
  bool sends_at_once_ = false;
};

/// What the request that this thread is at has beside what the library knows of it.
struct AtHand {
  std::string_view body;
  ReadBody read_body;  ///< of a file that is sent, in place of the body; else empty
  const Connection* connection = nullptr;
  HeadStream* stream = nullptr;  ///< that the answer goes to
};

AtHand& at_hand() {
  thread_local AtHand here;
  return here;
}

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

std::string_view status_words(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

// Errors that only the protocol knows; their code says what they are nearest to.
constexpr schema::ErrorInfo kTimeout{schema::ErrorCode::kInvalidArgument, "request-timeout", 408,
                                     "The request took too long to come."};
constexpr schema::ErrorInfo kMisdirected{
    schema::ErrorCode::kForbidden, "misdirected-request", 421,
    "The request is for a host name that this server does not answer for."};

/// Whether only this machine reaches a socket's own address.
bool is_bound_to_loopback(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return false;
  std::array<char, NI_MAXHOST> text{};
  return ::getnameinfo(reinterpret_cast<const sockaddr*>(&bound), size, text.data(), text.size(),
                       nullptr, 0, NI_NUMERICHOST) == 0 &&
         is_loopback(text.data());
}

/// A refusal as it goes over the wire; the connection ends with it.
std::string refusal_text(const Response& response) {
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n", response.status,
                  status_words(response.status), response.content_type, response.body->size());
  for (const auto& [name, value] : response.headers) text += name + ": " + value + "\r\n";
  return text + "Connection: close\r\n\r\n" + *response.body;
}

}  // namespace

using Clock = std::chrono::steady_clock;

/// The library's server, with connections and the reading of requests in our hands. The library
/// accepts connections and reads heads that the guard has passed. In between connections wait in a
/// room of their own, where they hold no thread; whichever has something to do is taken up by the
/// next of the threads, for one request.
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
    // What the library tells in Keep-Alive.
    set_keep_alive_max_count(options.requests_per_connection);
    set_keep_alive_timeout(static_cast<time_t>(options.idle_seconds));
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response& response) {
      answer(response);
      return HandlerResponse::Handled;
    });
  }

  ~GuardedServer() override {
    if (room_) finish();
  }

  /// Before listening; once the address is bound.
  schema::Expected<void> begin() {
    BENCHHUD_ASSIGN(hosts_, HostNames::make(options_.host, is_bound_to_loopback(svr_sock_),
                                            options_.allowed_hosts));
    BENCHHUD_ASSIGN(room_, WaitingRoom::make(options_));
    // The library asks for five.
    ::listen(svr_sock_, kBacklog);
    for (std::size_t i = 0; i < options_.threads; ++i) {
      threads_.emplace_back([this] {
        while (auto connection = room_->next()) attend(std::move(connection));
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
  void answer(httplib::Response& response) {
    ++options_.counters->requests;
    const std::string_view head = at_hand().connection->head();
    const auto text = [head](std::string_view name) { return std::string(header_of(head, name)); };
    const auto began = Clock::now();
    LoggedRequest logged;
    logged.method = method_of(head);
    logged.target = target_of(head);
    if (options_.log) logged.at = schema::now();
    Response made = handler_(
        {std::string(method_of(head)), std::string(target_of(head)), text("If-None-Match"),
         text("Accept-Encoding"), text("Authorization"), text("Cookie"), text("Host"),
         text("Origin"), text("Sec-Fetch-Site"), text("Content-Type"), std::string(at_hand().body),
         at_hand().read_body, &logged.token, [this, connection = at_hand().connection] {
           return stopping_ || connection->has_left();
         }});
    options_.counters->count_answer(made.status);
    response.status = made.status;
    for (const auto& [name, value] : made.headers) response.set_header(name, value);
    logged.status = made.status;
    const bool is_sent = made.status != 304 && method_of(head) != "HEAD";
    if (!made.stream || !is_sent) {
      logged.bytes = is_sent ? static_cast<std::int64_t>(made.body->size()) : 0;
      log(logged, began);
    }
    if (made.status == 304) return;
    // For HEAD the library asks for none of them.
    if (made.stream) return answer_in_pieces(made, logged, began, response);
    response.body = *made.body;
    response.set_header("Content-Type", made.content_type);
  }

  /// What was made while it was sent is logged when it is.
  void answer_in_pieces(const Response& made, LoggedRequest logged, Clock::time_point began,
                        httplib::Response& response) {
    at_hand().stream->send_at_once();
    response.set_chunked_content_provider(
        made.content_type,
        [this, logged, began, stream = made.stream](std::size_t, httplib::DataSink& sink) mutable {
          logged.is_whole = stream([&](std::string_view piece) {
            logged.bytes += static_cast<std::int64_t>(piece.size());
            return sink.write(piece.data(), piece.size());
          });
          if (logged.is_whole) sink.done();
          log(logged, began);
          return logged.is_whole;
        });
  }

  void log(LoggedRequest logged, Clock::time_point began) const {
    if (!options_.log) return;
    logged.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    options_.log->note(logged);
  }

  /// Answers with a problem; the connection ends with it.
  void refuse(std::unique_ptr<Connection> connection, const schema::Error& error) {
    refuse(std::move(connection), problem_response(error, ""));
  }

  /// `checked_head`: of a request that the guard has passed. Nothing of another one is repeated.
  void refuse(std::unique_ptr<Connection> connection, const Response& response,
              std::string_view checked_head = {}) {
    ++options_.counters->refusals;
    if (options_.log) {
      LoggedRequest logged;
      logged.method = method_of(checked_head);
      logged.target = target_of(checked_head);
      logged.at = schema::now();
      logged.status = response.status;
      logged.bytes = static_cast<std::int64_t>(response.body->size());
      options_.log->note(logged);
    }
    connection->append(refusal_text(response));
    connection->end_when_sent();
    send(std::move(connection));
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

  /// Does what there is to do for a connection.
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
        return connection->is_file() ? take_file(std::move(connection))
                                     : take_up(std::move(connection));
    }
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

  /// Hands the request to the library, whichever way its version wants it; the body goes by it.
  /// False: the connection ends with the answer.
  template <class Base>
  static bool process(Base& server, Connection& connection, std::string_view body, bool last) {
    HeadStream stream(connection);
    at_hand().connection = &connection;
    at_hand().stream = &stream;
    at_hand().body = body;
    const std::function<void(httplib::Request&)> setup;
    bool closed = false;
    bool done = false;
    if constexpr (requires { server.process_request(stream, last, closed, setup); }) {
      done = server.process_request(stream, last, closed, setup);
    } else {
      done =
          server.process_request(stream, std::string(), 0, std::string(), 0, last, closed, setup);
    }
    at_hand() = {};
    return done && !closed && !last;
  }

  void take_up(std::unique_ptr<Connection> connection) {
    const bool last = stopping_ || is_last_request(connection->head()) ||
                      connection->used_up() + 1 >= options_.requests_per_connection;
    if (!process(*this, *connection, connection->body(), last)) connection->end_when_sent();
    send(std::move(connection));
  }

  /// A file is the last thing that a connection brings: who is refused need not send the rest. It
  /// holds its thread until it is here, so not all of them are for files.
  void take_file(std::unique_ptr<Connection> connection) {
    struct Place {
      explicit Place(std::atomic<std::size_t>& all) : taken(all), number(++all) {}
      ~Place() { --taken; }
      std::atomic<std::size_t>& taken;
      const std::size_t number;
    };
    const Place place(files_);
    if (place.number > std::max<std::size_t>(1, options_.threads / 2)) {
      return refuse(std::move(connection),
                    {schema::ErrorCode::kBusy, "Others are sending files; try again in a moment."});
    }
    at_hand().read_body = [&](char* bytes, std::size_t size) {
      return connection->read_file(bytes, size);
    };
    process(*this, *connection, {}, /*last=*/true);
    connection->end_when_sent();
    send(std::move(connection));
  }

  /// Closes what has waited too long.
  void look_after_time() {
    while (!is_over_) {
      {
        std::unique_lock lock(mutex_);
        // With nobody there, nothing happens until somebody comes.
        came_.wait_for(lock, kBetweenLooks, [this] { return is_over_.load(); });
        came_.wait(lock, [this] { return is_over_ || options_.counters->open > 0; });
      }
      for (auto& connection : room_->overdue()) {
        if (!connection->is_begun() || connection->is_ending()) continue;
        refuse(std::move(connection), protocol_problem(kTimeout, ""));
      }
    }
  }

  /// The library calls it where it accepts.
  bool process_and_close_socket(socket_t socket) override {
    auto connection = std::make_unique<Connection>(socket, options_);
    {
      // Who looks after time sees it, or sleeps already.
      const std::scoped_lock lock(mutex_);
    }
    came_.notify_one();
    if (options_.counters->open > most_connections_ && !room_->make_place()) {
      refuse(std::move(connection),
             {schema::ErrorCode::kBusy, "Too many connections are open; try again in a moment."});
      return true;
    }
    room_->enter(std::move(connection));
    return true;
  }

  /// Requests that are under way are answered, answers that are on their way are sent.
  void finish() {
    stopping_ = true;
    const auto latest = Connection::Clock::now() + kLastAnswers;
    for (room_->clear(); options_.counters->open > 0 && Connection::Clock::now() < latest;
         room_->clear()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    {
      const std::scoped_lock lock(mutex_);
      is_over_ = true;
    }
    came_.notify_all();
    room_->close();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    room_.reset();
  }

  const HttpOptions options_;
  const HttpServer::Handler handler_;
  const std::size_t most_connections_;
  HostNames hosts_;
  std::unique_ptr<WaitingRoom> room_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> files_{0};  // that are being read
  std::atomic<bool> stopping_{false};
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
  BENCHHUD_TRY(state->server.begin());
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
