#include "ingest/results/series_csv.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "ingest/text/csv_lines.h"
#include "ingest/text/csv_record.h"
#include "ingest/text/file_kind.h"
#include "ingest/text/number_text.h"
#include "ingest/text/problem_list.h"
#include "ingest/text/text_parts.h"
#include "schema/base/count_text.h"

namespace benchhud::ingest {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

namespace {

// A number as people and programs write them: also "+1", ".5", "1.", which JSON has not; NaN and
// infinities, to say of them what they are. Nothing where it is none.
std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (last != end || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc::result_out_of_range ? nearest_double(text) : value;
}

// A series while rows still come.
struct Rows {
  std::string name;
  std::vector<std::uint32_t> nights;
  std::vector<std::uint32_t> places;  // of each row's night in `nights`
  std::vector<double> values;
};

// Sorts the values by nights, which leaves those of one in their order.
SeriesCsv::Series by_nights(Rows rows) {
  SeriesCsv::Series series;
  series.name = std::move(rows.name);
  series.nights = std::move(rows.nights);
  std::vector<std::size_t> next(series.nights.size() + 1, 0);
  for (const std::uint32_t place : rows.places) ++next[place + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  series.ends.assign(next.begin() + 1, next.end());
  series.values.resize(rows.values.size());
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    series.values[next[rows.places[i]]++] = rows.values[i];
  }
  return series;
}

// The place of each column that is wanted, once the header was read.
struct Columns {
  std::size_t count = 0;
  std::size_t night = 0, value = 0;
  std::optional<std::size_t> series;
};

std::optional<std::string> find_column(const CsvRecord& header, std::string_view name,
                                       std::optional<std::size_t>* place) {
  for (std::size_t i = 0; i < header.field_count(); ++i) {
    if (trim(header.field(i)) != name) continue;
    if (*place) return fmt::format("there are two columns \"{}\"", name);
    *place = i;
  }
  return std::nullopt;
}

Expected<Columns> columns_of(const CsvRecord& header) {
  const auto refuse = [](std::string reason) {
    return Error{ErrorCode::kUnsupported, std::move(reason)};
  };
  if (header.field_count() > SeriesCsvReader::kMostColumns) {
    return refuse(fmt::format("there are more than {} columns", SeriesCsvReader::kMostColumns));
  }
  Columns columns;
  columns.count = header.field_count();
  std::optional<std::size_t> night, value;
  for (const auto& [name, place] : {std::pair("night", &night), std::pair("value", &value),
                                    std::pair("series", &columns.series)}) {
    if (auto reason = find_column(header, name, place)) return refuse(*std::move(reason));
  }
  if (!night || !value) {
    std::string there;
    for (std::size_t i = 0; i < header.field_count(); ++i) {
      there += (i > 0 ? ", " : "") + std::string(trim(header.field(i)));
    }
    return refuse(fmt::format("there is no column \"{}\"; the columns are: {}",
                              night ? "value" : "night", excerpt(there)));
  }
  columns.night = *night;
  columns.value = *value;
  return columns;
}

}  // namespace

class SeriesCsvReader::State final : private CsvTaker {
 public:
  Expected<void> add(const Chunk& chunk) {
    if (chunk.overlong_bytes > 0) {
      BENCHHUD_TRY(lines_.give_up());
      return refuse(chunk.first_line, fmt::format("longer than {} bytes", kLongestLine));
    }
    return lines_.take({chunk.text, chunk.first_line, chunk.byte_offset});
  }

  Expected<SeriesCsv> finish() {
    BENCHHUD_TRY(lines_.give_up());
    if (!columns_) return Error{ErrorCode::kUnsupported, "there is nothing in it"};
    SeriesCsv read;
    read.nights = std::move(nights_);
    read.series.reserve(series_.size());
    for (Rows& rows : series_) read.series.push_back(by_nights(std::move(rows)));
    read.problems = problems_.take();
    return read;
  }

  void add_problem(std::int64_t line, std::string reason) {
    problems_.add(line, std::move(reason));
  }

 private:
  Expected<void> refuse(const CsvLine& line, std::string reason) override {
    return refuse(line.number, std::move(reason));
  }

  // Without columns nothing can be read.
  Expected<void> refuse(std::int64_t line, std::string reason) {
    if (!columns_) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("line {} should name the columns: {}", line, reason)};
    }
    problems_.add(line, std::move(reason));
    return {};
  }

  Expected<void> take_record(const CsvRecord& record, const CsvLine& lines) override {
    if (!columns_) {
      BENCHHUD_ASSIGN(columns_, columns_of(record));
      lines_.keep_fields(columns_->count);
      return {};
    }
    if (record.field_count() != columns_->count) {
      return refuse(lines.number, fmt::format("{}, where the header has {}",
                                              schema::count_text(record.field_count(), "field"),
                                              columns_->count));
    }
    const std::string_view night = trim(record.field(columns_->night));
    const std::string_view text = trim(record.field(columns_->value));
    if (night.empty()) return refuse(lines.number, "the night is empty");
    if (text.empty()) return refuse(lines.number, "the value is empty");
    const std::optional<double> value = number_in(text);
    if (!value) {
      return refuse(lines.number, fmt::format("the value {} is no number", excerpt(text)));
    }
    if (!std::isfinite(*value)) {
      return refuse(lines.number, fmt::format("the value {} is not finite", excerpt(text)));
    }
    return take_row(record, night, *value);
  }

  Expected<void> take_row(const CsvRecord& record, std::string_view night, double value) {
    if (++row_count_ > kMostRows) {
      return Error{ErrorCode::kTooLarge, fmt::format("there are more than {} rows", kMostRows)};
    }
    const std::string_view name =
        columns_->series ? trim(record.field(*columns_->series)) : std::string_view();
    const auto series_id = static_cast<std::uint32_t>(place_of_series(name));
    const std::uint32_t night_id = place_of_night(night);
    if (name_bytes_ > kMostNameBytes) {
      return Error{
          ErrorCode::kTooLarge,
          fmt::format("the names of nights and series take more than {} MB", kMostNameBytes >> 20)};
    }
    Rows& rows = series_[series_id];
    const auto [place, is_new] = night_places_.try_emplace(
        std::uint64_t{series_id} << 32 | night_id, static_cast<std::uint32_t>(rows.nights.size()));
    if (is_new) rows.nights.push_back(night_id);
    rows.places.push_back(place->second);
    rows.values.push_back(value);
    return {};
  }

  std::size_t place_of_series(std::string_view name) {
    // Rows of a series mostly come together.
    if (last_series_ < series_.size() && series_[last_series_].name == name) return last_series_;
    if (const auto known = series_by_name_.find(name); known != series_by_name_.end()) {
      return last_series_ = known->second;
    }
    last_series_ = series_.size();
    series_.push_back({std::string(name), {}, {}, {}});
    series_by_name_.emplace(series_.back().name, last_series_);
    name_bytes_ += name.size() + kBytesPerName;
    return last_series_;
  }

  std::uint32_t place_of_night(std::string_view name) {
    if (const auto known = nights_by_name_.find(name); known != nights_by_name_.end()) {
      return known->second;
    }
    const auto place = static_cast<std::uint32_t>(nights_.size());
    nights_by_name_.emplace(nights_.emplace_back(name), place);
    name_bytes_ += name.size() + kBytesPerName;
    return place;
  }

  CsvLines lines_{this, kMostColumns, kLongestRecord};
  std::optional<Columns> columns_;
  // Series and nights stay where they are as more come, and so do their names.
  std::deque<Rows> series_;
  std::unordered_map<std::string_view, std::size_t> series_by_name_;
  std::size_t last_series_ = 0;
  std::deque<std::string> nights_;
  std::unordered_map<std::string_view, std::uint32_t> nights_by_name_;
  // Of a series' place and a night's: that of the night in the series.
  std::unordered_map<std::uint64_t, std::uint32_t> night_places_;
  std::size_t row_count_ = 0;
  std::size_t name_bytes_ = 0;
  ProblemList problems_;
};

SeriesCsvReader::SeriesCsvReader() : state_(std::make_unique<State>()) {}
SeriesCsvReader::SeriesCsvReader(SeriesCsvReader&&) noexcept = default;
SeriesCsvReader::~SeriesCsvReader() = default;

Expected<void> SeriesCsvReader::add(const Chunk& chunk) { return state_->add(chunk); }
Expected<SeriesCsv> SeriesCsvReader::finish() { return state_->finish(); }
void SeriesCsvReader::add_problem(std::int64_t line, std::string reason) {
  state_->add_problem(line, std::move(reason));
}

Expected<SeriesCsv> read_series_csv(const std::string& path) {
  const bool is_input = path == "-";
  BENCHHUD_ASSIGN(SourceFile file,
                  is_input ? SourceFile::standard_input() : SourceFile::open(path));
  const std::string name = file.name();
  const auto named = [&](const Error& error) {
    return Error{error.code, fmt::format("{}: {}", name, error.message)};
  };
  ChunkReader chunks(std::move(file));
  SeriesCsvReader reader;
  Chunk chunk;
  for (;;) {
    BENCHHUD_ASSIGN(const bool is_there, chunks.next(&chunk));
    if (!is_there) break;
    const auto container = chunk.byte_offset == 0 ? unread_container(chunk.text) : std::nullopt;
    if (container) return named({ErrorCode::kUnsupported, "it is " + *container});
    if (const auto added = reader.add(chunk); !added) return named(added.error());
  }
  if (const std::string& damage = chunks.damage(); !damage.empty()) {
    // It begins with the name, which the problem has anyway.
    reader.add_problem(chunks.line_count() + 1, damage.substr(name.size() + 2));
  }
  auto read = reader.finish();
  if (!read) return named(read.error());
  return read;
}

}  // namespace benchhud::ingest
