#include "schema/store.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "schema/migrate.h"
#include "store_folder.h"

namespace benchhud::schema {

Expected<Connection> open_store(const std::string& path) {
  BENCHHUD_TRY(check_store_path(path));
  BENCHHUD_TRY(make_folder_of(path));
  BENCHHUD_ASSIGN(Connection connection, Connection::open(path, OpenMode::kReadWriteCreate));
  BENCHHUD_TRY(migrate(connection));
  return connection;
}

Expected<Connection> open_store_for_reading(const std::string& path) {
  BENCHHUD_TRY(check_store_path(path));
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
