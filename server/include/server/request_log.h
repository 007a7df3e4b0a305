// A line for each request that was answered: who asked for what, and how that went.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benchhud::server {

enum class LogFormat : std::uint8_t { kNone, kText, kJson };

/// "none", "text", "json".
std::optional<LogFormat> log_format_of(std::string_view name);

struct LoggedRequest {
  double at = 0;            ///< when it came: seconds since 1970, UTC
  std::string_view method;  ///< "" of what was refused before it was read
  std::string_view target;  ///< as it came
  int status = 0;
  std::int64_t bytes = 0;  ///< of the answer's body, as it was sent
  double seconds = 0;      ///< until it was sent, or handed over to be
  std::int64_t token = 0;  ///< id of the token that was shown; 0: none that is valid
  bool is_whole = true;    ///< false: it broke off while it was sent
};

/// An address as a log may keep it: values of what is called as secrets become `***`, bytes that
/// are no plain ASCII are percent-encoded, and behind kMostLoggedBytes it is cut off.
std::string loggable_target(std::string_view target);
inline constexpr std::size_t kMostLoggedBytes = 1000;

/// The line with its end: text as
/// "2026-11-23T15:04:05.123Z GET /api/v1/runs 200 5120 B 0.8 ms token 3", or a JSON object with
/// time, method, path, status, bytes, ms, token (an id or null) and whole. Whatever was asked for,
/// it is one line of plain ASCII.
std::string log_line(const LoggedRequest& request, LogFormat format);

/// Writes lines to a file descriptor, each with one write(), so that those of several threads do
/// not mix. Where the reader is slow and the descriptor does not block, lines are lost, not
/// requests.
class RequestLog {
 public:
  RequestLog(LogFormat format, int descriptor) : format_(format), descriptor_(descriptor) {}
  void note(const LoggedRequest& request) const;

 private:
  const LogFormat format_;
  const int descriptor_;
};

}  // namespace benchhud::server
