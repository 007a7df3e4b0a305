#include "server/csv.h"

#include "server/json_writer.h"

namespace benchhud::server {
namespace {

using nlohmann::json;

bool looks_like_formula(std::string_view text) {
  return !text.empty() &&
         std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
}

std::string plain_text(const json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return looks_like_formula(text) ? "'" + text : text;
  }
  if (value.is_number_float()) {
    std::string text;
    JsonWriter(&text).value(value.get<double>());
    return text;
  }
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string csv_cell(const json& value) {
  const std::string text = plain_text(value);
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

std::string to_csv(std::span<const CsvColumn> columns, std::span<const json> rows) {
  std::string csv;
  std::vector<json::json_pointer> places;
  for (const auto& [name, pointer] : columns) {
    if (!places.empty()) csv += ',';
    csv += csv_cell(name);
    places.emplace_back(pointer);
  }
  csv += "\r\n";
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i > 0) csv += ',';
      if (row.contains(places[i])) csv += csv_cell(row[places[i]]);
    }
    csv += "\r\n";
  }
  return csv;
}

}  // namespace benchhud::server
