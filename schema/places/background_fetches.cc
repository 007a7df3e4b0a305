#include "schema/places/background_fetches.h"

#include <fmt/format.h>

#include <optional>
#include <thread>
#include <utility>

#include "schema/base/caught_error.h"

namespace benchhud::schema {

using std::chrono::steady_clock;

namespace {

using Object = std::shared_ptr<const CachedObject>;

}  // namespace

struct BackgroundFetches::Fetch {
  const steady_clock::time_point began = steady_clock::now();
  std::size_t waiting = 0;
  // None: it is under way. The object is kept for those who wait, so that it is there when they
  // get to it: null where nobody did.
  std::optional<Expected<Object>> result;
  std::thread thread;
};

BackgroundFetches::~BackgroundFetches() { end(); }

void BackgroundFetches::end() {
  std::map<std::string, std::shared_ptr<Fetch>> fetches;
  {
    const std::scoped_lock lock(mutex_);
    gives_up_ = true;
    fetches.swap(fetches_);
  }
  for (const auto& [name, fetch] : fetches) fetch->thread.join();
}

/// The caller holds the mutex, as for the next one.
void BackgroundFetches::remove_ended() {
  std::erase_if(fetches_, [](const auto& each) {
    if (!each.second->result) return false;
    each.second->thread.join();  // it has nothing to do any more
    return true;
  });
}

void BackgroundFetches::begin(const std::shared_ptr<Fetch>& fetch, const ObjectName& object,
                              const OpenPlace& open) {
  const auto gives_up = [this] {
    const std::scoped_lock lock(mutex_);
    return gives_up_;
  };
  fetch->thread = std::thread([this, fetch = fetch.get(), object, open, gives_up] {
    Expected<Object> done = caught([&]() -> Expected<Object> {
      BENCHHUD_ASSIGN(const auto place, open(gives_up));
      BENCHHUD_ASSIGN(CachedObject got, cache_.get(*place, object));
      return std::make_shared<const CachedObject>(std::move(got));
    });
    const std::scoped_lock lock(mutex_);
    if (fetch->waiting == 0 && done) done = Object();
    fetch->result = std::move(done);
    ended_.notify_all();
  });
}

Expected<Object> BackgroundFetches::wait_for(const ObjectName& object, const OpenPlace& open) {
  const std::string name = object.hash.hex();
  std::unique_lock lock(mutex_);
  remove_ended();
  if (gives_up_) return Error{ErrorCode::kUnavailable, "The program ends."};
  auto found = fetches_.find(name);
  if (found == fetches_.end()) {
    if (fetches_.size() >= kMostAtOnce) {
      return Error{ErrorCode::kUnavailable,
                   fmt::format("{} is not there yet, and {} others are being fetched. Try again in "
                               "a few seconds.",
                               object.key, fetches_.size())};
    }
    found = fetches_.emplace(name, std::make_shared<Fetch>()).first;
    try {
      begin(found->second, object, open);
    } catch (...) {
      fetches_.erase(found);
      throw;
    }
  }
  const std::shared_ptr<Fetch> fetch = found->second;
  if (waiting_ < kMostWaiting) {
    ++waiting_;
    ++fetch->waiting;
    ended_.wait_until(lock, fetch->began + patience_, [&] { return fetch->result.has_value(); });
    --waiting_;
    --fetch->waiting;
    if (fetch->result) {
      Expected<Object> result = *fetch->result;
      if (fetch->waiting == 0 && result) fetch->result = Object();
      return result;
    }
  }
  const auto since = std::chrono::floor<std::chrono::seconds>(steady_clock::now() - fetch->began);
  return Error{ErrorCode::kUnavailable,
               fmt::format("{} is being fetched: {} bytes, begun {} s ago. Try again in a few "
                           "seconds.",
                           object.key, object.byte_count, since.count())};
}

}  // namespace benchhud::schema
