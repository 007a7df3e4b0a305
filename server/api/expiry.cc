#include "server/api/expiry.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "schema/base/caught_error.h"
#include "schema/base/time.h"
#include "schema/store/store.h"
#include "trace/dropped_trace.h"

namespace benchhud::server {
namespace {

using schema::Expected;
using trace::Removal;

constexpr std::chrono::milliseconds kBetweenLooks{30'000};
constexpr std::chrono::milliseconds kAfterBusy{1000};
constexpr std::chrono::milliseconds kPatienceForLock{1000};
// Failures that are remembered, so that each is told once.
constexpr std::size_t kMostTold = 1000;

}  // namespace

Expiry::Expiry(std::string store_path)
    : store_path_(std::move(store_path)), thread_([this] { work(); }) {}

Expiry::~Expiry() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool Expiry::is_stopping() {
  const std::scoped_lock lock(mutex_);
  return stopping_;
}

void Expiry::tell(const std::string& failure) {
  if (told_.size() >= kMostTold || !told_.insert(failure).second) return;
  fmt::print(stderr, "benchhud: {}\n", failure);
}

std::chrono::milliseconds Expiry::look() {
  const auto remove = [&]() -> Expected<Removal> {
    // A store that cannot be read is told to those who ask for something. Writing begins only where
    // there is something to remove.
    auto reading = schema::open_store_for_reading(store_path_);
    if (!reading) return Removal{};
    BENCHHUD_ASSIGN(const auto expired, trace::expired_traces(*reading, schema::now()));
    if (expired.empty()) return Removal{};
    BENCHHUD_ASSIGN(auto store, schema::open_store_for_writing(store_path_, kPatienceForLock));
    return trace::remove_expired_traces(store, schema::now(), [this] { return !is_stopping(); });
  };
  // Nothing that is thrown leaves the thread.
  const auto done = schema::caught(remove);
  if (done) {
    for (const std::string& failure : done->failures) tell(failure);
    return kBetweenLooks;
  }
  if (done.error().code == schema::ErrorCode::kBusy) return kAfterBusy;
  tell(fmt::format("Expired traces could not be removed: {}.", done.error().message));
  return kBetweenLooks;
}

void Expiry::work() {
  for (;;) {
    const std::chrono::milliseconds pause = look();
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, pause, [this] { return stopping_; })) return;
  }
}

}  // namespace benchhud::server
