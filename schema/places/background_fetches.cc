#include "schema/places/background_fetches.h"

#include <fmt/format.h>

#include <optional>
#include <thread>
#include <utility>

#include "schema/base/caught_error.h"

namespace benchhud::schema {

using std::chrono::steady_clock;

struct BackgroundFetches::Fetch {
  const steady_clock::time_point began = steady_clock::now();
  std::optional<Expected<void>> result;  // none: it is under way
  std::thread thread;
};

BackgroundFetches::~BackgroundFetches() {
  {
    const std::scoped_lock lock(mutex_);
    gives_up_ = true;
  }
  for (const auto& [name, fetch] : fetches_) fetch->thread.join();
}

/// The caller holds the mutex, as for the next one.
void BackgroundFetches::remove_ended() {
  std::erase_if(fetches_, [](const auto& each) {
    if (!each.second->result) return false;
    each.second->thread.join();  // it has nothing to do any more
    return true;
  });
}

std::shared_ptr<BackgroundFetches::Fetch> BackgroundFetches::begin(const ObjectName& object,
                                                                   const OpenPlace& open) {
  auto fetch = std::make_shared<Fetch>();
  const auto gives_up = [this] {
    const std::scoped_lock lock(mutex_);
    return gives_up_;
  };
  const auto run = [this, fetch = fetch.get(), object, open, gives_up] {
    Expected<void> done = caught([&]() -> Expected<void> {
      BENCHHUD_ASSIGN(const auto place, open(gives_up));
      BENCHHUD_ASSIGN([[maybe_unused]] const CachedObject got, cache_.get(*place, object));
      return {};
    });
    const std::scoped_lock lock(mutex_);
    fetch->result = std::move(done);
    ended_.notify_all();
  };
  fetch->thread = std::thread(run);
  return fetch;
}

Expected<void> BackgroundFetches::wait_for(const ObjectName& object, const OpenPlace& open) {
  const std::string name = object.hash.hex();
  std::unique_lock lock(mutex_);
  remove_ended();
  auto found = fetches_.find(name);
  if (found == fetches_.end()) {
    if (fetches_.size() >= kMostAtOnce) {
      return Error{ErrorCode::kUnavailable,
                   fmt::format("{} is not there yet, and {} others are being fetched. Try again in "
                               "a few seconds.",
                               object.key, fetches_.size())};
    }
    found = fetches_.emplace(name, begin(object, open)).first;
  }
  const std::shared_ptr<Fetch> fetch = found->second;
  ended_.wait_until(lock, fetch->began + patience_, [&] { return fetch->result.has_value(); });
  if (fetch->result) return *fetch->result;
  const auto since = std::chrono::floor<std::chrono::seconds>(steady_clock::now() - fetch->began);
  return Error{ErrorCode::kUnavailable,
               fmt::format("{} is being fetched: {} bytes, begun {} s ago. Try again in a few "
                           "seconds.",
                           object.key, object.byte_count, since.count())};
}

}  // namespace benchhud::schema
