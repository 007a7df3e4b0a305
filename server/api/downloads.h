// Copies of the store for who downloads it.
#pragma once

#include <memory>
#include <semaphore>
#include <string>

#include "schema/base/byte_sink.h"
#include "schema/base/errors.h"
#include "schema/db/database.h"
#include "server/http/message.h"

namespace benchhud::server {

/// Threads may share it. Outlives its copies.
class Downloads {
 public:
  explicit Downloads(std::string store_path) : store_path_(std::move(store_path)) {}

  /// The right to make a copy, until it goes.
  class Copy {
   public:
    Copy(const std::string& store_path, std::binary_semaphore* turn)
        : store_path_(store_path), turn_(*turn) {}
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    ~Copy() { turn_.release(); }

    /// Copies the store that `connection` reads, without its secrets (schema::copy_to_share()), and
    /// gives the copy's bytes to `take` until they end or are not wanted. Errors: kFull, kIo.
    schema::Expected<void> send(schema::Connection& connection, const schema::ByteSink& take) const;

   private:
    const std::string& store_path_;
    std::binary_semaphore& turn_;
  };

  /// Errors: kBusy where another copy is made or sent, for each takes as much of the disk as the
  /// store; kFull where there is no room for one.
  schema::Expected<std::shared_ptr<const Copy>> begin();

 private:
  const std::string store_path_;
  std::binary_semaphore turn_{1};
};

}  // namespace benchhud::server
