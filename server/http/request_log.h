// A line for each request that was answered: who asked for what, and how that went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
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
  std::int64_t bytes = 0;      ///< of the answer's body, as it was sent
  double seconds = 0;          ///< until it was sent, or handed over to be
  std::int64_t token = 0;      ///< id of the token that was shown; 0: none that is valid
  bool is_whole = true;        ///< false: it broke off while it was sent
  std::string_view problem{};  ///< of an answer from 500 on: what it names as its type; else ""
};

/// An address as a log may keep it: values of what is called as secrets are, and tokens wherever
/// they are, become `***`, bytes that are no plain ASCII are percent-encoded, and behind
/// kMostLoggedBytes it is cut off.
std::string loggable_target(std::string_view target);
inline constexpr std::size_t kMostLoggedBytes = 1000;

/// The line with its end: text as
/// "2026-11-23T15:04:05.123Z GET /api/v1/runs 200 5120 B 0.8 ms token 3", or a JSON object with
/// time, method, path, status, bytes, ms, token (an id or null), whole and problem (a text or
/// null). Whatever was asked for, it is one line of plain ASCII.
std::string log_line(const LoggedRequest& request, LogFormat format);

/// The line that takes the place of `count` lines that could not be written: text as
/// "2026-11-23T15:04:05.123Z 17 lines dropped: the log was not read in time", or a JSON object with
/// time and dropped. `at`: seconds since 1970, UTC.
std::string dropped_line(std::int64_t count, double at, LogFormat format);

/// Writes lines to a file descriptor and never waits for whoever reads them: a line for which there
/// is no room is dropped, and a line that says how many were follows as soon as there is room
/// again. Threads may share it.
class RequestLog {
 public:
  /// `descriptor` stays open for as long as this lives.
  RequestLog(LogFormat format, int descriptor);
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;
  ~RequestLog();

  /// False: the line was dropped.
  bool note(const LoggedRequest& request);
  /// Says how many lines were dropped, if any were and there is room for it.
  void report_dropped();

 private:
  bool put(std::string_view lines);
  std::size_t write(std::string_view bytes) const;

  const LogFormat format_;
  const int descriptor_;
  int own_ = -1;  ///< another way to the same file, which does not block; -1: there is none
  bool is_socket_ = false;
  bool is_file_ = false;
  std::mutex mutex_;
  std::string rest_;          // of lines that were written in part
  std::int64_t dropped_ = 0;  // that nothing has been said of
};

}  // namespace benchhud::server
