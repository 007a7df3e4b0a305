#include "schema/store_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "schema/system_error.h"
#include "schema/time.h"
#include "store_folder.h"

namespace benchhud::schema {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstPause{5};
constexpr milliseconds kLongestPause{100};
constexpr milliseconds kSilence{1000};  // before somebody is told that it waits

/// Named after the file that the store is, by whatever links it is named.
std::string lock_path(const std::string& store) {
  std::error_code error;
  const auto path = std::filesystem::weakly_canonical(store, error);
  return (error ? store : path.string()) + "-lock";
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Error cannot_lock(const std::string& path, int error) {
  return {error == EACCES || error == EROFS || error == EPERM ? ErrorCode::kReadOnly
          : is_out_of_space(error)                            ? ErrorCode::kFull
                                                              : ErrorCode::kIo,
          fmt::format("cannot lock the store with {}: {}", path, std::strerror(error))};
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Who may write the store may lock it.
mode_t mode_of_lock(const std::string& store) {
  struct stat status{};
  constexpr mode_t kAnybodysReading = 0666;
  return stat(store.c_str(), &status) == 0 ? status.st_mode & kAnybodysReading : kAnybodysReading;
}

/// The locked file, or nothing where another process has the lock.
Expected<std::optional<int>> try_lock(const std::string& path, mode_t mode) {
  for (;;) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file < 0) return cannot_lock(path, errno);
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      close(file);
      if (reason == EINTR) continue;
      if (reason != EWOULDBLOCK) return cannot_lock(path, reason);
      return std::optional<int>();
    }
    // Who had it before may have deleted the file between our opening and our locking it.
    struct stat opened{}, named{};
    if (fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
        is_same_file(opened, named)) {
      return std::optional(file);
    }
    close(file);
  }
}

/// What who has the lock says of itself.
std::string holder_of(const std::string& path) {
  std::array<char, 512> text{};
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  const ssize_t count = file < 0 ? 0 : pread(file, text.data(), text.size(), 0);
  if (file >= 0) close(file);
  return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count))
                   : std::string("another process");
}

/// What the holder writes into the file, and others are told.
std::string signature(std::string_view work) {
  return fmt::format("{}, pid {} on {}, since {}", work, getpid(), host_name(),
                     format_time(std::floor(now())));
}

}  // namespace

Expected<StoreLock> StoreLock::take(const std::string& store, std::string_view work,
                                    const LockPatience& patience) {
  BENCHHUD_TRY(check_store_path(store));
  BENCHHUD_TRY(make_folder_of(store));
  const std::string path = lock_path(store), turn_path = path + "-next";
  const mode_t mode = mode_of_lock(store);
  const auto begin = steady_clock::now();
  // Without turns, who works file after file would have the lock again before who waits looks.
  std::optional<StoreLock> turn;
  bool is_told = false;
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    if (!turn) {
      BENCHHUD_ASSIGN(const std::optional<int> file, try_lock(turn_path, mode));
      if (file) turn.emplace(StoreLock(turn_path, *file));
    }
    if (turn) {
      BENCHHUD_ASSIGN(const std::optional<int> file, try_lock(path, mode));
      if (file) {
        StoreLock lock(path, *file);
        const std::string text = signature(work);
        if (ftruncate(*file, 0) != 0 || pwrite(*file, text.data(), text.size(), 0) < 0) {
          return cannot_lock(path, errno);
        }
        return lock;
      }
    }
    const auto waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
    if (waited >= patience.longest || (patience.gives_up && patience.gives_up())) {
      return Error{ErrorCode::kBusy,
                   fmt::format("the store {} is being worked on: {}; waited {} s, nothing was done",
                               store, holder_of(path),
                               std::chrono::duration_cast<std::chrono::seconds>(waited).count())};
    }
    if (!is_told && patience.on_wait && waited >= kSilence) {
      patience.on_wait(holder_of(path));
      is_told = true;
    }
    std::this_thread::sleep_for(std::min(pause, patience.longest - waited));
  }
}

StoreLock::StoreLock(StoreLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

StoreLock::~StoreLock() {
  if (file_ < 0) return;
  // First the name, then the lock: who waits then finds that the file it has opened is no more.
  unlink(path_.c_str());
  close(file_);
}

}  // namespace benchhud::schema
