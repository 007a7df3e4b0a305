// The right to do long work on a store, such as taking a night in: one process at a time has it.
// Changes of a moment (a label, what somebody says of an alert) do without; SQLite's own lock puts
// them between two files. Who only reads never asks for it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "schema/base/errors.h"
#include "schema/base/file_lock.h"
#include "schema/db/database.h"

namespace benchhud::schema {

/// How long a lock is waited for.
struct LockPatience {
  std::chrono::milliseconds longest{0};
  /// Told once, after the first second, who has it and since when.
  std::function<void(const std::string&)> on_wait;
  /// Asked ten times a second or oftener: true ends the wait.
  std::function<bool()> gives_up;
};

/// Held while it lives. The lock is the kernel's (flock) on a file beside the store, so it ends
/// with its process, however that ends; the file is deleted with the lock, and one that a killed
/// process left locks nobody out.
class StoreLock {
 public:
  /// Takes the lock of the store at `store`, which need not be there yet (folders above it are
  /// made), for `work`, two or three words that others are told. Where another process has it, it
  /// is tried again, at growing intervals of at most a tenth of a second. One of those who wait has
  /// the next turn (a lock of its own), so nobody who comes later goes before it. Errors: kBusy,
  /// saying who has it and since when; kReadOnly, kFull, kIo.
  static Expected<StoreLock> take(const std::string& store, std::string_view work,
                                  const LockPatience& patience);

 private:
  explicit StoreLock(FileLock lock) : lock_(std::move(lock)) {}

  FileLock lock_;
};

/// The lock of one store, taken for one piece of work after the other: others have it in between.
class StoreTurns {
 public:
  /// `store`, `work`, `patience`: as of StoreLock::take(), each time.
  StoreTurns(std::string store, std::string work, LockPatience patience)
      : store_(std::move(store)), work_(std::move(work)), patience_(std::move(patience)) {}

  /// `connection`: an open one to the store. Errors: as StoreLock::take(); kBusy also where
  /// somebody put another file in the place of the store's since it was opened; kVersion where it
  /// was migrated by a newer program.
  Expected<StoreLock> take(Connection& connection) const;
  /// For who has had the lock for a while: the last two of those errors.
  Expected<void> check(Connection& connection) const;

 private:
  std::string store_, work_;
  LockPatience patience_;
};

}  // namespace benchhud::schema
