#include "ingest/results/dynamo_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ingest/text/csv_lines.h"
#include "ingest/text/csv_record.h"
#include "ingest/text/number_text.h"
#include "ingest/text/problem_list.h"
#include "ingest/text/text_parts.h"
#include "schema/base/count_text.h"
#include "schema/model/hud_terms.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

// A zero in one of these was written because nothing was measured.
constexpr std::array<std::string_view, 4> kNeverZero = {"compilation_latency", "compression_ratio",
                                                        "eager_peak_mem", "dynamo_peak_mem"};

constexpr std::array<std::string_view, 3> kTelling = {"speedup", "abs_latency", "accuracy"};

// As Python prints them: also nan, inf, -inf.
std::optional<double> python_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (last != end || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc::result_out_of_range ? nearest_double(text) : value;
}

bool has_only_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("-0123456789") == text.npos;
}

struct Column {
  std::string name;
  enum class Use : std::uint8_t {
    kDevice,
    kModel,
    kBatchSize,
    kAccuracy,
    kOther
  } use = Use::kOther;
};

Column::Use use_of(std::string_view name) {
  if (name == "dev") return Column::Use::kDevice;
  if (name == "name") return Column::Use::kModel;
  if (name == "batch_size") return Column::Use::kBatchSize;
  if (name == "accuracy") return Column::Use::kAccuracy;
  return Column::Use::kOther;
}

std::vector<Column> header_columns(const CsvRecord& header) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < header.field_count(); ++i) {
    std::string name(trim(header.field(i)));
    const Column::Use use = use_of(name);
    columns.push_back({std::move(name), use});
  }
  return columns;
}

bool has_column(const std::vector<Column>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& column) { return column.name == name; });
}

std::string names_of(const std::vector<Column>& columns) {
  std::string names;
  for (const Column& column : columns) names += (names.empty() ? "" : ", ") + column.name;
  return excerpt(names);
}

std::optional<std::string> fault_of(const std::vector<Column>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto is_same = [&](const Column& other) { return other.name == columns[i].name; };
    if (!columns[i].name.empty() &&
        std::any_of(columns.begin() + static_cast<std::ptrdiff_t>(i) + 1, columns.end(), is_same)) {
      return fmt::format("there are two columns \"{}\"", excerpt(columns[i].name));
    }
  }
  const bool is_telling = std::any_of(kTelling.begin(), kTelling.end(), [&](std::string_view name) {
    return has_column(columns, name);
  });
  if (has_column(columns, "name") && is_telling) return {};
  return fmt::format(
      "the columns are not those of torch's dynamo runner (name, and speedup, abs_latency or "
      "accuracy): {}",
      names_of(columns));
}

// One row, by columns.
struct Row {
  std::string device, model, accuracy;
  std::optional<std::int64_t> batch_size;
  std::vector<schema::Measurement> metrics;
  nlohmann::ordered_json texts = nlohmann::ordered_json::object();  // of other columns
  std::vector<std::string> facts;  // "column=value", of all that says something
};

std::optional<std::string> read_row_batch_size(std::string_view text, Row* row) {
  if (text.empty()) return {};
  const auto size = number_of<std::int64_t>(text);
  if (!size) return fmt::format("the batch size {} is no integer", excerpt(text));
  if (*size > 0) row->batch_size = *size;  // 0 stands for one that is not known
  return {};
}

std::optional<std::string> read_row_number(const std::string& name, std::string_view text,
                                           Row* row) {
  const bool is_asked = name == "speedup" || name == "abs_latency";
  const auto number = python_number(text);
  if (!number || (has_only_digits(text) && std::abs(*number) > 9007199254740992.0)) {
    if (is_asked) return fmt::format("{} {} is no number", name, excerpt(text));
    row->texts[name] = text;
    return {};
  }
  const bool is_never_zero =
      std::find(kNeverZero.begin(), kNeverZero.end(), name) != kNeverZero.end();
  if (is_never_zero && *number == 0) return {};
  schema::Measurement& metric = row->metrics.emplace_back();
  metric.metric = schema::metric_of_hud(name);
  metric.shape = schema::SampleShape::kScalar;
  metric.samples = {*number};
  return {};
}

std::optional<std::string> read_row_field(const Column& column, std::string_view text, Row* row) {
  switch (column.use) {
    case Column::Use::kDevice:
      row->device = text;
      return {};
    case Column::Use::kModel:
      row->model = text;
      return {};
    case Column::Use::kBatchSize:
      return read_row_batch_size(text, row);
    case Column::Use::kAccuracy:
      // The runner fills what a row lacks with zeros.
      if (text != "0") row->accuracy = text;
      return {};
    case Column::Use::kOther:
      break;
  }
  if (text.empty() || column.name.empty()) return {};
  return read_row_number(column.name, text, row);
}

Error told_nowhere(const std::string& missing) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("neither the rows nor the file's name tell the {}", missing)};
}

}  // namespace

bool is_dynamo_csv(std::string_view beginning) {
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  while (!beginning.empty()) {
    const std::string_view line = cut_line(&beginning);
    if (trim(line).empty()) continue;
    CsvRecord header;
    header.begin(DynamoCsvReader::kMostColumns);
    if (header.add(line) != CsvRecord::State::kWhole) return false;
    if (header.field_count() > DynamoCsvReader::kMostColumns) return false;
    const auto columns = header_columns(header);
    return has_column(columns, "dev") && !fault_of(columns);
  }
  return false;
}

class DynamoCsvReader::State final : private CsvTaker {
 public:
  State(const ImportContext& given, const ImportContext& named,
        std::optional<double> fallback_timestamp)
      : facts_(given.or_else(named)), fallback_timestamp_(fallback_timestamp) {}

  Expected<void> take(ParsedChunk* parsed) {
    parsed_ = parsed;
    parsed->line_count = 0;
    const Chunk& chunk = parsed->chunk;
    if (chunk.overlong_bytes > 0) {
      BENCHHUD_TRY(lines_.give_up());
      return refuse({chunk.text, chunk.first_line, chunk.byte_offset},
                    fmt::format("longer than {} bytes", kLongestLine));
    }
    return lines_.take({chunk.text, chunk.first_line, chunk.byte_offset});
  }

  Expected<void> finish(ParsedChunk* parsed) {
    parsed_ = parsed;
    parsed->line_count = 0;
    BENCHHUD_TRY(lines_.give_up());
    if (columns_.empty()) return Error{ErrorCode::kUnsupported, "there is nothing in it"};
    return {};
  }

 private:
  Expected<void> refuse(const CsvLine& line, std::string reason) override {
    if (columns_.empty()) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("line {} should name the columns: {}", line.number, reason)};
    }
    const bool is_unfinished = !line.text.ends_with('\n');
    if (is_unfinished) reason = "the file ends inside this line: " + reason;
    append_rejection(trim(line.text), line.number, line.offset, std::move(reason), is_unfinished,
                     parsed_);
    return {};
  }

  Expected<void> take_record(const CsvRecord& record, const CsvLine& lines) override {
    if (record.field_count() > kMostColumns) {
      return refuse(lines, fmt::format("more than {} fields", kMostColumns));
    }
    if (columns_.empty() || is_header(record)) return take_header(record, lines);
    if (record.field_count() != columns_.size()) {
      return refuse(
          lines, fmt::format("{}, where the header has {}",
                             schema::count_text(record.field_count(), "field"), columns_.size()));
    }
    // The runner ends every line. A number that was cut short is a number, too.
    if (!lines.text.ends_with('\n')) {
      return refuse(lines, "it has no line end");
    }
    return take_row(record, lines);
  }

  // A file that jobs append to has its header again.
  static bool is_header(const CsvRecord& record) {
    for (std::size_t i = 0; i < record.field_count(); ++i) {
      if (trim(record.field(i)) == "name") {
        return std::any_of(kTelling.begin(), kTelling.end(), [&](std::string_view telling) {
          for (std::size_t j = 0; j < record.field_count(); ++j) {
            if (trim(record.field(j)) == telling) return true;
          }
          return false;
        });
      }
    }
    return false;
  }

  Expected<void> take_header(const CsvRecord& record, const CsvLine& lines) {
    std::vector<Column> columns = header_columns(record);
    if (const auto fault = fault_of(columns)) {
      return Error{ErrorCode::kUnsupported, fmt::format("line {}: {}", lines.number, *fault)};
    }
    columns_ = std::move(columns);
    if (!facts_.suite) return told_nowhere("suite; give --suite");
    if (!facts_.backend) return told_nowhere("backend; give --backend");
    if (!facts_.test) {
      return told_nowhere("test (inference or training); give --test");
    }
    if (!facts_.accelerator && !has_column(columns_, "dev")) {
      return told_nowhere("accelerator (cuda, cpu, …); give --accelerator");
    }
    if (!facts_.accelerator_model) {
      return told_nowhere(
          "accelerator model, by which runs are told apart (such as \"NVIDIA H100\"); give "
          "--accelerator-model");
    }
    return {};
  }

  Expected<void> take_row(const CsvRecord& record, const CsvLine& lines) {
    Row row;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view value = trim(record.field(i));
      if (auto fault = read_row_field(columns_[i], value, &row)) {
        return refuse(lines, *std::move(fault));
      }
      // Zeros are left out: rows get them when a later row brings more columns.
      const auto number = python_number(value);
      if (value.empty() || (number && *number == 0)) continue;
      row.facts.push_back(columns_[i].name + '=' + std::string(value));
    }
    if (row.model.empty()) {
      return refuse(lines, "the name of the model is empty");
    }
    if (row.metrics.empty() && row.accuracy.empty()) {
      return refuse(lines, "the row says nothing but a name");
    }
    append(lines, std::move(row));
    return {};
  }

  void append(const CsvLine& lines, Row row) {
    ForeignResult result;
    schema::Experiment& experiment = result.experiment;
    experiment.suite = *facts_.suite;
    experiment.model = row.model;
    experiment.test = schema::test_of_mode(*facts_.test);
    experiment.accelerator = row.device.empty() ? facts_.accelerator.value_or("") : row.device;
    experiment.accelerator_model = *facts_.accelerator_model;
    experiment.batch_size = row.batch_size;
    if (facts_.dtype) experiment.flags = flags_of_dtype(*facts_.dtype);
    schema::set_backend(*facts_.backend, &experiment);
    result.metrics = std::move(row.metrics);
    if (!row.accuracy.empty()) result.accuracy = row.accuracy;

    nlohmann::ordered_json kept = nlohmann::ordered_json::object();
    if (!row.texts.empty()) kept["columns"] = std::move(row.texts);
    const auto write = [](const nlohmann::ordered_json& json) {
      const nlohmann::ordered_json extra = {{"dynamo_csv", json}};
      return extra.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    if (!kept.empty()) result.extra = write(kept);
    if (result.accuracy) {
      kept["accuracy"] = row.accuracy;
      if (row.batch_size) kept["batch_size"] = *row.batch_size;
      result.accuracy_extra = write(kept);
    }

    result.text = trim(lines.text);
    result.line_number = lines.number;
    result.byte_offset = lines.offset;
    std::sort(row.facts.begin(), row.facts.end());
    std::string facts;
    for (const std::string& fact : row.facts) facts += fact + '\n';
    result.hash = schema::content_hash(facts);
    append_lines(result, fallback_timestamp_, parsed_);
  }

  const ImportContext facts_;
  const std::optional<double> fallback_timestamp_;
  ParsedChunk* parsed_ = nullptr;
  std::vector<Column> columns_;
  CsvLines lines_{this, kMostColumns, kLongestRow};
};

DynamoCsvReader::DynamoCsvReader(const ImportContext& given, const ImportContext& named,
                                 std::optional<double> fallback_timestamp)
    : state_(std::make_unique<State>(given, named, fallback_timestamp)) {}
DynamoCsvReader::~DynamoCsvReader() = default;

Expected<void> DynamoCsvReader::parse(ParsedChunk* parsed) { return state_->take(parsed); }
Expected<void> DynamoCsvReader::finish(ParsedChunk* parsed) { return state_->finish(parsed); }

}  // namespace benchhud::ingest
