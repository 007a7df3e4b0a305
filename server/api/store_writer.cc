#include "server/api/store_writer.h"

#include <utility>

#include "schema/base/caught_error.h"
#include "schema/store/store.h"
#include "server/api/store_pool.h"

namespace benchhud::server {
namespace {

using schema::Error;
using schema::ErrorCode;
using schema::Expected;

Error busy() {
  return {ErrorCode::kBusy,
          "Something else is writing to the store; nothing was changed. Try again in a moment."};
}

/// The error in the words of who asked for a change.
Error told(Error error) {
  if (error.code == ErrorCode::kBusy) return busy();
  if (error.code == ErrorCode::kReadOnly) {
    return {ErrorCode::kForbidden, "The server may not write to its store; nothing was changed."};
  }
  return error;
}

}  // namespace

/// The right to use the connection, until it is gone; or not, where the others took too long.
class StoreWriter::Turn {
 public:
  explicit Turn(StoreWriter& writer) : writer_(writer) {
    std::unique_lock lock(writer_.mutex_);
    came_ = writer_.done_.wait_for(lock, writer_.patience_, [&] { return !writer_.is_writing_; });
    if (came_) writer_.is_writing_ = true;
  }

  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  ~Turn() {
    if (!came_) return;
    {
      const std::lock_guard lock(writer_.mutex_);
      writer_.is_writing_ = false;
    }
    writer_.done_.notify_one();
  }

  bool came() const { return came_; }

 private:
  StoreWriter& writer_;
  bool came_ = false;
};

Expected<std::string> StoreWriter::write(const Work& work) {
  const Turn turn(*this);
  if (!turn.came()) return busy();
  if (!connection_) {
    auto opened = schema::open_store_for_writing(path_, patience_);
    if (!opened) return told(without_folder(std::move(opened).error(), path_));
    connection_ = *std::move(opened);
  }
  // A newer program may have migrated the store since.
  auto done = schema::caught([&]() -> Expected<std::string> {
    BENCHHUD_TRY(schema::check_schema_version(*connection_));
    return work(*connection_);
  });
  if (done) return done;
  // Another connection may do better.
  if (!connection_->is_sound() || done.error().code == ErrorCode::kVersion) connection_.reset();
  return told(std::move(done).error());
}

}  // namespace benchhud::server
