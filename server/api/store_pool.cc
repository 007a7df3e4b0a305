#include "server/api/store_pool.h"

#include <boost/algorithm/string/erase.hpp>

#include "schema/base/caught_error.h"
#include "schema/db/buffered_reading.h"
#include "schema/store/store.h"

namespace benchhud::server {

StorePool::Lease::~Lease() {
  if (pool_ != nullptr) pool_->give_back(std::move(connection_));
}

schema::Error without_folder(schema::Error error, const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  if (folder.size() >= 2) boost::erase_all(error.message, folder);
  return error;
}

schema::Expected<schema::Connection> StorePool::open() const {
  auto opened = schema::open_store_for_reading(path_);
  if (!opened) return without_folder(std::move(opened).error(), path_);
  auto connection = *std::move(opened);
  if (buffer_ == Buffer::kSmall) BENCHHUD_TRY(schema::read_with_small_buffer(connection));
  return connection;
}

schema::Expected<StorePool::Lease> StorePool::borrow(std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mutex_);
    const auto is_any = [this] { return !idle_.empty() || open_ < limit_; };
    if (patience == kHoweverLong) {
      returned_.wait(lock, is_any);
    } else if (!is_any()) {
      // Who waits holds a thread of the server, which others need.
      ++patient_;
      const bool came = patient_ <= limit_ && returned_.wait_for(lock, patience, is_any);
      --patient_;
      if (!came) {
        return schema::Error{schema::ErrorCode::kBusy,
                             "Others are reading as much as may be read at once. Try again later."};
      }
    }
    if (!idle_.empty()) {
      // The one used last: its page cache is warm.
      Lease lease(this, std::move(idle_.back()));
      idle_.pop_back();
      return lease;
    }
    ++open_;
  }
  auto connection = schema::caught([this] { return open(); });
  if (!connection) {
    const std::scoped_lock lock(mutex_);
    --open_;
    returned_.notify_one();
    return std::move(connection).error();
  }
  return Lease(this, *std::move(connection));
}

void StorePool::give_back(schema::Connection connection) {
  const std::scoped_lock lock(mutex_);
  if (connection.is_sound()) {
    idle_.push_back(std::move(connection));
  } else {
    --open_;  // the next one who wants it opens another
  }
  returned_.notify_one();
}

}  // namespace benchhud::server
