// Inserts rows many a statement. A statement costs as much as a few rows, and within one SQLite
// goes on where the row before was put instead of searching its place from the root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Rows in a statement that inserts many.
inline constexpr std::size_t kRowsAStatement = 16;

/// A statement that inserts `rows` rows from `one`, which inserts one: it ends in VALUES and the
/// row in brackets, with the parameters $1 … $columns, each as often as it likes. Row i has
/// $1 + i * columns and on.
std::string many_rows(std::string_view one, int columns, std::size_t rows);

/// Collects rows of one table and writes them when there are enough. Call flush() before anything
/// reads the table, and at the end.
template <class Row>
class RowBatch {
 public:
  /// Binds a row's columns to the parameters from `first` on. What it binds as views lives until
  /// the statement has run.
  using Bind = void (*)(const Row& row, int first, Statement* insert);

  /// `one` inserts a row of `columns` parameters; as many_rows() has it.
  RowBatch(Connection& connection, std::string_view one, int columns, Bind bind)
      : one_(connection.prepare(one)),
        many_(connection.prepare(many_rows(one, columns, kRowsAStatement))),
        columns_(columns),
        bind_(bind) {
    rows_.resize(kRowsAStatement);
  }

  /// A row to be filled, every field of it: it holds an earlier row's, whose memory is used again.
  Expected<Row*> add() {
    if (count_ == rows_.size()) BENCHHUD_TRY(flush());
    return &rows_[count_++];
  }

  Expected<void> flush() {
    const bool is_full = count_ == rows_.size();
    Statement& insert = is_full ? many_ : one_;
    for (std::size_t i = 0; i < count_; ++i) {
      bind_(rows_[i], 1 + (is_full ? static_cast<int>(i) * columns_ : 0), &insert);
      if (!is_full || i + 1 == count_) BENCHHUD_TRY(insert.run());
    }
    count_ = 0;
    return {};
  }

 private:
  Statement one_, many_;
  const int columns_;
  const Bind bind_;
  std::vector<Row> rows_;
  std::size_t count_ = 0;
};

}  // namespace benchhud::schema
