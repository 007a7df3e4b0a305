// The records of a CSV file in which quotes may be broken, put together from its lines. Only
// readers of CSV need this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/text/csv_record.h"
#include "schema/base/errors.h"

namespace benchhud::ingest {

/// A line, with its end, or the lines that a record stands in.
struct CsvLine {
  std::string_view text;
  std::int64_t number = 0;  ///< of the first one, counting from 1
  std::int64_t offset = 0;  ///< at which byte of the file it begins
};

/// Who makes something of a file's records. An error of it ends the reading.
class CsvTaker {
 public:
  virtual schema::Expected<void> take_record(const CsvRecord& record, const CsvLine& lines) = 0;
  /// A line that is no record, and of none that could be read.
  virtual schema::Expected<void> refuse(const CsvLine& line, std::string reason) = 0;

 protected:
  ~CsvTaker() = default;
};

/// Hands each record, and each line that is none, to one who takes them. Where a quote does not
/// close, only its line is lost: those that were taken for parts of its record are read again, each
/// for itself but the last. So no line is read more than three times, whatever quotes are in them.
class CsvLines {
 public:
  /// Of a record `most_fields` are kept. One of several lines that is longer than `longest` bytes
  /// is one with a quote that does not close. `taker` is there as long as this.
  CsvLines(CsvTaker* taker, std::size_t most_fields, std::size_t longest)
      : taker_(*taker), most_fields_(most_fields), longest_(longest) {}

  /// Of records that begin from now on.
  void keep_fields(std::size_t most) { most_fields_ = most; }
  /// Takes the file's next lines.
  schema::Expected<void> take(CsvLine lines);
  /// Where no record can go on: at the file's end, and where a line is left out.
  schema::Expected<void> give_up();

 private:
  /// Whether a record may go on in the lines after this one.
  enum class GoesOn : std::uint8_t { kMay, kMustNot };

  schema::Expected<void> take_line(CsvLine line, GoesOn goes_on);
  schema::Expected<void> give_up_open_record();

  CsvTaker& taker_;
  std::size_t most_fields_;
  const std::size_t longest_;
  CsvRecord record_;
  CsvLine began_;     // where the record does; its text is in `open_`
  std::string open_;  // the record's lines, as long as a quote is open
};

}  // namespace benchhud::ingest
