#include "schema/store/store_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "schema/base/time.h"
#include "schema/db/store_folder.h"
#include "schema/store/store.h"

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

/// Who may write the store may lock it.
mode_t mode_of_lock(const std::string& store) {
  struct stat status{};
  constexpr mode_t kAnybodysReading = 0666;
  return stat(store.c_str(), &status) == 0 ? status.st_mode & kAnybodysReading : kAnybodysReading;
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
  std::optional<FileLock> turn;
  bool is_reported = false;
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    if (!turn) {
      BENCHHUD_ASSIGN(auto taken, FileLock::try_take(turn_path, mode));
      if (taken) turn.emplace(*std::move(taken));
    }
    if (turn) {
      BENCHHUD_ASSIGN(auto lock, FileLock::try_take(path, mode));
      if (lock) {
        BENCHHUD_TRY(lock->write(signature(work)));
        return StoreLock(*std::move(lock));
      }
    }
    const auto waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
    if (waited >= patience.longest || (patience.gives_up && patience.gives_up())) {
      return Error{
          ErrorCode::kBusy,
          fmt::format("the store {} is being worked on: {}; waited {} s", store, holder_of(path),
                      std::chrono::duration_cast<std::chrono::seconds>(waited).count())};
    }
    if (!is_reported && patience.on_wait && waited >= kSilence) {
      patience.on_wait(holder_of(path));
      is_reported = true;
    }
    std::this_thread::sleep_for(std::min(pause, patience.longest - waited));
  }
}

Expected<StoreLock> StoreTurns::take(Connection& connection) const {
  BENCHHUD_ASSIGN(StoreLock lock, StoreLock::take(store_, work_, patience_));
  BENCHHUD_TRY(check(connection));
  return lock;
}

Expected<void> StoreTurns::check(Connection& connection) const {
  if (connection.has_moved()) {
    return Error{
        ErrorCode::kBusy,
        fmt::format("another file has taken the place of the store {} meanwhile; what was written "
                    "before is in the one that was there",
                    store_)};
  }
  return check_schema_version(connection);
}

}  // namespace benchhud::schema
