#include "schema/base/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "schema/base/system_error.h"

namespace benchhud::schema {
namespace {

Error cannot_lock(const std::string& path, int error) {
  return {error_code_of(error), fmt::format("cannot lock {}: {}", path, std::strerror(error))};
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

Expected<bool> try_lock(int file, const std::string& path) {
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return cannot_lock(path, errno);
  }
  return true;
}

Expected<std::optional<FileLock>> FileLock::try_take(const std::string& path, mode_t mode) {
  for (;;) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file < 0) return cannot_lock(path, errno);
    const Expected<bool> is_locked = try_lock(file, path);
    // The holder before may have deleted the file between our opening and our locking it.
    struct stat opened{}, named{};
    if (is_locked && *is_locked && fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
        is_same_file(opened, named)) {
      return std::optional(FileLock(path, file));
    }
    close(file);
    if (!is_locked) return is_locked.error();
    if (!*is_locked) return std::optional<FileLock>();
  }
}

FileLock::~FileLock() {
  if (file_ < 0) return;
  // First the name, then the lock: whoever waits then finds that the file it has opened is no more.
  unlink(path_.c_str());
  close(file_);
}

Expected<void> FileLock::write(std::string_view text) {
  if (ftruncate(file_, 0) == 0 && pwrite(file_, text.data(), text.size(), 0) >= 0) return {};
  return cannot_lock(path_, errno);
}

}  // namespace benchhud::schema
