#include "server/http.h"

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

namespace benchhud::server {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Waits until the socket is ready for `events` or the time is up.
bool wait_for(int socket, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{socket, events, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::min<long long>(left, 1000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

/// How the library sees a connection: one request's head that the guard has passed, and nothing
/// behind it. Whatever else the peer sent waits for the next round.
///
/// `override` is left out on purpose: newer versions of the library have other pure functions, and
/// this has those of all of them.
class HeadStream final : public httplib::Stream {
 public:
  HeadStream(int socket, double write_seconds) : socket_(socket), write_seconds_(write_seconds) {}
  ~HeadStream() = default;

  void set_head(std::string_view head) { head_ = head; }

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
    const auto deadline = after(write_seconds_);
    for (std::size_t written = 0; written < size;) {
      const ssize_t count = ::send(socket_, bytes + written, size - written, MSG_NOSIGNAL);
      if (count > 0) {
        written += static_cast<std::size_t>(count);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        if (!wait_for(socket_, POLLOUT, deadline)) return -1;
      } else if (errno != EINTR) {
        return -1;
      }
      if (Clock::now() > deadline) return -1;
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const { ip.clear(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const { ip.clear(), port = 0; }
  socket_t socket() const { return socket_; }

 private:
  const int socket_;
  const double write_seconds_;
  std::string_view head_;
};

/// What came of waiting for a request's head, or for its body.
enum class Arrival { kHere, kTooLarge, kTooSlow, kGone };

/// Collects requests from a socket.
class RequestReader {
 public:
  RequestReader(int socket, const HttpOptions& options) : socket_(socket), options_(options) {}

  /// Waits for a whole head, as long as `may_idle` allows for its first byte.
  Arrival next(const std::function<bool(Clock::time_point since)>& may_idle) {
    buffer_.erase(0, head_size_ + body_size_);
    head_size_ = body_size_ = 0;
    const auto began = Clock::now();
    while (buffer_.empty()) {
      if (!may_idle(began)) return Arrival::kGone;
      if (wait_for(socket_, POLLIN, after(kGlance)) && !receive()) return Arrival::kGone;
    }
    const auto deadline = after(options_.head_seconds);
    for (std::size_t searched = 0;;) {
      const std::size_t end = buffer_.find("\r\n\r\n", searched);
      if (end != std::string::npos) {
        head_size_ = end + 4;
        return head_size_ > options_.limits.bytes ? Arrival::kTooLarge : Arrival::kHere;
      }
      // A head whose lines end otherwise never ends as it should; the guard says why.
      if (buffer_.find("\n\n", searched) != std::string::npos) {
        head_size_ = buffer_.size();
        return Arrival::kHere;
      }
      if (buffer_.size() > options_.limits.bytes) return Arrival::kTooLarge;
      searched = buffer_.size() < 3 ? 0 : buffer_.size() - 3;
      if (!wait_for(socket_, POLLIN, deadline)) return Arrival::kTooSlow;
      if (!receive()) return Arrival::kGone;
    }
  }

  /// Waits for the `size` bytes behind the head.
  Arrival read_body(std::size_t size) {
    body_size_ = size;
    const auto deadline = after(options_.body_seconds);
    while (buffer_.size() < head_size_ + body_size_) {
      if (!wait_for(socket_, POLLIN, deadline)) return Arrival::kTooSlow;
      if (!receive()) return Arrival::kGone;
    }
    return Arrival::kHere;
  }

  std::string_view head() const { return std::string_view(buffer_).substr(0, head_size_); }
  std::string_view body() const { return std::string_view(buffer_).substr(head_size_, body_size_); }

 private:
  static constexpr double kGlance = 0.1;  // s between two looks at whether to go on

  /// False when the peer is gone.
  bool receive() {
    char bytes[4096];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count > 0) {
      buffer_.append(bytes, static_cast<std::size_t>(count));
      return true;
    }
    return count < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
  }

  const int socket_;
  const HttpOptions& options_;
  std::string buffer_;
  std::size_t head_size_ = 0;
  std::size_t body_size_ = 0;
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
    default:
      return "Error";
  }
}

/// A refusal as it goes over the wire; the connection ends with it.
std::string refusal_text(const Response& response) {
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n", response.status,
                  status_words(response.status), response.content_type, response.body->size());
  for (const auto& [name, value] : response.headers) text += name + ": " + value + "\r\n";
  return text + "Connection: close\r\n\r\n" + *response.body;
}

/// The header under which Accept-Encoding passes the library by: it would compress by itself, with
/// brotli at its slowest where the client knows that.
constexpr const char* kHiddenEncoding = "X-Benchhud-Accept-Encoding";

void hide_from_library(httplib::Request& request) {
  request.headers.erase(kHiddenEncoding);
  if (request.has_header("Accept-Encoding")) {
    request.set_header(kHiddenEncoding, request.get_header_value("Accept-Encoding"));
    request.headers.erase("Accept-Encoding");
  }
  // Answers are whole: a range may be ignored (RFC 9110, 14.2).
  request.headers.erase("Range");
  request.ranges.clear();
  // The library would wait for a body, which is not in what it gets to read.
  request.headers.erase("Content-Length");
}

}  // namespace

/// The library's server, with the reading of heads in our hands.
class GuardedServer final : public httplib::Server {
 public:
  GuardedServer(const HttpOptions& options, HttpServer::Handler handler)
      : options_(options), handler_(std::move(handler)) {
    new_task_queue = [threads = options.threads] { return new httplib::ThreadPool(threads); };
    set_tcp_nodelay(true);
    // Not the library's SO_REUSEPORT, with which two servers would share a port in silence.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_keep_alive_max_count(options.requests_per_connection);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return HandlerResponse::Handled;
    });
  }

  HttpCounts counts() const { return {connections_.load(), requests_.load(), refusals_.load()}; }
  void stop_soon() {
    stopping_ = true;
    stop();
  }
  bool stopping() const { return stopping_; }

 private:
  void answer(const httplib::Request& request, httplib::Response& response) {
    ++requests_;
    Response made =
        handler_({request.method, request.target, request.get_header_value("If-None-Match"),
                  request.get_header_value(kHiddenEncoding),
                  request.get_header_value("Authorization"), request.get_header_value("Cookie"),
                  request.get_header_value("Host"),
                  request.get_header_value("Origin"), request.get_header_value("Sec-Fetch-Site"),
                  request.get_header_value("Content-Type"), request.body});
    response.status = made.status;
    for (const auto& [name, value] : made.headers) response.set_header(name, value);
    if (made.status == 304) return;
    if (made.stream) {
      response.set_chunked_content_provider(
          made.content_type, [stream = made.stream](std::size_t, httplib::DataSink& sink) {
            const bool is_whole = stream(
                [&](std::string_view piece) { return sink.write(piece.data(), piece.size()); });
            if (is_whole) sink.done();
            return is_whole;
          });
      return;
    }
    response.body = *made.body;
    response.set_header("Content-Type", made.content_type);
  }

  void refuse(HeadStream& stream, const schema::Error& error, int status = 0) {
    ++refusals_;
    Response response = problem_response(error, "");
    if (status != 0) response.status = status;
    const std::string text = refusal_text(response);
    stream.write(text.data(), text.size());
  }

  void refuse_slow(HeadStream& stream) {
    constexpr int kRequestTimeout = 408;
    refuse(stream, {schema::ErrorCode::kInvalidArgument, "The request took too long to come."},
           kRequestTimeout);
  }

  /// Whether an idle connection may go on waiting: not for long where others want its thread.
  bool may_idle(Clock::time_point since) const {
    constexpr double kCrowdedSeconds = 0.2;
    const bool crowded = open_ >= options_.threads;
    const double limit =
        crowded ? std::min(kCrowdedSeconds, options_.idle_seconds) : options_.idle_seconds;
    return !stopping_ && std::chrono::duration<double>(Clock::now() - since).count() < limit;
  }

  /// Hands the head to the library, whichever way its version wants it; the body goes by it.
  template <class Base>
  static bool process(Base& server, HeadStream& stream, std::string_view body, bool last,
                      bool& closed) {
    const std::function<void(httplib::Request&)> setup = [body](httplib::Request& request) {
      hide_from_library(request);
      request.body = body;
    };
    if constexpr (requires { server.process_request(stream, last, closed, setup); }) {
      return server.process_request(stream, last, closed, setup);
    } else {
      return server.process_request(stream, std::string(), 0, std::string(), 0, last, closed,
                                    setup);
    }
  }

  void converse(int socket) {
    HeadStream stream(socket, options_.write_seconds);
    RequestReader reader(socket, options_);
    for (std::size_t left = options_.requests_per_connection; left > 0; --left) {
      const auto arrival = reader.next([this](Clock::time_point since) { return may_idle(since); });
      if (arrival == Arrival::kGone) return;
      if (arrival == Arrival::kTooSlow) return refuse_slow(stream);
      if (arrival == Arrival::kTooLarge) {
        return refuse(stream, {schema::ErrorCode::kTooLarge, "The request's head is too large."});
      }
      if (const auto error = check_head(reader.head(), options_.limits))
        return refuse(stream, *error);
      const auto body = reader.read_body(body_size(reader.head()));
      if (body == Arrival::kGone) return;
      if (body == Arrival::kTooSlow) return refuse_slow(stream);
      stream.set_head(reader.head());
      bool closed = false;
      if (!process(*this, stream, reader.body(), left == 1 || stopping_, closed) || closed) return;
    }
  }

  /// Ends a connection so that what was sent last still arrives: a close with unread bytes would
  /// cut it.
  static void close_gently(int socket) {
    ::shutdown(socket, SHUT_WR);
    const auto deadline = after(0.2);
    char bytes[4096];
    std::size_t drained = 0;
    constexpr std::size_t kMostDrained = 256 * 1024;
    while (drained < kMostDrained && wait_for(socket, POLLIN, deadline)) {
      const ssize_t count = ::recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
      if (count <= 0) break;
      drained += static_cast<std::size_t>(count);
    }
    ::close(socket);
  }

  bool process_and_close_socket(socket_t socket) override {
    ++connections_;
    ++open_;
    converse(socket);
    close_gently(socket);
    --open_;
    return true;
  }

  const HttpOptions options_;
  const HttpServer::Handler handler_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> open_{0};
  std::atomic<std::uint64_t> connections_{0}, requests_{0}, refusals_{0};
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
HttpCounts HttpServer::counts() const { return state_->server.counts(); }

}  // namespace benchhud::server
