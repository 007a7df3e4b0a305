#include "schema/store/free_space.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

namespace benchhud::schema {
namespace {

Expected<std::int64_t> number_of(Connection& connection, std::string_view pragma) {
  Statement query = connection.prepare(pragma);
  const std::int64_t number = query.step() ? query.integer(0) : 0;
  BENCHHUD_TRY(query.status());
  return number;
}

}  // namespace

Expected<std::int64_t> free_bytes(Connection& connection) {
  BENCHHUD_ASSIGN(const auto pages, number_of(connection, "PRAGMA freelist_count"));
  BENCHHUD_ASSIGN(const auto size, number_of(connection, "PRAGMA page_size"));
  return pages * size;
}

Expected<void> give_back_space(Connection& connection, const std::string& path) {
  BENCHHUD_ASSIGN(const auto pages, number_of(connection, "PRAGMA page_count"));
  BENCHHUD_ASSIGN(const auto size, number_of(connection, "PRAGMA page_size"));
  BENCHHUD_ASSIGN(const auto unused, free_bytes(connection));
  const auto needed = static_cast<std::uintmax_t>(pages * size - unused);
  std::error_code error;
  const auto folder = std::filesystem::path(path).parent_path();
  const auto space = std::filesystem::space(folder.empty() ? "." : folder, error);
  if (!error && space.available < needed) {
    return Error{ErrorCode::kFull,
                 fmt::format("no space is given back: the store is rewritten for that, which "
                             "takes {} MB beside it, and {} MB are free",
                             needed / 1'000'000, space.available / 1'000'000)};
  }
  // The new copy is made in a temporary file first: not in memory, where it may have no room.
  BENCHHUD_TRY(connection.execute("PRAGMA temp_store = FILE"));
  const auto written = connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  BENCHHUD_TRY(connection.execute("PRAGMA temp_store = MEMORY"));
  return written;
}

}  // namespace benchhud::schema
