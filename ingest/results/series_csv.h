// Reads series of numbers, anybody's, from CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/text/source_file.h"
#include "schema/base/errors.h"
#include "schema/model/profile.h"

namespace benchhud::ingest {

/// Values a night, of several series.
struct SeriesCsv {
  struct Series {
    std::string name;                   ///< "" where the file has no column for it
    std::vector<std::uint32_t> nights;  ///< places in SeriesCsv::nights, by their first rows
    std::vector<double> values;     ///< night by night, of each in the order of its rows; finite
    std::vector<std::size_t> ends;  ///< of each night in `values`

    std::span<const double> values_of(std::size_t night) const {
      const std::size_t begin = night > 0 ? ends[night - 1] : 0;
      return std::span(values).subspan(begin, ends[night] - begin);
    }
  };
  std::deque<std::string> nights;  ///< as they are called; no two alike, none empty
  std::vector<Series> series;      ///< by their first rows, each with a night at least
  /// Rows that are left out, the first thousand with one more that counts the rest.
  std::vector<schema::DumpProblem> problems;
};

/// Reads CSV (RFC 4180, in UTF-8, a byte order mark or none) whose first line that is not blank
/// names the columns: `night`, `value` and, if there are several series, `series`; others are of no
/// matter. A row is a repetition of a night, wherever it stands. Blanks around names and numbers do
/// not count, blank lines neither. A row that is broken, has too few or too many fields, no night
/// or no finite number is a problem and left out; a quote that does not close costs no more than
/// the line in which it opens.
///
/// What is held grows with the rows and is bounded, as is a record: memory for kMostRows rows and
/// kMostNameBytes of names. The time is linear in the bytes.
class SeriesCsvReader {
 public:
  static constexpr std::size_t kMostRows = 20'000'000;
  /// Of the names of nights and series, each counted with kBytesPerName for its place.
  static constexpr std::size_t kMostNameBytes = std::size_t{256} << 20;
  static constexpr std::size_t kBytesPerName = 128;
  static constexpr std::size_t kMostColumns = 10'000;
  static constexpr std::size_t kLongestRecord = std::size_t{1} << 20;  ///< of several lines

  SeriesCsvReader();
  SeriesCsvReader(SeriesCsvReader&&) noexcept;
  ~SeriesCsvReader();

  /// Takes the text's next lines. Errors, after which nothing can be added: kUnsupported where the
  /// columns are not there, kTooLarge.
  schema::Expected<void> add(const Chunk& chunk);
  /// What was read. Error: as of add(); kUnsupported where there was nothing.
  schema::Expected<SeriesCsv> finish();
  /// Tells of something else that went wrong.
  void add_problem(std::int64_t line, std::string reason);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Reads a file, gzip or plain; `-`: standard input. Of damaged gzip what came before the damage is
/// read, and the damage is a problem. Errors: kIo, and those of SeriesCsvReader.
schema::Expected<SeriesCsv> read_series_csv(const std::string& path);

}  // namespace benchhud::ingest
