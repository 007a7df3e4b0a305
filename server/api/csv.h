// Tables as CSV (RFC 4180), made from the very JSON that the same address answers, so that the two
// cannot differ.
#pragma once

#include <simdjson.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "server/api/api_contract.h"

namespace benchhud::server {

/// Texts and elements live as long as the answer that they are of.
using CsvValue = std::variant<std::string_view, simdjson::dom::element>;

/// The members of a row by name: what a column's JSON pointer begins with.
struct CsvRow {
  std::vector<std::pair<std::string_view, CsvValue>> members;
};

/// The JSON of an answer, read.
struct CsvAnswer {
  simdjson::dom::element root;
};

/// The objects of a list as rows.
std::vector<CsvRow> csv_rows(const simdjson::dom::element& objects);

/// Makes the rows of an answer.
using CsvRows = std::function<std::vector<CsvRow>(const CsvAnswer& answer)>;

struct Csv {
  std::string text;
  std::string next_cursor;  ///< the answer's; "" where nothing follows
};

/// A header line and a line a row, each ended by CR LF. Numbers in the shortest form that reads
/// back as the same number; null and what is not there are empty; lists and objects as JSON. A text
/// that a spreadsheet would take for a formula (it begins with = + - @, a tab or a line break) gets
/// an apostrophe before it; numbers do not. `answer` is JSON that this program wrote: any other
/// text throws simdjson::simdjson_error.
Csv to_csv(std::span<const CsvColumn> columns, const std::string& answer, const CsvRows& rows);

}  // namespace benchhud::server
