#include "schema/store/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "schema/db/store_folder.h"
#include "schema/store/free_space.h"
#include "schema/store/migrate.h"
#include "schema/store/store_backup.h"

namespace benchhud::schema {

namespace {

/// To open a database for writing is to give it a log: another program's stays as it is. Error:
/// kConflict.
Expected<void> check_is_not_of_others(const std::string& path) {
  auto connection = Connection::open(path, OpenMode::kReadOnly);
  if (!connection) return {};
  const auto version = schema_version_of(*connection);
  if (!version && version.error().code == ErrorCode::kConflict) return version.error();
  return {};
}

}  // namespace

Expected<Connection> open_store(const std::string& path) {
  BENCHHUD_TRY(check_store_path(path));
  BENCHHUD_TRY(check_is_not_of_others(path));
  BENCHHUD_TRY(make_folder_of(path));
  BENCHHUD_ASSIGN(Connection connection, Connection::open(path, OpenMode::kReadWriteCreate));
  KeptCopy copy;
  const auto migrated = migrate(connection, [&](int version) -> Expected<std::string> {
    auto kept = keep_copy(path, copy_before_migration(path, schema_version()));
    if (!kept) {
      return Error{kept.error().code,
                   fmt::format("the store stays as it is, of schema version {}: before a migration "
                               "to {} it is copied, which failed: {}",
                               version, schema_version(), kept.error().message)};
    }
    copy = *std::move(kept);
    return copy.path;
  });
  if (!migrated) {
    // The store is as the copy has it.
    std::error_code ignored;
    if (copy.is_new) std::filesystem::remove(copy.path, ignored);
    return migrated.error();
  }
  // An older program made it. Where there is no room to write it anew it stays as it is, which
  // doctor tells.
  if (!connection.has_page_checksums()) (void)give_back_space(connection, path);
  return connection;
}

namespace {

/// The error, or what is behind it where SQLite only says that it may not write.
Error why_not_readable(Error error, const std::string& path) {
  if (error.code != ErrorCode::kReadOnly && error.code != ErrorCode::kIo) return error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string name = folder.empty() ? "." : folder.string();
  if (::access(path.c_str(), R_OK) != 0 || ::access(name.c_str(), W_OK) == 0) return error;
  return {ErrorCode::kReadOnly,
          fmt::format("{} cannot be read: readers share a log with who writes, and it cannot be "
                      "made in the store's folder ({}). Let this user write there, or copy the "
                      "store to where it may",
                      std::filesystem::path(path).filename().string(), std::strerror(errno))};
}

}  // namespace

Expected<Connection> open_store_for_reading(const std::string& path) {
  BENCHHUD_TRY(check_store_path(path));
  auto connection = Connection::open(path, OpenMode::kReadOnly);
  if (!connection) return why_not_readable(std::move(connection).error(), path);
  if (auto readable = check_schema_version(*connection); !readable) {
    return why_not_readable(std::move(readable).error(), path);
  }
  return connection;
}

Expected<Connection> open_store_for_writing(const std::string& path,
                                            std::chrono::milliseconds patience) {
  BENCHHUD_TRY(check_store_path(path));
  BENCHHUD_ASSIGN(Connection connection, Connection::open(path, OpenMode::kReadWrite));
  connection.set_patience(patience);
  BENCHHUD_TRY(check_schema_version(connection));
  return connection;
}

Expected<void> check_schema_version(Connection& connection) {
  BENCHHUD_ASSIGN(const int version, schema_version_of(connection));
  if (version == schema_version()) return {};
  if (version == 0) {
    return Error{ErrorCode::kVersion,
                 "the file is empty and no store yet; any `benchhud ingest` makes one of it"};
  }
  return Error{ErrorCode::kVersion,
               fmt::format("the store has schema version {}, this program reads {}{}", version,
                           schema_version(),
                           version < schema_version()
                               ? "; any `benchhud ingest` migrates it"
                               : ": a newer benchhud wrote it, restart with that one")};
}

std::string default_store_path() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (const std::string path = variable("BENCHHUD_DB"); !path.empty()) return path;
  std::filesystem::path data = variable("XDG_DATA_HOME");
  // The XDG base directory specification says to ignore relative paths.
  if (!data.is_absolute()) {
    const std::string home = variable("HOME");
    data = home.empty() ? std::filesystem::path(".")
                        : std::filesystem::path(home) / ".local" / "share";
  }
  return (data / "benchhud" / "benchhud.db").string();
}

}  // namespace benchhud::schema
