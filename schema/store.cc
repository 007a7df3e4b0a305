#include "schema/store.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "schema/migrate.h"

namespace benchhud::schema {

namespace {

// SQLite takes an empty path for a database that is gone at the end.
Expected<void> check_path(const std::string& path) {
  if (!path.empty()) return {};
  return Error{ErrorCode::kInvalidArgument, "the path of the store is empty"};
}

}  // namespace

Expected<Connection> open_store(const std::string& path) {
  BENCHHUD_TRY(check_path(path));
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      return Error{ErrorCode::kIo,
                   fmt::format("cannot make the folder {}: {}", folder.string(), error.message())};
    }
  }
  BENCHHUD_ASSIGN(Connection connection, Connection::open(path, OpenMode::kReadWriteCreate));
  BENCHHUD_TRY(migrate(connection));
  return connection;
}

Expected<Connection> open_store_for_reading(const std::string& path) {
  BENCHHUD_TRY(check_path(path));
  BENCHHUD_ASSIGN(Connection connection, Connection::open(path, OpenMode::kReadOnly));
  BENCHHUD_TRY(check_schema_version(connection));
  return connection;
}

Expected<void> check_schema_version(Connection& connection) {
  BENCHHUD_ASSIGN(const int version, schema_version_of(connection));
  if (version == schema_version()) return {};
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
