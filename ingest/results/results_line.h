// One line of a results.jsonl: the benchmark runner's record of an experiment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/content_hash.h"
#include "schema/model/types.h"

namespace benchhud::ingest {

/// A line as read, every key in its place.
struct ResultsLine {
  schema::Experiment experiment;
  std::optional<double> timestamp;  ///< seconds since 1970, UTC; finite where present
  std::optional<std::int64_t> repeat;
  std::optional<std::int64_t> iterations_per_run;
  std::optional<std::string> verification_code;  ///< `VerificationCode.PASS` is `PASS`
  std::optional<double> verification_mean_rel_error;
  std::optional<std::string> error;  ///< metrics.error
  /// In the file's order, `error` left out. Where a line has a metric under its canonical name and
  /// under an alias, the alias stays its name.
  std::vector<schema::Measurement> metrics;
  /// Keys that have no place above, as a JSON object of the line's shape
  /// (`{"outputs_file":null,"experiment":{"experiment_name":"run_all"}}`); "" if there are none.
  std::string extra;
  /// What a line that comes from a store was there (`benchhud_line`, 32 hexadecimal digits): it is
  /// that line, however it is written.
  std::optional<schema::ContentHash> origin;

  /// Whether the line holds timings: a `total_time` with at least one number.
  bool has_timing() const;
  const schema::Measurement* find_metric(std::string_view canonical_name) const;
};

/// Reads lines. Accepts every age of the format (docs/formats.md): Python's NaN and Infinity,
/// lone surrogates, missing and unknown keys, scalars and nulls for arrays. Not thread-safe; one a
/// thread.
class ResultsLineParser {
 public:
  /// Lines of more bytes are read in a way that takes less memory, if more time: the values of
  /// their metrics do not become parts of a tree. The outcome is the same.
  static constexpr std::size_t kLargeLine = std::size_t{1} << 20;
  // Budgets, so that a line takes at most 10 times its bytes wherever it is held and analysed
  // (docs/formats.md, "Memory budgets"). What exceeds one is refused.
  static constexpr std::size_t kMostMetrics = 100'000;
  /// Bytes of a large line beside the values of its metrics.
  static constexpr std::size_t kMostBesideValues = std::size_t{4} << 20;
  /// Samples of a line: one for 10 bytes, and a million in any case.
  static std::size_t most_samples(std::size_t line_bytes);

  explicit ResultsLineParser(std::size_t large_line = kLargeLine);
  ~ResultsLineParser();
  ResultsLineParser(ResultsLineParser&&) noexcept;
  ResultsLineParser& operator=(ResultsLineParser&&) noexcept;

  /// Reads one line without its line end. On success fills `line` (reusing its memory) and
  /// returns nothing; otherwise returns the reason, a phrase for the report, and `line` is
  /// unspecified.
  ///
  /// `text` need not be padded. What JSON refuses has the byte in its reason. After a large line
  /// the parser gives its memory back, and the next line gives back what `line` holds.
  [[nodiscard]] std::optional<std::string> parse(std::string_view text, ResultsLine* line);
  /// Whether the last line was refused because of a budget, and not for what it says.
  bool exceeds_budget() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace benchhud::ingest
