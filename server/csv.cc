#include "server/csv.h"

#include <algorithm>

#include "server/json_writer.h"

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

void append_quoted(std::string* csv, std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) {
    csv->append(text);
    return;
  }
  csv->push_back('"');
  for (const char c : text) {
    if (c == '"') csv->push_back('"');
    csv->push_back(c);
  }
  csv->push_back('"');
}

void append_text(std::string* csv, std::string_view text) {
  if (looks_like_formula(text)) {
    append_quoted(csv, "'" + std::string(text));
  } else {
    append_quoted(csv, text);
  }
}

void append_element(std::string* csv, const element& value) {
  switch (value.type()) {
    case element_type::NULL_VALUE:
      return;
    case element_type::STRING:
      return append_text(csv, value);
    case element_type::DOUBLE:
      return JsonWriter(csv).value(double{value});
    default:
      return append_quoted(csv, simdjson::minify(value));
  }
}

void append_cell(std::string* csv, const CsvRow& row, std::span<const std::string_view> place) {
  for (const auto& [name, value] : row.members) {
    if (name != place.front()) continue;
    if (const auto* text = std::get_if<std::string_view>(&value)) return append_text(csv, *text);
    element at = std::get<element>(value);
    for (const auto part : place.subspan(1)) {
      // What is null or not there has no members.
      if (at[part].get(at) != simdjson::SUCCESS) return;
    }
    return append_element(csv, at);
  }
}

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
  std::vector<std::vector<std::string_view>> places;
  for (const auto& [name, pointer] : columns) {
    if (!places.empty()) csv.text += ',';
    append_text(&csv.text, name);
    places.push_back(parts_of(pointer));
  }
  csv.text += "\r\n";
  for (const CsvRow& row : (rows ? rows(read) : csv_rows(read.root["items"]))) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i > 0) csv.text += ',';
      append_cell(&csv.text, row, places[i]);
    }
    csv.text += "\r\n";
  }
  std::string_view cursor;
  if (read.root["next_cursor"].get(cursor) == simdjson::SUCCESS) csv.next_cursor = cursor;
  return csv;
}

}  // namespace benchhud::server
