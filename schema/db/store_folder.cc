#include "schema/db/store_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace benchhud::schema {

Expected<void> check_store_path(const std::string& path) {
  if (path.empty()) return Error{ErrorCode::kInvalidArgument, "the path of the store is empty"};
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is a folder; the store is a file, such as {}", path,
                           (std::filesystem::path(path) / "benchhud.db").string())};
}

Expected<void> make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return Error{ErrorCode::kIo,
               fmt::format("cannot make the folder {}: {}", folder.string(), error.message())};
}

}  // namespace benchhud::schema
