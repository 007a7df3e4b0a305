// Read-only connections to the store, lent to one request at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema/base/errors.h"
#include "schema/db/database.h"

namespace benchhud::server {

/// An error about the file at `path` as those are told it who know nothing of where it lies:
/// without the folder.
schema::Error without_folder(schema::Error error, const std::string& path);

/// Threads may share it.
class StorePool {
 public:
  enum class Buffer { kUsual, kSmall };

  /// A connection, given back when this goes; closed where it is no longer sound, so that what
  /// failed once does not fail until the server is restarted.
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    schema::Connection& connection() { return connection_; }

   private:
    friend class StorePool;
    Lease(StorePool* pool, schema::Connection connection)
        : pool_(pool), connection_(std::move(connection)) {}
    StorePool* pool_;
    schema::Connection connection_;
  };

  /// At most `limit` connections are open at once; who wants one more waits.
  /// `buffer`: how much of what it reads each connection keeps.
  StorePool(std::string path, std::size_t limit, Buffer buffer = Buffer::kUsual)
      : path_(std::move(path)), limit_(limit), buffer_(buffer) {
    idle_.reserve(limit);  // so that giving one back never lacks memory
  }

  static constexpr auto kHoweverLong = std::chrono::milliseconds::max();
  /// Errors: kBusy, none was given back within `patience`, or with a patience that ends as many as
  /// there are connections wait already; those of schema::open_store_for_reading.
  schema::Expected<Lease> borrow(std::chrono::milliseconds patience = kHoweverLong);

 private:
  schema::Expected<schema::Connection> open() const;
  void give_back(schema::Connection connection);

  const std::string path_;
  const std::size_t limit_;
  const Buffer buffer_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<schema::Connection> idle_;
  std::size_t open_ = 0;
  std::size_t patient_ = 0;  // who waits with a patience that ends
};

}  // namespace benchhud::server
