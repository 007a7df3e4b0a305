#include "schema/db/table_copy.h"

#include <fmt/format.h>

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

Expected<void> copy_rows(Connection& from, Connection& to, std::string_view table,
                         std::string_view column, std::int64_t of, std::int64_t becomes) {
  BENCHHUD_ASSIGN(
      const auto columns,
      texts_of(from, "SELECT name FROM pragma_table_info($1) WHERE name <> 'id'", table));
  std::string names, values;
  int replaced = -1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == column) replaced = static_cast<int>(i);
    names += (i > 0 ? ", " : "") + columns[i];
    values += fmt::format("{}${}", i > 0 ? ", " : "", i + 1);
  }
  Statement query =
      from.prepare(fmt::format("SELECT {} FROM {} WHERE {} = $1", names, table, column));
  query.bind(1, of);
  Statement insert =
      to.prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})", table, names, values));
  while (query.step()) {
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
      if (i == replaced) {
        insert.bind(i + 1, becomes);
      } else {
        insert.bind_column(i + 1, query, i);
      }
    }
    BENCHHUD_TRY(insert.run());
  }
  return query.status();
}

}  // namespace benchhud::schema
