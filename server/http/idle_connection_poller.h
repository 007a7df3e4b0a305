// Where connections are while there is nothing to do for them. They hold no thread there, and have
// their turns in the order in which there is something to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "schema/base/errors.h"
#include "server/http/connection.h"

namespace benchhud::server {

/// Threads may share it.
class IdleConnectionPoller {
 public:
  /// Error: kIo where the system has no more files for it.
  static schema::Expected<std::unique_ptr<IdleConnectionPoller>> make(const HttpOptions& options);
  IdleConnectionPoller(const IdleConnectionPoller&) = delete;
  IdleConnectionPoller& operator=(const IdleConnectionPoller&) = delete;
  ~IdleConnectionPoller();

  /// The connection waits for what it waits for. Where all of them hold too much memory, those that
  /// have waited for the longest are closed.
  void enter(std::unique_ptr<Connection> connection);
  /// Waits for a connection for which there is something to do; null once the room is closed.
  std::unique_ptr<Connection> next();

  /// Those that have waited longer than they may.
  std::vector<std::unique_ptr<Connection>> overdue();
  /// Closes one that can best be spared; false where there is none: of those that are idle the one
  /// that has been for the longest, or one whose request has not come for a second.
  bool make_place();
  /// Closes all that have nothing unsent.
  void clear();
  /// Every next() gives null from here on.
  void close();

 private:
  IdleConnectionPoller(const HttpOptions& options, int poll, int bell);
  using Place = std::unordered_map<std::uint64_t, std::unique_ptr<Connection>>::iterator;
  std::unique_ptr<Connection> take(Place place);
  void close_one(Place place);
  void save_memory();

  const HttpOptions& options_;
  const int poll_;
  const int bell_;  // rings when the room is closed
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> waiting_;
  std::uint64_t last_number_ = 0;
  std::size_t held_bytes_ = 0;  // by who waits
};

}  // namespace benchhud::server
