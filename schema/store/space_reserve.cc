#include "schema/store/space_reserve.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "schema/base/file_size.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLeastBytes = 4 << 20;
constexpr std::uintmax_t kMostBytes = 64 << 20;
constexpr std::uintmax_t kPartOfStore = 4;
constexpr std::uintmax_t kTimesFree = 8;

/// Beside the file that the store is, by whatever link it is named.
std::string reserve_path(const std::string& store) {
  std::error_code error;
  const auto path = fs::weakly_canonical(store, error);
  return (error ? store : path.string()) + "-reserve";
}

/// Bytes that this user may still write there; 0 if that is not known.
std::uintmax_t free_bytes(const std::string& path) {
  std::error_code error;
  const auto space = fs::space(fs::path(path).parent_path(), error);
  return error ? 0 : space.available;
}

}  // namespace

void keep_space_reserve(const std::string& store) {
  const std::string path = reserve_path(store);
  const auto wanted = std::clamp(file_size(store) / kPartOfStore, kLeastBytes, kMostBytes);
  const auto held = file_size(path);
  // Not for every page that the store grows by.
  if (held >= wanted || (held > 0 && held >= wanted / 2 && wanted < kMostBytes)) return;
  if (free_bytes(path) / kTimesFree < wanted) return;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  const bool is_made = posix_fallocate(file, 0, static_cast<off_t>(wanted)) == 0;
  close(file);
  if (!is_made) unlink(path.c_str());
}

bool use_space_reserve(const std::string& store) {
  const std::string path = reserve_path(store);
  if (free_bytes(path) >= std::max(file_size(path), kLeastBytes)) return false;
  unlink(path.c_str());
  return true;
}

}  // namespace benchhud::schema
