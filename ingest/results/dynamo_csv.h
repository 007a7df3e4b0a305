// The CSV files of torch's dynamo runner (benchmarks/dynamo/): performance and accuracy, a row a
// model. docs/neighbours.md says what becomes of each column.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "ingest/results/foreign_format_line.h"
#include "ingest/results/line_reader.h"

namespace benchhud::ingest {

/// Whether a text begins as such a file does: a row of names, with `dev`, `name`, and one of
/// `speedup`, `abs_latency`, `accuracy` among them.
bool is_dynamo_csv(std::string_view beginning);

/// What a file is called tells of what is in it, as far as it is called as the runner's jobs call
/// them: `<backend>_<suite>_<dtype>_<mode>_<device>[_<machine>]_performance.csv`.
ImportContext facts_in_name(std::string_view path);

/// Reads one file. Rows are taken in one by one; the header may come again, and with more columns.
class DynamoCsvReader final : public LineReader {
 public:
  /// Fields beyond these are refused with their row.
  static constexpr std::size_t kMostColumns = 1000;
  /// A row longer than this is one with a quote that does not close.
  static constexpr std::size_t kLongestRow = 64 << 10;

  /// `given`: what the command says; what it does not say the rows and the file's name (`named`)
  /// do. `fallback_timestamp`: of all rows, which bear none.
  DynamoCsvReader(const ImportContext& given, const ImportContext& named,
                  std::optional<double> fallback_timestamp);
  ~DynamoCsvReader() override;

  /// Error: kUnsupported where the columns are not those of such a file, kInvalidArgument where
  /// something that must be known of its rows is told nowhere (it names the option).
  schema::Expected<void> parse(ParsedChunk* parsed) override;
  schema::Expected<void> finish(ParsedChunk* parsed) override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::ingest
