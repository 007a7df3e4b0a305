// Stores as older versions of the program left them, made of the migrations themselves.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "tests/unit/places.h"

namespace benchhud::schema {

// What the first version of the program has put into a store: a night in one file, a result whose
// total_time is an array, one whose total_time is a lone number.
inline constexpr const char* kFirstVersionRows = R"sql(
INSERT INTO ingested_file VALUES (1, '/n.jsonl', x'01', 9, 3, 3, 0, 0, 5.0, 0, NULL, 1);
INSERT INTO experiment VALUES
  (1, x'01', x'0a', 's', 'm', 'eval', 'inductor', 'cuda', 'A100', 8, NULL, NULL, 'inductor', NULL, '{}', 1),
  (2, x'02', x'0b', 's', 'n', 'eval', 'inductor', 'cuda', 'A100', 8, NULL, NULL, 'inductor', NULL, '{}', 1);
INSERT INTO run VALUES (1, 'A100', 'night', 100.0, NULL, 2, 1);
INSERT INTO invocation VALUES (1, 'A100', 100.0, NULL, 1, 0, 1);
INSERT INTO line VALUES
  (1, 1, 1, x'01', 1, 1, 0, 1, 3, 4, NULL, NULL, NULL, NULL),
  (2, 1, 2, x'02', 1, 2, 9, 1, 1, 1, NULL, NULL, NULL, NULL),
  (3, 1, 2, x'03', 1, 3, 18, 0, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO metric VALUES (1, 'total_time'), (2, 'dispatch_time');
INSERT INTO measurement VALUES
  (1, 1, 0, 2, 1.5, 1.5, 1.0, 2.0, x'000000000000F03F0000000000000040', NULL),
  (1, 2, 0, 1, 2.0, 2.0, 2.0, 2.0, x'0000000000000040', NULL),
  (2, 1, 1, 1, 2.0, 2.0, 2.0, 2.0, x'0000000000000040', NULL);
INSERT INTO result VALUES
  (1, 1, 100.0, 1, NULL, NULL, NULL, NULL, 0, 0),
  (1, 2, 100.0, 2, 3, NULL, NULL, NULL, 0, 0);
)sql";

/// The migrations in their order, as SQL.
inline std::vector<std::string> migration_scripts() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_root() / "schema/migrations")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> scripts;
  for (const auto& path : files) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    scripts.push_back(text.str());
  }
  return scripts;
}

/// An empty database as programs made it that knew nothing of checksums of pages: its head, and a
/// page without a table (sqlite.org/fileformat2.html).
inline std::string empty_database_without_checksums() {
  std::string page(4096, '\0');
  const auto put = [&](std::size_t at, std::string_view bytes) {
    page.replace(at, bytes.size(), bytes);
  };
  using namespace std::string_view_literals;
  put(0, "SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20\0\0\0\x01\0\0\0\x01"sv);
  put(44, "\0\0\0\x04"sv);                // the schema's format
  put(56, "\0\0\0\x01"sv);                // UTF-8
  put(92, "\0\0\0\x01\0\x2e\x4f\x60"sv);  // by SQLite 3.35
  put(100, "\x0d\0\0\0\0\x10\0"sv);       // no row
  return page;
}

inline std::vector<std::string> texts_of(Connection& connection, const std::string& sql) {
  std::vector<std::string> texts;
  Statement query = connection.prepare(sql);
  while (query.step()) texts.emplace_back(query.text(0));
  return texts;
}

inline std::vector<std::string> tables_of(Connection& connection) {
  return texts_of(connection,
                  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE "
                  "'sqlite_%' ORDER BY name");
}

/// Puts a row into a table, whatever its columns are; keys of other tables are all 1.
inline Expected<void> put_any_row(Connection& connection, const std::string& table) {
  std::string values;
  Statement columns = connection.prepare("SELECT name, type FROM pragma_table_info($1)");
  columns.bind(1, table);
  while (columns.step()) {
    if (!values.empty()) values += ", ";
    if (columns.text(1) == "INTEGER") {
      values += "1";
    } else if (columns.text(1) == "REAL") {
      values += "1.5";
    } else if (columns.text(1) == "BLOB") {
      values += "x'01'";
    } else {
      values += fmt::format("'{}.{}'", table, columns.text(0));
    }
  }
  BENCHHUD_TRY(columns.status());
  return connection.execute(fmt::format("INSERT INTO {} VALUES ({})", table, values));
}

/// Makes a store of a version in an empty database, with rows in every table, which were put there
/// when the table was new.
inline Expected<void> make_older_store(Connection& connection, int version) {
  const auto scripts = migration_scripts();
  for (int at = 0; at < version; ++at) {
    BENCHHUD_TRY(connection.execute(scripts.at(at)));
    if (at == 0) BENCHHUD_TRY(connection.execute(kFirstVersionRows));
    for (const std::string& table : tables_of(connection)) {
      if (!texts_of(connection, "SELECT 1 FROM " + table + " LIMIT 1").empty()) continue;
      BENCHHUD_TRY(put_any_row(connection, table));
    }
  }
  return connection.execute(fmt::format("PRAGMA user_version = {}", version));
}

/// The same of the first version, without rows in tables that it had no use for.
inline Expected<void> make_first_store(Connection& connection) {
  BENCHHUD_TRY(connection.execute(migration_scripts().at(0)));
  BENCHHUD_TRY(connection.execute(kFirstVersionRows));
  return connection.execute("PRAGMA user_version = 1");
}

}  // namespace benchhud::schema
