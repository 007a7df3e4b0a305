// Inserts rows many a statement. A statement costs as much as a few rows, and within one SQLite
// goes on where the row before was put instead of searching its place from the root.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Rows in a statement that inserts many.
inline constexpr std::size_t kRowsAStatement = 16;

/// A statement that inserts `rows` rows from `one`, which inserts one: it has VALUES and the row in
/// brackets, with the parameters $1 … $columns, each as often as it likes, and may go on with ON
/// CONFLICT. Row i has $1 + i * columns and on.
std::string many_rows(std::string_view one, int columns, std::size_t rows);

/// Collects rows of one table and writes them when there are enough. Call flush() before anything
/// reads the table, and at the end.
template <class Row>
class RowBatch {
 public:
  /// Binds a row's columns to the parameters from `first` on. What it binds as views lives until
  /// the statement has run.
  using Bind = void (*)(const Row& row, int first, Statement* insert);

  /// `one`, a constant, inserts a row of `columns` parameters; as many_rows() has it.
  RowBatch(Connection& connection, std::string_view one, int columns, Bind bind)
      : connection_(connection), one_text_(one), columns_(columns), bind_(bind) {
    rows_.resize(kRowsAStatement);
  }

  /// A row to be filled, every field of it: it holds an earlier row's, whose memory is used again.
  Expected<Row*> add() {
    if (count_ == rows_.size()) BENCHHUD_TRY(flush());
    return &rows_[count_++];
  }

  Expected<void> flush() {
    if (count_ == 0) return {};
    const bool is_full = count_ == rows_.size();
    Statement& insert = is_full ? many() : one();
    for (std::size_t i = 0; i < count_; ++i) {
      bind_(rows_[i], 1 + (is_full ? static_cast<int>(i) * columns_ : 0), &insert);
      if (is_full && i + 1 < count_) continue;
      BENCHHUD_TRY(insert.run());
      changes_ += connection_.changes();
    }
    count_ = 0;
    return {};
  }

  /// How many rows of the table were added or, by ON CONFLICT, changed since this was asked last.
  std::int64_t take_changes() { return std::exchange(changes_, 0); }

 private:
  // Prepared when first needed: most batches of a small file fill none.
  Statement& one() {
    if (!one_) one_ = connection_.prepare(one_text_);
    return *one_;
  }
  Statement& many() {
    if (!many_) many_ = connection_.prepare(many_rows(one_text_, columns_, kRowsAStatement));
    return *many_;
  }

  Connection& connection_;
  const std::string_view one_text_;
  std::optional<Statement> one_, many_;
  const int columns_;
  const Bind bind_;
  std::vector<Row> rows_;
  std::size_t count_ = 0;
  std::int64_t changes_ = 0;
};

}  // namespace benchhud::schema
