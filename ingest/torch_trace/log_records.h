// Cuts a TORCH_TRACE log into its records: a line with a glog prefix and an object of JSON, and the
// lines behind it that begin with a tab, which are its payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace benchhud::ingest {

/// A record, or a line that is none. Its texts are valid during the visit.
struct LogRecord {
  std::int64_t line = 0;  ///< counted from 1
  /// Why the line is no record: a phrase; "" where it is one.
  std::string_view fault;
  std::string_view time;             ///< "1206 15:20:13.926000"
  std::optional<std::int64_t> rank;  ///< of a prefix "[rank3]:"
  std::string_view json;
  bool has_payload = false;        ///< lines that begin with a tab follow
  std::string_view payload;        ///< up to kLongestPayload bytes of it
  std::int64_t payload_bytes = 0;  ///< of all of it
  std::string payload_md5;         ///< of all of it, hexadecimal
};

/// The parts of a record's line. False if it is none. `record` views `line`.
bool read_log_line(std::string_view line, LogRecord* record);

/// Reads bytes of a log in pieces. Holds one record, and of its payload what is kept.
class LogRecords {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{8} << 20;
  static constexpr std::size_t kLongestPayload = std::size_t{16} << 20;
  using Visit = std::function<void(const LogRecord&)>;

  explicit LogRecords(Visit visit);
  ~LogRecords();

  void feed(std::string_view bytes);
  /// At the end of the log: visits the last record.
  void finish();

 private:
  class Md5;
  void add_to_line(std::string_view piece);
  void add_to_payload(std::string_view piece, bool is_begin);
  void end_line();
  void end_record();

  const Visit visit_;
  std::int64_t line_number_ = 0;
  bool at_line_begin_ = true;
  bool in_payload_line_ = false;
  std::string line_;  // up to kLongestLine bytes of the line at hand
  bool is_too_long_ = false;

  bool has_record_ = false;
  std::string record_line_;  // of the record at hand
  LogRecord record_;
  std::string payload_;
  std::unique_ptr<Md5> md5_;
};

}  // namespace benchhud::ingest
