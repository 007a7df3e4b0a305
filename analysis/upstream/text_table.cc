#include "analysis/upstream/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "analysis/statistics/numpy_math.h"

namespace benchhud::analysis {
namespace {

using Lines = std::vector<std::string>;

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

Lines lines_of(std::string_view text) {
  Lines lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string csv_field(const TextCell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return python_text(*number);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return std::to_string(*count);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return "";
}

std::string grid_field(const TextCell& cell) {
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr) return csv_field(cell);
  if (!std::isfinite(*number)) return python_text(*number);
  return fmt::format("{:.2f}", *number);
}

struct Column {
  bool is_number = false;
  std::size_t width = 0;
  std::vector<Lines> cells;  // the header first
};

Column make_column(const TextTable& table, std::size_t index) {
  constexpr std::size_t kHeaderPadding = 2;
  Column column;
  bool has_text = false;
  bool has_point = false;
  for (const auto& row : table.rows) {
    const TextCell& cell = row[index];
    has_text |= std::holds_alternative<std::string>(cell);
    column.is_number |= !std::holds_alternative<std::monostate>(cell);
    const auto* number = std::get_if<double>(&cell);
    has_point |= number != nullptr && std::isfinite(*number);
  }
  column.is_number &= !has_text;
  column.cells.push_back(lines_of(table.headers[index]));
  for (const std::string& line : column.cells[0]) {
    column.width = std::max(column.width, width_of(line) + kHeaderPadding);
  }
  for (const auto& row : table.rows) {
    std::string text = grid_field(row[index]);
    // Numbers stand with their points below each other; what has none ends where the points stand.
    const bool lacks_point = text.find('.') == text.npos;
    if (column.is_number && has_point && lacks_point) text += "   ";
    column.cells.push_back(lines_of(text));
    for (const std::string& line : column.cells.back()) {
      column.width = std::max(column.width, width_of(line));
    }
  }
  return column;
}

void append_rule(const std::vector<Column>& columns, const std::array<std::string_view, 4>& marks,
                 std::string* out) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    *out += marks[i == 0 ? 0 : 2];
    for (std::size_t n = 0; n < columns[i].width + 2; ++n) *out += marks[1];
  }
  *out += marks[3];
  *out += '\n';
}

void append_row(const std::vector<Column>& columns, std::size_t row, std::string* out) {
  std::size_t height = 1;
  for (const Column& column : columns) height = std::max(height, column.cells[row].size());
  for (std::size_t line = 0; line < height; ++line) {
    for (const Column& column : columns) {
      const Lines& cell = column.cells[row];
      const std::string text = line < cell.size() ? cell[line] : "";
      const std::string padding(column.width - width_of(text), ' ');
      *out += "│ ";
      *out += column.is_number ? padding + text : text + padding;
      *out += ' ';
    }
    *out += "│\n";
  }
}

}  // namespace

std::string to_plain_csv(const TextTable& table) {
  std::string out = "# ";
  for (std::size_t i = 0; i < table.headers.size(); ++i) {
    if (i > 0) out += ',';
    out += table.headers[i];
  }
  out += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      out += csv_field(row[i]);
    }
    out += '\n';
  }
  return out;
}

std::string to_fancy_grid(const TextTable& table) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < table.headers.size(); ++i) columns.push_back(make_column(table, i));
  std::string out;
  append_rule(columns, {"╒", "═", "╤", "╕"}, &out);
  append_row(columns, 0, &out);
  append_rule(columns, {"╞", "═", "╪", "╡"}, &out);
  for (std::size_t row = 1; row <= table.rows.size(); ++row) {
    if (row > 1) append_rule(columns, {"├", "─", "┼", "┤"}, &out);
    append_row(columns, row, &out);
  }
  append_rule(columns, {"╘", "═", "╧", "╛"}, &out);
  return out;
}

}  // namespace benchhud::analysis
