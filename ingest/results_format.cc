#include "ingest/results_format.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "ingest/dynamo_csv.h"
#include "ingest/source_file.h"
#include "ingest/text_parts.h"

namespace benchhud::ingest {

using schema::Expected;

namespace {

constexpr std::size_t kLooked = 64 << 10;

bool ends_with_gzipped(std::string_view name, std::string_view ending) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(ending);
}

bool is_named_csv(std::string_view path) { return ends_with_gzipped(path, ".csv"); }

// Which keys the objects that a text begins with have, as far as they tell a format.
class KeyScan {
 public:
  /// Of the first object that has a telling key.
  static std::optional<ResultsFormat> look(std::string_view text) {
    KeyScan scan;
    for (const char c : text) {
      if (const auto format = scan.take(c)) return format;
    }
    return scan.verdict();
  }

 private:
  std::optional<ResultsFormat> take(char c) {
    if (in_string_) {
      take_in_string(c);
      return {};
    }
    switch (c) {
      case '"':
        in_string_ = true;
        string_.clear();
        return {};
      case ':':
        if (depth_ == 1) note_key();
        return {};
      case '{':
        ++depth_;
        return {};
      case '[':
        // An array of records is no depth of its own.
        if (depth_ > 0) ++depth_;
        return {};
      case ']':
        if (depth_ > 0) --depth_;
        return {};
      case '}':
        if (depth_ > 0) --depth_;
        return depth_ == 0 ? verdict() : std::nullopt;
      default:
        return {};
    }
  }

  void take_in_string(char c) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '\\') {
      is_escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    } else {
      constexpr std::size_t kLongestKey = 32;
      if (string_.size() < kLongestKey) string_.push_back(c);
    }
  }

  void note_key() {
    has_metric_ |= string_ == "metric";
    has_experiment_ |= string_ == "experiment" || string_ == "metrics";
  }

  // Records always have `metric`, lines of the runner have `experiment`.
  std::optional<ResultsFormat> verdict() const {
    if (has_experiment_) return ResultsFormat::kRunner;
    if (has_metric_) return ResultsFormat::kHudRecords;
    return {};
  }

  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;
  std::string string_;
  bool has_metric_ = false;
  bool has_experiment_ = false;
};

}  // namespace

ResultsFormat results_format(std::string_view beginning, bool is_named_csv) {
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  if (is_named_csv) return ResultsFormat::kDynamoCsv;
  const std::string_view text = trim(beginning);
  if (text.starts_with('{') || text.starts_with('[')) {
    return KeyScan::look(text).value_or(ResultsFormat::kRunner);
  }
  return is_dynamo_csv(text) ? ResultsFormat::kDynamoCsv : ResultsFormat::kRunner;
}

namespace {

/// What a file begins with, up to kLooked bytes. What is damaged ends there: who reads all of it
/// tells. Error: kIo.
Expected<std::string> beginning_of(const std::string& path) {
  BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(path));
  std::string text;
  while (text.size() < kLooked) {
    const auto count = file.read(kLooked - text.size(), &text);
    if (!count && count.error().code == schema::ErrorCode::kCorrupt) break;
    if (!count) return count.error();
    if (*count == 0) break;
  }
  return text;
}

}  // namespace

Expected<ResultsFormat> results_format_of(const std::string& path) {
  // What comes through a pipe comes once: it is what its name says.
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    return results_format({}, is_named_csv(path));
  }
  BENCHHUD_ASSIGN(const std::string text, beginning_of(path));
  return results_format(text, is_named_csv(path));
}

bool is_neighbour_file(const std::string& path) {
  const bool is_csv = is_named_csv(path);
  if (!is_csv && !ends_with_gzipped(path, ".json")) return false;
  const auto text = beginning_of(path);
  if (!text) return false;
  return is_csv ? is_dynamo_csv(*text) : results_format(*text, false) == ResultsFormat::kHudRecords;
}

}  // namespace benchhud::ingest
