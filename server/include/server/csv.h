// Tables as CSV (RFC 4180), made from the very JSON that the same address answers, so that the two
// cannot differ.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchhud::server {

/// A column's name and where its cell stands in a row: a JSON pointer.
using CsvColumn = std::pair<std::string, std::string>;

/// A header line and a line a row, each ended by CR LF. Numbers in the shortest form that reads
/// back as the same number; null and what is not there are empty; lists and objects as JSON. A text
/// that a spreadsheet would take for a formula (it begins with = + - @, a tab or a line break) gets
/// an apostrophe before it; numbers do not.
std::string to_csv(std::span<const CsvColumn> columns, std::span<const nlohmann::json> rows);

/// One cell's text, quoted if it must be.
std::string csv_cell(const nlohmann::json& value);

}  // namespace benchhud::server
