// Tables and their rows, from one database into another.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// Makes the tables of these names in `to`, empty, as they are in `from`, with their indexes.
Expected<void> make_tables_like(Connection& from, Connection& to,
                                std::span<const std::string_view> names);

/// Copies rows of one table from a database into others that have the same table, again and again:
/// what its columns are is asked once. Must not outlive the database that it copies from.
class TableCopy {
 public:
  /// `column`: which tells what rows are copied.
  static Expected<TableCopy> make(Connection& from, std::string_view table,
                                  std::string_view column);

  /// Copies the rows in which the column is `of`; in the copies it is `becomes`. Rows that have a
  /// number of their own, `id`, get another one, in the order of what else the table is unique by.
  /// Returns how many there were. The caller holds the write transaction of `to`. Error: kConflict,
  /// where `to` has a row that one of them would double.
  Expected<std::int64_t> run(Connection& to, std::int64_t of, std::int64_t becomes);

  using Clock = std::chrono::steady_clock;
  /// The same in pieces: those rows are copied next.
  void start(std::int64_t of);
  /// Goes on until `end`, with one row at least, in a write transaction of `to` of its own. Returns
  /// whether nothing is left. After an error, and after the last piece, only start() may follow.
  Expected<bool> copy_until(Connection& to, std::int64_t becomes, Clock::time_point end);
  /// Ends the reading of those that were started.
  void stop();

  /// Writes the row of the number `of` over that of the number `over` in `to`, which keeps its
  /// number. For tables that were made for `column` = "id". As run().
  Expected<void> overwrite(Connection& to, std::int64_t of, std::int64_t over);

 private:
  Expected<bool> copy_rows(Connection& to, std::int64_t becomes,
                           const std::function<bool()>& goes_on);

  Statement rows_;
  std::string insert_, update_;
  int column_count_ = 0;
  int replaced_ = -1;
};

}  // namespace benchhud::schema
