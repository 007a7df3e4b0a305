#include "schema/store/migrate.h"

#include <fmt/format.h>

#include "embedded/migrations.h"
#include "schema/db/audit_note.h"

namespace benchhud::schema {

namespace {

/// Other programs number their schemas as well. Error: kConflict.
Expected<void> check_is_ours(Connection& connection, int version) {
  Statement query = connection.prepare(
      "SELECT max(name), total(name IN ('setting', 'ingested_file')) FROM sqlite_schema");
  if (!query.step()) return query.status();
  const bool is_empty = query.is_null(0), has_our_tables = query.real(1) == 2;
  if (is_empty || (version > 0 && has_our_tables)) return {};
  return Error{ErrorCode::kConflict,
               fmt::format("the file is another program's database (it has a {}), not a store",
                           query.text(0))};
}

}  // namespace

int schema_version() { return static_cast<int>(embedded_migrations().size()); }

Expected<int> schema_version_of(Connection& connection) {
  static constexpr std::string_view kSql = "PRAGMA user_version";
  Statement statement = connection.cached(kSql);
  const int version = statement.step() ? static_cast<int>(statement.integer(0)) : 0;
  BENCHHUD_TRY(statement.status());
  if (version != schema_version()) BENCHHUD_TRY(check_is_ours(connection, version));
  return version;
}

Expected<void> migrate(Connection& connection, const KeepOlderStore& keep) {
  BENCHHUD_ASSIGN(const int before, schema_version_of(connection));
  if (before == schema_version()) return {};

  BENCHHUD_ASSIGN(Transaction transaction,
                  Transaction::begin(connection, Transaction::Kind::kWrite));
  // Another process may have migrated while this one waited for the lock.
  BENCHHUD_ASSIGN(const int found, schema_version_of(connection));
  if (found > schema_version()) {
    return Error{ErrorCode::kVersion,
                 fmt::format("the store has schema version {}, this program knows {}: it was "
                             "written by a newer benchhud",
                             found, schema_version())};
  }
  if (found == schema_version()) return {};
  std::string copy;
  if (found > 0 && keep) {
    BENCHHUD_ASSIGN(copy, keep(found));
  }
  // Migrations are embedded in the order of their names, which begin with their numbers.
  for (int version = found; version < schema_version(); ++version) {
    BENCHHUD_TRY(connection.execute(embedded_migrations()[version].bytes));
  }
  BENCHHUD_TRY(connection.execute(fmt::format("PRAGMA user_version = {}", schema_version())));
  if (found > 0) {
    BENCHHUD_TRY(note(connection, "migrate",
                      fmt::format("from schema {} to {}{}{}", found, schema_version(),
                                  copy.empty() ? "" : "; as it was: ", copy)));
  }
  return transaction.commit();
}

}  // namespace benchhud::schema
