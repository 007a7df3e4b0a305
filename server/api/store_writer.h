// The one connection to the store that writes, opened when something is first to be written.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::server {

/// Threads may share it.
class StoreWriter {
 public:
  using Work = std::function<schema::Expected<std::string>(schema::Connection&)>;

  /// `patience`: how long a change waits for the one before it, and then for other programs.
  StoreWriter(std::string path, std::chrono::milliseconds patience)
      : path_(std::move(path)), patience_(patience) {}

  /// Does `work`, one at a time, and gives what it gives. Errors: kBusy when others write for too
  /// long, kForbidden where the store may not be written to, those of opening it, those of the
  /// work.
  schema::Expected<std::string> write(const Work& work);

 private:
  class Turn;

  const std::string path_;
  const std::chrono::milliseconds patience_;
  // Not a timed_mutex: g++ 12's ThreadSanitizer does not see how that is locked, only the
  // unlocking.
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_writing_ = false;
  std::optional<schema::Connection> connection_;  // of the one who is writing
};

}  // namespace benchhud::server
