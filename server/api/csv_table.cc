#include "server/api/csv_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "schema/base/csv_text.h"
#include "schema/base/utf8.h"

namespace benchhud::server {
namespace {

void append_text(std::string* csv, std::string_view bytes) {
  const bool is_formula = !bytes.empty() && std::string_view("=+-@\t\r\n").find(bytes.front()) !=
                                                std::string_view::npos;
  const std::string text = schema::to_valid_utf8(bytes);
  schema::append_csv_field(csv, is_formula ? "'" + text : text);
}

}  // namespace

std::string csv_of_rows(const nlohmann::json& names, const nlohmann::json& rows) {
  std::string csv;
  const auto add_line = [&](const nlohmann::json& cells) {
    bool is_first = true;
    for (const nlohmann::json& cell : cells) {
      if (!is_first) csv.push_back(',');
      is_first = false;
      if (cell.is_string()) {
        append_text(&csv, cell.get_ref<const std::string&>());
      } else if (!cell.is_null()) {
        schema::append_csv_field(&csv, cell.dump());
      }
    }
    csv += "\r\n";
  };
  add_line(names);
  for (const nlohmann::json& row : rows) add_line(row);
  return csv;
}

CsvTable::CsvTable(std::span<const CsvColumn> columns, std::string_view rows)
    : rows_(rows), cells_(columns.size()) {
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const auto& [name, pointer] = columns[column];
    if (column > 0) csv_.push_back(',');
    append_text(&csv_, name);
    // The contract's pointers have no escapes.
    Member* member = &row_;
    for (std::string_view rest = pointer; !rest.empty();) {
      rest.remove_prefix(1);
      const std::string_view part = rest.substr(0, rest.find('/'));
      rest.remove_prefix(part.size());
      const auto found = std::find_if(member->members.begin(), member->members.end(),
                                      [&](const Member& one) { return one.name == part; });
      member =
          found == member->members.end() ? &member->members.emplace_back(Member{part}) : &*found;
    }
    member->column = column;
  }
  csv_ += "\r\n";
}

void CsvTable::open(char bracket) {
  if (cell_writer_) {
    ++cell_depth_;
    bracket == '{' ? cell_writer_->begin_object() : cell_writer_->begin_array();
  } else if (skipped_depth_ > 0) {
    ++skipped_depth_;
  } else if (next_cell() != nullptr) {
    cell_json_.clear();
    cell_writer_.emplace(&cell_json_);
    cell_depth_ = 0;
    open(bracket);
  } else if (!open_.empty() && next_ != nullptr && bracket == '{') {
    open_.push_back(next_);
  } else if (open_.empty() && is_in_rows_ && bracket == '{') {
    open_.push_back(&row_);
  } else if (!is_in_rows_ && bracket == '[' && top_key_ == rows_) {
    is_in_rows_ = true;
  } else if (!is_in_rows_ && !is_in_answer_ && bracket == '{') {
    is_in_answer_ = true;
  } else {
    skipped_depth_ = 1;
  }
}

void CsvTable::close(char bracket) {
  if (cell_writer_) {
    bracket == '}' ? cell_writer_->end_object() : cell_writer_->end_array();
    if (--cell_depth_ > 0) return;
    cell_writer_.reset();
    schema::append_csv_field(&cells_[next_->column], cell_json_);
  } else if (skipped_depth_ > 0) {
    --skipped_depth_;
  } else if (!open_.empty()) {
    open_.pop_back();
    if (open_.empty()) end_row();
  } else {
    is_in_rows_ = false;
  }
}

void CsvTable::key(std::string_view name) {
  if (cell_writer_) {
    cell_writer_->key_text(name);
  } else if (skipped_depth_ == 0) {
    if (open_.empty()) {
      top_key_ = name;
    } else {
      next_ = find(name);
    }
  }
}

void CsvTable::text(std::string_view bytes) {
  if (cell_writer_) {
    cell_writer_->value(bytes);
  } else if (std::string* cell = next_cell()) {
    append_text(cell, bytes);
  } else if (is_in_answer_ && !is_in_rows_ && skipped_depth_ == 0 && top_key_ == "next_cursor") {
    next_cursor_ = bytes;
  }
}

void CsvTable::raw(std::string_view json) {
  if (cell_writer_) {
    cell_writer_->raw(json);
  } else if (std::string* cell = next_cell(); cell != nullptr && json != "null") {
    // A text arrives here only as JSON that the runner wrote; the program's own go to text().
    json.starts_with('"') ? append_text(cell, nlohmann::json::parse(json).get<std::string>())
                          : schema::append_csv_field(cell, json);
  }
}

std::string* CsvTable::next_cell() {
  const bool is_wanted =
      skipped_depth_ == 0 && !open_.empty() && next_ != nullptr && next_->column != kNoColumn;
  return is_wanted ? &cells_[next_->column] : nullptr;
}

CsvTable::Member* CsvTable::find(std::string_view name) const {
  auto& members = open_.back()->members;
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.name == name; });
  return found == members.end() ? nullptr : &*found;
}

void CsvTable::end_row() {
  for (std::size_t column = 0; column < cells_.size(); ++column) {
    if (column > 0) csv_.push_back(',');
    csv_ += cells_[column];
    cells_[column].clear();
  }
  csv_ += "\r\n";
}

}  // namespace benchhud::server
