#include "ingest/profiles/key_averages.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "ingest/text/problem_list.h"
#include "ingest/text/text_parts.h"

namespace benchhud::ingest {

using schema::OperatorCell;
using schema::OperatorColumn;
using schema::OperatorTable;
using Kind = OperatorColumn::Kind;

namespace {

// A cell takes many times the bytes that it stands for, so both are bounded: a profiler prints some
// 25 columns at most, and a row an operator.
constexpr std::size_t kMostColumns = 64;
constexpr std::size_t kMostCells = std::size_t{1} << 20;  // of all tables of a text

// A column's place on a line, in characters.
struct Extent {
  std::size_t begin = 0, end = 0;
};

// The columns that a ruler marks: groups of dashes with two spaces between. Nothing if it is none;
// of one with too many columns no more than tell so.
std::vector<Extent> ruler(std::string_view line) {
  std::vector<Extent> extents;
  line = line.substr(0, line.find_last_not_of(" \r") + 1);
  if (!line.starts_with("-----") || line.find_first_not_of("- ") != line.npos) return extents;
  std::size_t at = 0;
  while (at < line.size() && extents.size() <= kMostColumns) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    extents.push_back({at, end});
    at = std::min(line.find('-', end), line.size());
  }
  return extents;
}

// A line's characters: where each begins in it, and one past the last.
void find_characters(std::string_view line, std::vector<std::size_t>* begins) {
  begins->clear();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U) begins->push_back(i);
  }
  begins->push_back(line.size());
}

std::optional<double> number_before(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  return number_of<double>(trim(text.substr(0, text.size() - unit.size())));
}

struct Unit {
  std::string_view name;
  double size;
};

template <std::size_t n>
std::optional<double> in_units(std::string_view text, const Unit (&units)[n]) {
  for (const Unit& unit : units) {
    if (const auto value = number_before(text, unit.name)) return *value * unit.size;
  }
  return std::nullopt;
}

std::optional<double> value_of(std::string_view text, Kind kind) {
  // The longer names first: "s" ends them all. Memory was spelled "Kb" up to PyTorch 2.6 and means
  // bytes.
  static constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  static constexpr Unit kBytes[] = {{"TB", 0x1p40}, {"Tb", 0x1p40}, {"GB", 0x1p30}, {"Gb", 0x1p30},
                                    {"MB", 0x1p20}, {"Mb", 0x1p20}, {"KB", 0x1p10}, {"Kb", 0x1p10},
                                    {"B", 1},       {"b", 1}};
  switch (kind) {
    case Kind::kText:
      return std::nullopt;
    case Kind::kTime: {
      // Three decimals of a microsecond at most: whole nanoseconds.
      const auto ns = in_units(text, kTimes);
      return ns ? std::optional(std::round(*ns)) : ns;
    }
    case Kind::kPercent:
      return number_before(text, "%");
    case Kind::kBytes:
      return in_units(text, kBytes);
    case Kind::kNumber:
      return number_before(text, "");
  }
  return std::nullopt;
}

Kind kind_of(std::string_view header) {
  if (header == "Name" || header == "Overload Name" || header == "Input Shapes" ||
      header == "Source Location") {
    return Kind::kText;
  }
  if (header.starts_with("#") || header.starts_with("Total ") || header == "Node ID") {
    return Kind::kNumber;
  }
  if (header.ends_with("%")) return Kind::kPercent;
  if (header.ends_with(" Mem")) return Kind::kBytes;
  return Kind::kTime;
}

class TableReader {
 public:
  explicit TableReader(KeyAverages* found) : found_(*found) {}

  void take(std::string_view line, std::int64_t number) {
    const std::vector<Extent> marks = ruler(line);
    if (!marks.empty()) return take_ruler(marks, number);
    switch (where_) {
      case Where::kOutside:
        return;
      case Where::kHeader:
        return take_header(line);
      case Where::kRows:
        return take_row(line, number);
      case Where::kTotals:
        return take_total(line);
    }
  }

  void finish() { found_.problems = problems_.take(); }

 private:
  enum class Where : std::uint8_t { kOutside, kHeader, kRows, kTotals };

  // Rulers stand above the header, below it and below the rows.
  void take_ruler(const std::vector<Extent>& marks, std::int64_t number) {
    if (where_ == Where::kRows && rulers_ == 1) {
      ++rulers_;
      return;
    }
    if (where_ == Where::kRows) {
      where_ = Where::kTotals;
      return;
    }
    if (marks.size() > kMostColumns) {
      problems_.add(number,
                    "a ruler of more than " + std::to_string(kMostColumns) + " columns: no table");
      where_ = Where::kOutside;
      return;
    }
    extents_ = marks;
    where_ = Where::kHeader;
  }

  // What does not fit into its column moves the rest of the line to the right, but two spaces stand
  // between columns whatever their width. False where that makes not as many cells as there are
  // columns, which is so of every line with an empty one.
  bool split(std::string_view line, std::vector<std::string_view>* cells) const {
    cells->clear();
    line = trim(line);
    while (!line.empty() && cells->size() <= extents_.size()) {
      const std::size_t end = line.find("  ");
      cells->push_back(trim(line.substr(0, end)));
      line = end == line.npos ? std::string_view() : trim(line.substr(end));
    }
    return cells->size() == extents_.size();
  }

  // The cells' texts; false where something stands between the columns.
  bool cut(std::string_view line, std::vector<std::string_view>* cells) {
    line = line.substr(0, line.find_last_not_of('\r') + 1);
    find_characters(line, &characters_);
    const std::size_t length = characters_.size() - 1;
    const auto part = [&](std::size_t begin, std::size_t end) {
      begin = std::min(begin, length);
      end = std::min(end, length);
      return line.substr(characters_[begin], characters_[end] - characters_[begin]);
    };
    cells->clear();
    std::size_t last = 0;
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      if (!trim(part(last, extents_[i].begin)).empty()) return false;
      last = extents_[i].end;
      // What does not fit into the last column has nothing behind it to run into.
      const bool is_last = i + 1 == extents_.size();
      cells->push_back(trim(part(extents_[i].begin, is_last ? length : last)));
    }
    return true;
  }

  void take_header(std::string_view line) {
    rulers_ = 1;
    // A header may be wider than its column: "CUDA time avg" has a letter more than the ruler.
    if ((!split(line, &cells_) && !cut(line, &cells_)) || cells_.front() != "Name") {
      where_ = Where::kOutside;
      return;
    }
    OperatorTable table;
    for (const std::string_view cell : cells_) {
      table.columns.push_back({std::string(cell), kind_of(cell)});
    }
    found_.tables.push_back(std::move(table));
    where_ = Where::kRows;
  }

  void take_row(std::string_view line, std::int64_t number) {
    if (trim(line).empty()) return;
    OperatorTable& table = found_.tables.back();
    if (!cut(line, &cells_) && !split(line, &cells_)) {
      problems_.add(number, "a row that does not fit the table's ruler");
      return;
    }
    bool continues = !table.rows.empty();
    for (std::size_t i = 0; i + 1 < cells_.size(); ++i) continues &= cells_[i].empty();
    if (continues) {
      std::string& above = table.rows.back().back().text;
      above += above.empty() ? "" : "\n";
      above += cells_.back();
      return;
    }
    cell_count_ += cells_.size();
    if (cell_count_ > kMostCells) {
      problems_.add(number, "a row beyond " + std::to_string(kMostCells) + " cells in all tables");
      return;
    }
    std::vector<OperatorCell> row;
    row.reserve(cells_.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      row.push_back({std::string(cells_[i]), value_of(cells_[i], table.columns[i].kind)});
    }
    table.rows.push_back(std::move(row));
  }

  // "Self CPU time total: 249.871ms"
  void take_total(std::string_view line) {
    const std::size_t colon = line.rfind(": ");
    const auto value =
        colon == line.npos ? std::nullopt : value_of(trim(line.substr(colon + 2)), Kind::kTime);
    if (!value) {
      if (!trim(line).empty()) where_ = Where::kOutside;
      return;
    }
    found_.tables.back().totals.emplace_back(trim(line.substr(0, colon)), *value);
  }

  KeyAverages& found_;
  ProblemList problems_;
  std::size_t cell_count_ = 0;  // of all rows so far
  Where where_ = Where::kOutside;
  int rulers_ = 0;
  std::vector<Extent> extents_;
  // Of the line at hand:
  std::vector<std::size_t> characters_;
  std::vector<std::string_view> cells_;
};

}  // namespace

KeyAverages read_key_averages(std::string_view text) {
  KeyAverages found;
  TableReader reader(&found);
  std::int64_t number = 0;
  while (!text.empty()) reader.take(next_line(&text), ++number);
  reader.finish();
  return found;
}

}  // namespace benchhud::ingest
