#include "server/api/csv.h"

#include <algorithm>

#include "schema/base/csv_text.h"
#include "schema/base/json_writer.h"

namespace benchhud::server {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

/// The parts of a JSON pointer. The contract's have no escapes.
std::vector<std::string_view> parts_of(std::string_view pointer) {
  std::vector<std::string_view> parts;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    parts.push_back(pointer.substr(0, end));
    pointer.remove_prefix(end);
  }
  return parts;
}

bool looks_like_formula(std::string_view text) {
  return !text.empty() &&
         std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
}

void append_text(std::string* csv, std::string_view text) {
  if (looks_like_formula(text)) {
    schema::append_csv_field(csv, "'" + std::string(text));
  } else {
    schema::append_csv_field(csv, text);
  }
}

void append_element(std::string* csv, const element& value) {
  switch (value.type()) {
    case element_type::NULL_VALUE:
      return;
    case element_type::STRING:
      return append_text(csv, value);
    case element_type::DOUBLE:
      return schema::JsonWriter(csv).value(double{value});
    default:
      return schema::append_csv_field(csv, simdjson::minify(value));
  }
}

/// Where the cells of the columns stand in a row. Neighbouring columns mostly begin alike
/// (/cell/time/value, /cell/time/interval/low), so each goes on from where the one before was
/// found.
class Places {
 public:
  explicit Places(std::span<const CsvColumn> columns) {
    for (const auto& [name, pointer] : columns) {
      Place& place = places_.emplace_back();
      place.parts = parts_of(pointer);
      if (places_.size() == 1) continue;
      const auto& before = places_[places_.size() - 2].parts;
      const auto common =
          std::mismatch(place.parts.begin(), place.parts.end(), before.begin(), before.end());
      place.shared = static_cast<std::size_t>(common.first - place.parts.begin());
    }
  }

  void append_row(std::string* csv, const CsvRow& row) {
    found_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (i > 0) csv->push_back(',');
      append_cell(csv, row, places_[i]);
    }
  }

 private:
  struct Place {
    std::vector<std::string_view> parts;
    std::size_t shared = 0;  ///< parts that begin the column before too
  };

  void append_cell(std::string* csv, const CsvRow& row, const Place& place) {
    found_.resize(std::min(found_.size(), place.shared));
    for (std::size_t i = found_.size(); i < place.parts.size(); ++i) {
      element next;
      if (i == 0) {
        const auto member = std::find_if(row.members.begin(), row.members.end(),
                                         [&](const auto& m) { return m.first == place.parts[0]; });
        if (member == row.members.end()) return;
        if (const auto* text = std::get_if<std::string_view>(&member->second)) {
          return append_text(csv, *text);
        }
        next = std::get<element>(member->second);
      } else if (found_.back()[place.parts[i]].get(next) != simdjson::SUCCESS) {
        return;  // what is null or not there has no members
      }
      found_.push_back(next);
    }
    append_element(csv, found_.back());
  }

  std::vector<Place> places_;
  std::vector<element> found_;  // of the column before, a part each
};

}  // namespace

std::vector<CsvRow> csv_rows(const element& objects) {
  std::vector<CsvRow> rows;
  for (const element object : simdjson::dom::array(objects)) {
    CsvRow& row = rows.emplace_back();
    for (const auto& [name, value] : simdjson::dom::object(object)) {
      row.members.emplace_back(name, value);
    }
  }
  return rows;
}

Csv to_csv(std::span<const CsvColumn> columns, const std::string& answer, const CsvRows& rows) {
  simdjson::dom::parser parser;
  const CsvAnswer read{parser.parse(answer)};
  Csv csv;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) csv.text += ',';
    append_text(&csv.text, columns[i].first);
  }
  csv.text += "\r\n";
  Places places(columns);
  for (const CsvRow& row : (rows ? rows(read) : csv_rows(read.root["items"]))) {
    places.append_row(&csv.text, row);
    csv.text += "\r\n";
  }
  std::string_view cursor;
  if (read.root["next_cursor"].get(cursor) == simdjson::SUCCESS) csv.next_cursor = cursor;
  return csv;
}

}  // namespace benchhud::server
