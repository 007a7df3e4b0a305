// Tables as CSV (RFC 4180), made from what a route writes as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/json_writer.h"
#include "server/api/api_contract.h"

namespace benchhud::server {

/// Takes the objects of one list of an answer as rows; what else the answer has is passed over. A
/// header line and a line a row, each ended by CR LF. Numbers as the JSON has them; null and what
/// is not there are empty; lists and objects as JSON. A text that a spreadsheet would take for a
/// formula (it begins with = + - @, a tab or a line break) gets an apostrophe before it; numbers do
/// not.
class CsvTable final : public schema::JsonSink {
 public:
  /// `rows`: the answer's member that is the list; "": the answer is the list itself. `columns` are
  /// referred to.
  CsvTable(std::span<const CsvColumn> columns, std::string_view rows);

  void open(char bracket) override;
  void close(char bracket) override;
  void key(std::string_view name) override;
  void text(std::string_view bytes) override;
  void raw(std::string_view json) override;

  /// The whole text, and the answer's `next_cursor`; "" where nothing follows. Once, at the end.
  std::string take_text() { return std::move(csv_); }
  std::string take_next_cursor() { return std::move(next_cursor_); }

 private:
  static constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

  /// A member that columns' JSON pointers go through or lead to.
  struct Member {
    std::string_view name;
    std::size_t column = kNoColumn;
    std::vector<Member> members{};
  };
  Member* find(std::string_view name) const;
  void end_row();

  std::string csv_;
  std::string next_cursor_;
  const std::string_view rows_;
  std::string top_key_;  // the answer's member that is being written
  bool is_in_answer_ = false, is_in_rows_ = false;
  std::size_t passed_over_ = 0;  // brackets that are open of what no column is of

  Member row_;                      // as the columns have it
  std::vector<Member*> open_;       // the row and its objects, from the outermost
  Member* next_ = nullptr;          // what the next value in the row is of
  std::vector<std::string> cells_;  // of this row, as CSV
  // A list or an object that is a cell:
  std::string cell_json_;
  std::optional<schema::JsonWriter> cell_writer_;
  std::size_t cell_depth_ = 0;
};

}  // namespace benchhud::server
