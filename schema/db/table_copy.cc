#include "schema/db/table_copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "schema/db/rows.h"

namespace benchhud::schema {
namespace {

Expected<std::vector<std::string>> texts_of(Connection& connection, std::string_view sql,
                                            std::string_view table) {
  Statement query = connection.prepare(sql);
  query.bind(1, table);
  return collect(query, [](const Statement& row) { return std::string(row.text(0)); });
}

}  // namespace

Expected<void> make_tables_like(Connection& from, Connection& to,
                                std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    // A table before its indexes. Those that SQLite makes by itself have no text.
    BENCHHUD_ASSIGN(const auto scripts,
                    texts_of(from,
                             "SELECT sql FROM sqlite_schema WHERE tbl_name = $1 AND type IN "
                             "('table', 'index') AND sql IS NOT NULL ORDER BY type DESC",
                             name));
    if (scripts.empty()) {
      return Error{ErrorCode::kInternal, fmt::format("there is no table {}", name)};
    }
    for (const std::string& script : scripts) BENCHHUD_TRY(to.execute(script));
  }
  return {};
}

Expected<TableCopy> TableCopy::make(Connection& from, std::string_view table,
                                    std::string_view column) {
  BENCHHUD_ASSIGN(
      const auto columns,
      texts_of(from, "SELECT name FROM pragma_table_info($1) WHERE name <> 'id'", table));
  TableCopy copy;
  std::string names, values;
  for (const std::string& name : columns) {
    if (name == column) copy.replaced_ = copy.column_count_;
    const std::string_view comma = copy.column_count_ > 0 ? ", " : "";
    ++copy.column_count_;
    names += fmt::format("{}{}", comma, name);
    values += fmt::format("{}${}", comma, copy.column_count_);
  }
  BENCHHUD_ASSIGN(const auto keys,
                  texts_of(from,
                           "SELECT key.name FROM pragma_index_list($1) list "
                           "JOIN pragma_index_info(list.name) key "
                           "WHERE list.origin IN ('pk', 'u') ORDER BY list.seq, key.seqno",
                           table));
  // By a key, so that the same rows are the same copy wherever they come from.
  const std::string order = keys.empty() ? "" : fmt::format(" ORDER BY {}", fmt::join(keys, ", "));
  copy.rows_ =
      from.prepare(fmt::format("SELECT {} FROM {} WHERE {} = $1{}", names, table, column, order));
  BENCHHUD_TRY(copy.rows_.status());
  copy.insert_ = fmt::format("INSERT INTO {} ({}) VALUES ({})", table, names, values);
  copy.update_ = fmt::format("UPDATE {} SET ({}) = ({}) WHERE id = ${}", table, names, values,
                             copy.column_count_ + 1);
  return copy;
}

Expected<std::int64_t> TableCopy::run(Connection& to, std::int64_t of, std::int64_t becomes) {
  start(of);
  std::int64_t count = 0;
  BENCHHUD_TRY(copy_rows(to, becomes, [&count] {
    ++count;
    return true;
  }));
  return count;
}

void TableCopy::start(std::int64_t of) {
  rows_.reset();
  rows_.bind(1, of);
}

Expected<bool> TableCopy::copy_until(Connection& to, std::int64_t becomes, Clock::time_point end) {
  return copy_rows(to, becomes, [end] { return Clock::now() < end; });
}

void TableCopy::stop() { rows_.reset(); }

/// False where `goes_on`, which is asked after each row, said so.
Expected<bool> TableCopy::copy_rows(Connection& to, std::int64_t becomes,
                                    const std::function<bool()>& goes_on) {
  std::optional<Statement> insert;  // of many tables a trace has no rows
  while (rows_.step()) {
    if (!insert) insert.emplace(to.prepare(insert_));
    for (int i = 0; i < column_count_; ++i) {
      if (i == replaced_) {
        insert->bind(i + 1, becomes);
      } else {
        insert->bind_column(i + 1, rows_, i);
      }
    }
    BENCHHUD_TRY(insert->run());
    if (!goes_on()) return false;
  }
  BENCHHUD_TRY(rows_.status());
  return true;
}

Expected<void> TableCopy::overwrite(Connection& to, std::int64_t of, std::int64_t over) {
  rows_.reset();
  rows_.bind(1, of);
  if (rows_.step()) {
    Statement update = to.prepare(update_);
    for (int i = 0; i < column_count_; ++i) update.bind_column(i + 1, rows_, i);
    BENCHHUD_TRY(update.bind(column_count_ + 1, over).run());
  }
  BENCHHUD_TRY(rows_.status());
  rows_.reset();
  return {};
}

}  // namespace benchhud::schema
