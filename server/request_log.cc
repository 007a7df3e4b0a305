#include "server/request_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>

#include "schema/time.h"
#include "server/json_writer.h"

namespace benchhud::server {
namespace {

// No address of this server has them; who sends one by mistake shall not find it in a log.
constexpr std::array<std::string_view, 7> kSecrets = {"token",         "code",    "secret", "passw",
                                                      "authorization", "session", "api_key"};
constexpr std::string_view kHidden = "***";

bool is_secret(std::string_view name) {
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kSecrets.begin(), kSecrets.end(),
                     [&](std::string_view secret) { return small.find(secret) != small.npos; });
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
  const std::size_t question = std::min(target.find('?'), target.size());
  std::string text = plain(target.substr(0, std::min(question, kMostLoggedBytes)));
  std::string_view query = target.substr(question);
  while (!query.empty() && text.size() <= kMostLoggedBytes) {
    const std::size_t end = std::min(query.find('&', 1), query.size());
    const std::string_view part = query.substr(0, end);  // with the ? or & before it
    const std::size_t equals = std::min(part.find('='), part.size());
    const bool hides = equals < part.size() && is_secret(part.substr(1, equals - 1));
    text += plain(part.substr(0, std::min(hides ? equals + 1 : part.size(), kMostLoggedBytes)));
    if (hides) text += kHidden;
    query.remove_prefix(end);
  }
  if (text.size() > kMostLoggedBytes || question > kMostLoggedBytes) {
    text.resize(std::min(text.size(), kMostLoggedBytes));
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
    return fmt::format("{} {} {} {} {} B {:.1f} ms{}{}\n", time, method, path, request.status,
                       request.bytes, ms,
                       request.token > 0 ? fmt::format(" token {}", request.token) : "",
                       request.is_whole ? "" : " broken off");
  }
  std::string line;
  JsonWriter json(&line);
  json.begin_object();
  json.field("time", time);
  json.field("method", method);
  json.field("path", path);
  json.field("status", request.status);
  json.field("bytes", request.bytes);
  json.field("ms", std::round(ms * 10) / 10);
  json.field("token", request.token > 0 ? std::optional(request.token) : std::nullopt);
  json.field("whole", request.is_whole);
  json.end_object();
  return line + "\n";
}

void RequestLog::note(const LoggedRequest& request) const {
  if (format_ == LogFormat::kNone) return;
  const std::string line = log_line(request, format_);
  // A line that cannot be written is no reason not to answer.
  while (::write(descriptor_, line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

}  // namespace benchhud::server
