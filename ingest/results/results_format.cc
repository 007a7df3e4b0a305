#include "ingest/results/results_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "ingest/profiles/dump_kind.h"
#include "ingest/profiles/dump_text.h"
#include "ingest/results/dynamo_csv.h"
#include "ingest/text/csv_record.h"
#include "ingest/text/file_kind.h"
#include "ingest/text/source_file.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::Expected;

namespace {

constexpr std::size_t kLooked = 64 << 10;
// What is no results is looked at longer.
constexpr std::size_t kLookedLonger = 1 << 20;

bool is_named_csv(std::string_view path) { return uncompressed_name(path).ends_with(".csv"); }

// Which keys the objects that a text begins with have, as far as they tell a format.
class KeyScan {
 public:
  enum class Verdict : std::uint8_t { kRunner, kHudRecords, kTrace };

  /// Of the first object that has a telling key.
  static std::optional<Verdict> look(std::string_view text) {
    KeyScan scan;
    scan.is_list_ = text.starts_with('[');
    for (const char c : text) {
      if (const auto verdict = scan.take(c)) return verdict;
    }
    return scan.verdict();
  }

 private:
  std::optional<Verdict> take(char c) {
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
    has_events_ |= string_ == "traceEvents" || (is_list_ && string_ == "ph");
  }

  // Records always have `metric`, lines of the runner have `experiment`; a trace has events.
  std::optional<Verdict> verdict() const {
    if (has_experiment_) return Verdict::kRunner;
    if (has_metric_) return Verdict::kHudRecords;
    if (has_events_) return Verdict::kTrace;
    return {};
  }

  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;
  std::string string_;
  bool has_metric_ = false;
  bool has_experiment_ = false;
  bool is_list_ = false;  // the text is
  bool has_events_ = false;
};

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return trim(text);
}

bool is_json(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

// "a Chrome trace": a dump, not results.
std::string words_of(schema::ArtifactKind kind, std::string_view beginning) {
  if (is_xplane(beginning)) return "a profile of XLA (XPlane)";
  switch (kind) {
    case schema::ArtifactKind::kTrace:
      return "a Chrome trace";
    case schema::ArtifactKind::kOperatorTable:
      return "an operator table of PyTorch's profiler";
    case schema::ArtifactKind::kXlaMetrics:
      return "a metrics report of PyTorch/XLA";
    case schema::ArtifactKind::kTorchTrace:
      return "a log of TORCH_TRACE";
    case schema::ArtifactKind::kXplane:
    case schema::ArtifactKind::kDynamoCounters:
    case schema::ArtifactKind::kCompileTimes:
    case schema::ArtifactKind::kIr:
      return std::string(dump_kind_words(kind));
  }
  return "";
}

schema::Error not_results(schema::ArtifactKind kind, std::string_view beginning) {
  return {schema::ErrorCode::kUnsupported,
          fmt::format("it is {}, not results: a dump of a result is taken in with "
                      "--for RUN/MODEL/TEST/BACKEND (over HTTP: POST /api/v1/ingest/dump){}",
                      words_of(kind, beginning),
                      kind == schema::ArtifactKind::kTrace
                          ? "; `benchhud trace summary` shows it without a store"
                          : "")};
}

// `benchhud detect` reads such.
bool is_series_csv(std::string_view text) {
  CsvRecord header;
  constexpr std::size_t kMostColumns = 1000;
  header.begin(kMostColumns);
  std::string_view rest = text;
  if (header.add(cut_line(&rest)) != CsvRecord::State::kWhole) return false;
  bool has_night = false, has_value = false;
  for (std::size_t i = 0; i < std::min(header.field_count(), kMostColumns); ++i) {
    has_night = has_night || trim(header.field(i)) == "night";
    has_value = has_value || trim(header.field(i)) == "value";
  }
  return has_night && has_value;
}

schema::Error series_not_results() {
  return {schema::ErrorCode::kUnsupported,
          "it is a series of numbers, not results: `benchhud detect` finds changes in it"};
}

}  // namespace

ResultsFormat results_format(std::string_view beginning, bool is_named_csv) {
  if (is_named_csv) return ResultsFormat::kDynamoCsv;
  const std::string_view text = without_mark(beginning);
  if (is_json(text)) {
    return KeyScan::look(text) == KeyScan::Verdict::kHudRecords ? ResultsFormat::kHudRecords
                                                                : ResultsFormat::kRunner;
  }
  return is_dynamo_csv(text) ? ResultsFormat::kDynamoCsv : ResultsFormat::kRunner;
}

namespace {

/// What a file begins with, up to `most` bytes. What is damaged ends there: who reads all of it
/// tells. Error: kIo.
Expected<std::string> beginning_of(const std::string& path, std::size_t most) {
  BENCHHUD_ASSIGN(SourceFile file, SourceFile::open(path));
  std::string text;
  const auto count = file.read(most, &text);
  if (!count && count.error().code != schema::ErrorCode::kCorrupt) return count.error();
  return text;
}

/// Error: kUnsupported where a file is recognised as something else than results.
Expected<void> check_is_results(const std::string& path, std::string_view beginning) {
  if (const auto container = unread_container(beginning)) {
    return schema::Error{schema::ErrorCode::kUnsupported, "it is " + *container};
  }
  const std::string_view text = without_mark(beginning);
  // Lines may stand behind something else, such as a warning.
  const std::size_t object = is_json(text) ? 0 : text.find("\n{");
  const auto verdict = object == text.npos ? std::nullopt : KeyScan::look(text.substr(object));
  if (verdict == KeyScan::Verdict::kTrace && object == 0) {
    return not_results(schema::ArtifactKind::kTrace, beginning);
  }
  if (verdict || text.empty() || is_dynamo_csv(text)) return {};
  if (is_series_csv(text)) return series_not_results();
  if (is_named_csv(path)) return {};
  BENCHHUD_ASSIGN(const std::string more, beginning_of(path, kLookedLonger));
  // An object without members is anything.
  if (without_mark(more).starts_with("{}")) return {};
  if (const auto kind = dump_kind_of(more)) return not_results(*kind, more);
  return {};
}

}  // namespace

Expected<ResultsFormat> results_format_of(const std::string& path) {
  // What comes through a pipe comes once: it is what its name says.
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    return results_format({}, is_named_csv(path));
  }
  BENCHHUD_ASSIGN(const std::string text, beginning_of(path, kLooked));
  BENCHHUD_TRY(check_is_results(path, text));
  return results_format(text, is_named_csv(path));
}

bool is_neighbour_file(const std::string& path) {
  const bool is_csv = is_named_csv(path);
  if (!is_csv && !uncompressed_name(path).ends_with(".json")) return false;
  const auto text = beginning_of(path, kLooked);
  if (!text) return false;
  return is_csv ? is_dynamo_csv(*text) : results_format(*text, false) == ResultsFormat::kHudRecords;
}

}  // namespace benchhud::ingest
