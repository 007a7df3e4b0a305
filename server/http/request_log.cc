#include "server/http/request_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>

#include "schema/base/ascii.h"
#include "schema/base/count_text.h"
#include "schema/base/json_writer.h"
#include "schema/base/time.h"
#include "schema/store/access_token.h"
#include "server/http/address.h"

namespace benchhud::server {
namespace {

// No address of this server has them; who sends one by mistake shall not find it in a log.
constexpr std::array<std::string_view, 7> kSecrets = {"token",         "code",    "secret", "passw",
                                                      "authorization", "session", "api_key"};
constexpr std::string_view kHidden = "***";

bool is_secret(std::string_view name) {
  return std::any_of(kSecrets.begin(), kSecrets.end(), [&](std::string_view secret) {
    return schema::contains_ignoring_case(name, secret);
  });
}

/// A part of an address, but for a token in it: tokens are recognized wherever they are, however
/// often encoded.
std::string shown(std::string_view part) {
  // What is cut off anyway is not decoded: that takes as many rounds as somebody wants.
  part = part.substr(0, kMostLoggedBytes + 1);
  std::string decoded(part);
  for (;;) {
    if (decoded.find(schema::kTokenStart) != std::string::npos) break;
    std::string further = percent_decode(decoded, false);
    if (further == decoded) return std::string(part);
    decoded = std::move(further);
  }
  // The separator before it stays.
  const bool is_separated = part.starts_with('/') || part.starts_with('?') || part.starts_with('&');
  return std::string(part.substr(0, is_separated ? 1 : 0)) + std::string(kHidden);
}

/// Bytes that are seen as they are, and end no word of a line.
std::string plain(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += fmt::format("%{:02X}", byte);
    }
  }
  return text;
}

/// 2026-11-23T15:04:05.123Z
std::string milliseconds_text(double at) {
  const double whole = std::floor(at);
  const int ms = std::min(999, static_cast<int>((at - whole) * 1000));
  std::string text = schema::format_time(whole);
  if (!text.empty() && text.back() == 'Z') text.pop_back();
  return fmt::format("{}.{:03}Z", text, ms);
}

}  // namespace

std::optional<LogFormat> log_format_of(std::string_view name) {
  if (name == "none") return LogFormat::kNone;
  if (name == "text") return LogFormat::kText;
  if (name == "json") return LogFormat::kJson;
  return std::nullopt;
}

std::string loggable_target(std::string_view target) {
  std::string text;
  const auto add = [&text](std::string_view piece) {
    if (text.size() <= kMostLoggedBytes) text += plain(shown(piece));
  };
  const std::string_view path = target.substr(0, target.find('?'));
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    add(path.substr(at, end - at));
    at = end;
  }
  for (std::string_view query = target.substr(path.size()); !query.empty();) {
    const std::size_t end = std::min(query.find('&', 1), query.size());
    const std::string_view part = query.substr(0, end);  // with the ? or & before it
    const std::size_t equals = std::min(part.find('='), part.size());
    add(part.substr(0, equals));
    if (equals < part.size()) {
      const bool hides = is_secret(percent_decode(part.substr(1, equals - 1), true));
      add("=");
      add(hides ? kHidden : part.substr(equals + 1));
    }
    query.remove_prefix(end);
  }
  if (text.size() > kMostLoggedBytes) {
    text.resize(kMostLoggedBytes);
    text += "...";
  }
  return text;
}

std::string log_line(const LoggedRequest& request, LogFormat format) {
  const std::string time = milliseconds_text(request.at);
  const std::string method = request.method.empty() ? "-" : plain(request.method.substr(0, 20));
  const std::string path = request.target.empty() ? "-" : loggable_target(request.target);
  const double ms = request.seconds * 1000;
  if (format == LogFormat::kText) {
    return fmt::format(
        "{} {} {} {} {} B {:.1f} ms{}{}{}{}\n", time, method, path, request.status, request.bytes,
        ms, request.token > 0 ? fmt::format(" token {}", request.token) : "",
        request.is_whole ? "" : " broken off", request.problem.empty() ? "" : " ", request.problem);
  }
  std::string line;
  schema::JsonWriter json(&line);
  json.begin_object();
  json.field("time", time);
  json.field("method", method);
  json.field("path", path);
  json.field("status", request.status);
  json.field("bytes", request.bytes);
  json.field("ms", std::round(ms * 10) / 10);
  json.field("token", request.token > 0 ? std::optional(request.token) : std::nullopt);
  json.field("whole", request.is_whole);
  json.field("problem", request.problem.empty() ? std::nullopt : std::optional(request.problem));
  json.end_object();
  return line + "\n";
}

std::string dropped_line(std::int64_t count, double at, LogFormat format) {
  const std::string time = milliseconds_text(at);
  if (format == LogFormat::kText) {
    return fmt::format("{} {} dropped: the log was not read in time\n", time,
                       schema::count_text(count, "line"));
  }
  std::string line;
  schema::JsonWriter json(&line);
  json.begin_object();
  json.field("time", time);
  json.field("dropped", count);
  json.end_object();
  return line + "\n";
}

RequestLog::RequestLog(LogFormat format, int descriptor)
    : format_(format), descriptor_(descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return;
  is_socket_ = S_ISSOCK(status.st_mode);
  is_file_ = S_ISREG(status.st_mode);
  // O_NONBLOCK on the descriptor itself would also be set for everybody else who has it, like the
  // shell that started this program.
  if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
    own_ = ::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(),
                  O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  }
}

RequestLog::~RequestLog() {
  if (own_ >= 0) ::close(own_);
}

/// How many of the bytes were taken; 0 where there is no room, or the log cannot be written.
std::size_t RequestLog::write(std::string_view bytes) const {
  for (;;) {
    ssize_t count = -1;
    if (is_socket_) {
      count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (own_ >= 0) {
      count = ::write(own_, bytes.data(), bytes.size());
    } else {
      // A pipe has room for a line (PIPE_BUF) where it says that it has some.
      pollfd entry{descriptor_, POLLOUT, 0};
      if (!is_file_ && (::poll(&entry, 1, 0) <= 0 || (entry.revents & POLLOUT) == 0)) return 0;
      count = ::write(descriptor_, bytes.data(), bytes.size());
    }
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return 0;
  }
}

/// Lines are written from their beginning to their end, or not at all. The caller holds the lock.
bool RequestLog::put(std::string_view lines) {
  if (!rest_.empty()) {
    rest_.erase(0, write(rest_));
    if (!rest_.empty()) return false;
  }
  const std::size_t taken = write(lines);
  if (taken == 0) return false;
  rest_ = lines.substr(taken);
  return true;
}

bool RequestLog::note(const LoggedRequest& request) {
  if (format_ == LogFormat::kNone) return true;
  std::string line = log_line(request, format_);
  const std::scoped_lock lock(mutex_);
  // With the notice in one piece: where there is room for one of them only, there is for neither.
  if (dropped_ > 0) line.insert(0, dropped_line(dropped_, schema::now(), format_));
  const bool is_put = put(line);
  dropped_ = is_put ? 0 : dropped_ + 1;
  return is_put;
}

void RequestLog::report_dropped() {
  const std::scoped_lock lock(mutex_);
  if (dropped_ > 0 && put(dropped_line(dropped_, schema::now(), format_))) dropped_ = 0;
}

}  // namespace benchhud::server
