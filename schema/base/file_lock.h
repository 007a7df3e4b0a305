// Locks on files that end with their process, however that ends.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "schema/base/errors.h"

namespace benchhud::schema {

/// Tries once to take the exclusive lock (flock) of the open file `file`, which is named `path`. It
/// is held until the file is closed. False where somebody else holds it. Errors, where it cannot be
/// had at all, as on a file system without locks: kIo, kReadOnly, kFull.
Expected<bool> try_lock(int file, const std::string& path);

/// A file that exists to be locked: made with the lock, deleted with it. One that a killed process
/// left locks nobody out.
class FileLock {
 public:
  /// Tries once to take the lock of the file `path`, which is made with the permissions `mode` if
  /// it is not there. Nothing where somebody else holds it. Errors: kReadOnly, kFull, kIo.
  static Expected<std::optional<FileLock>> try_take(const std::string& path, mode_t mode = 0600);

  FileLock(FileLock&& other) noexcept
      : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  /// Replaces what the file says, for those who find it locked. Errors: kFull, kIo.
  Expected<void> write(std::string_view text);

 private:
  FileLock(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_;  // -1: moved from
};

}  // namespace benchhud::schema
