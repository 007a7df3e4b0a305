#include "schema/store/unfinished_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "schema/base/system_error.h"
#include "schema/store/store_backup.h"

namespace benchhud::schema {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLockEnd = "-lock";

/// A name beside `path` that no other process on this machine takes.
std::string partial(const std::string& path) {
  return fmt::format("{}.{}.partial", path, getpid());
}

void remove_left_behind(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string lock_path = entry->path().string();
    if (!lock_path.ends_with(".partial" + std::string(kLockEnd))) continue;
    const auto lock = FileLock::try_take(lock_path);
    if (lock && *lock) remove_database(lock_path.substr(0, lock_path.size() - kLockEnd.size()));
  }
}

/// Renames a file, and replaces none. Gives the system's error, or 0.
int rename_to_free(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system cannot do so in one step.
  if (is_there(to)) return EEXIST;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

Expected<void> make_file_like(const std::string& like, const std::string& path) {
  constexpr mode_t kReadAndWrite = 0666;
  struct stat status{};
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    return Error{is_out_of_space(errno) ? ErrorCode::kFull : ErrorCode::kIo,
                 fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  }
  if (stat(like.c_str(), &status) == 0) {
    // Root's work for a service must stay the service's; for others this is refused.
    [[maybe_unused]] const int owned = fchown(file, status.st_uid, status.st_gid);
    [[maybe_unused]] const int moded = fchmod(file, status.st_mode & kReadAndWrite);
  }
  close(file);
  return {};
}

std::string free_name(const std::string& wanted, std::string_view end) {
  std::string name = fmt::format("{}{}", wanted, end);
  for (int more = 2; is_there(name); ++more) name = fmt::format("{}-{}{}", wanted, more, end);
  return name;
}

Expected<UnfinishedFile> UnfinishedFile::make(const std::string& name) {
  remove_left_behind(fs::path(name).parent_path());
  std::string path = partial(name);
  BENCHHUD_ASSIGN(auto lock, FileLock::try_take(path + std::string(kLockEnd)));
  if (!lock) return Error{ErrorCode::kBusy, path + " is being written by another process"};
  return UnfinishedFile(std::move(path), std::move(lock));
}

UnfinishedFile::UnfinishedFile(std::string path, std::optional<FileLock> lock)
    : lock_(std::move(lock)), path_(std::move(path)) {
  remove_database(path_);
}

UnfinishedFile::~UnfinishedFile() {
  if (!path_.empty()) remove_database(path_);
}

Expected<void> UnfinishedFile::keep_as(const std::string& name) {
  if (const int error = rename_to_free(path_, name); error != 0) {
    if (error == EEXIST) return Error{ErrorCode::kConflict, name + " is there already"};
    return Error{ErrorCode::kIo, fmt::format("cannot write {}: {}", name, std::strerror(error))};
  }
  keep();
  const fs::path folder = fs::path(name).parent_path();
  const int directory = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
  return {};
}

void remove_database(const std::string& path) {
  std::error_code ignored;
  for (const char* end : {"", "-wal", "-shm", "-journal"}) fs::remove(path + end, ignored);
}

}  // namespace benchhud::schema
