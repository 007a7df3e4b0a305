// Tables as CSV (RFC 4180), made from what a route writes as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/json_writer.h"
#include "server/api/api_contract.h"

namespace benchhud::server {

/// Builds a table from the objects in one array of an answer and ignores the rest of the answer.
/// The text has a header line and then one line per object, each ending in CR LF. Numbers are
/// written as in the JSON; null and missing members give empty cells; arrays and objects are
/// written as JSON. A text that a spreadsheet would take for a formula (it begins with = + - @, a
/// tab or a line break) gets an apostrophe before it; numbers do not.
class CsvTable final : public schema::JsonSink {
 public:
  /// `rows`: the answer's member that is the array; "": the answer itself is the array. `columns`
  /// must outlive the table.
  CsvTable(std::span<const CsvColumn> columns, std::string_view rows);

  void open(char bracket) override;
  void close(char bracket) override;
  void key(std::string_view name) override;
  void text(std::string_view bytes) override;
  void raw(std::string_view json) override;

  /// The whole text, and the answer's `next_cursor` ("" on the last page). To be called once, after
  /// the last write.
  std::string take_text() { return std::move(csv_); }
  std::string take_next_cursor() { return std::move(next_cursor_); }

 private:
  static constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

  /// A member on the path of a column's JSON pointer.
  struct Member {
    std::string_view name;
    std::size_t column = kNoColumn;
    std::vector<Member> members{};
  };
  Member* find(std::string_view name) const;
  /// The cell that the next value belongs to; null where no column wants it.
  std::string* next_cell();
  void end_row();

  std::string csv_;
  std::string next_cursor_;
  const std::string_view rows_;
  std::string top_key_;  // the answer's current member
  bool is_in_answer_ = false, is_in_rows_ = false;
  std::size_t skipped_depth_ = 0;  // open brackets of a value that no column wants

  Member row_;                      // the root of all columns' paths
  std::vector<Member*> open_;       // the current row and its open objects, outermost first
  Member* next_ = nullptr;          // the path of the next value in the row
  std::vector<std::string> cells_;  // of the current row, as CSV
  // An array or object that is a cell:
  std::string cell_json_;
  std::optional<schema::JsonWriter> cell_writer_;
  std::size_t cell_depth_ = 0;
};

/// The same of rows that are lists of as many values as `names` has texts.
std::string csv_of_rows(const nlohmann::json& names, const nlohmann::json& rows);

}  // namespace benchhud::server
