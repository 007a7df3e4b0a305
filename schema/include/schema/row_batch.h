// Inserts rows many a statement. A statement costs as much as a few rows, and within one SQLite
// goes on where the row before was put instead of searching its place from the root.
#pragma once

#include <string_view>
#include <vector>

#include "schema/database.h"
#include "schema/errors.h"

namespace benchhud::schema {

/// Rows in the statements of queries/insert_*s.sql.
inline constexpr std::size_t kRowsAStatement = 16;

/// Collects rows of one table and writes them when there are enough. Call flush() before anything
/// reads the table, and at the end.
template <class Row>
class RowBatch {
 public:
  /// Binds a row's columns to the parameters from `first` on. What it binds as views lives until
  /// the statement has run.
  using Bind = void (*)(const Row& row, int first, Statement* insert);

  /// `one` inserts a row of `columns` columns, `many` kRowsAStatement of them; both are constants.
  RowBatch(Connection& connection, std::string_view one, std::string_view many, int columns,
           Bind bind)
      : connection_(connection), one_(one), many_(many), columns_(columns), bind_(bind) {
    rows_.resize(kRowsAStatement);
  }

  /// A row to be filled, every field of it: it holds an earlier row's, whose memory is used again.
  Expected<Row*> add() {
    if (count_ == rows_.size()) BENCHHUD_TRY(flush());
    return &rows_[count_++];
  }

  Expected<void> flush() {
    const bool is_full = count_ == rows_.size();
    Statement& insert = connection_.cached(is_full ? many_ : one_);
    for (std::size_t i = 0; i < count_; ++i) {
      bind_(rows_[i], 1 + (is_full ? static_cast<int>(i) * columns_ : 0), &insert);
      if (!is_full || i + 1 == count_) BENCHHUD_TRY(insert.run());
    }
    count_ = 0;
    return {};
  }

 private:
  Connection& connection_;
  const std::string_view one_, many_;
  const int columns_;
  const Bind bind_;
  std::vector<Row> rows_;
  std::size_t count_ = 0;
};

}  // namespace benchhud::schema
