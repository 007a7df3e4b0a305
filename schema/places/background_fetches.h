// Objects that are fetched into a cache while nobody waits for them: a place may be slow, or answer
// nobody for minutes, and who serves pages has not a thread for each request that asks for one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "schema/base/errors.h"
#include "schema/places/object_cache.h"
#include "schema/places/object_place.h"

namespace benchhud::schema {

/// Several threads may use one at the same time.
class BackgroundFetches {
 public:
  /// How long somebody waits, from when the fetch of his object began.
  static constexpr std::chrono::milliseconds kUsualPatience{5000};
  /// So many wait at once: each holds a thread, and perhaps what others need as well.
  static constexpr std::size_t kMostWaiting = 2;
  /// So many objects are fetched at once.
  static constexpr std::size_t kMostAtOnce = 8;

  explicit BackgroundFetches(ObjectCache& cache,
                             std::chrono::milliseconds patience = kUsualPatience)
      : cache_(cache), patience_(patience) {}
  /// As end().
  ~BackgroundFetches();
  BackgroundFetches(const BackgroundFetches&) = delete;
  BackgroundFetches& operator=(const BackgroundFetches&) = delete;

  /// Opens the place of an object, which gives up once it is asked to (PlaceOptions::gives_up).
  using OpenPlace = std::function<Expected<std::unique_ptr<ObjectPlace>>(std::function<bool()>)>;

  /// The object, once it has come into the cache. A fetch goes on when nobody waits for it any
  /// more; who asks for its object then is not kept waiting at all. Errors: those of `open` and
  /// ObjectCache::get(); kUnavailable also where it takes longer than the patience, where too many
  /// others wait or are being fetched, and after end().
  Expected<std::shared_ptr<const CachedObject>> wait_for(const ObjectName& object,
                                                         const OpenPlace& open);

  /// Ends what is under way, as soon as its place gives up (which asks about once a second), and
  /// begins nothing any more.
  void end();

 private:
  struct Fetch;

  void begin(const std::shared_ptr<Fetch>& fetch, const ObjectName& object, const OpenPlace& open);
  void remove_ended();

  ObjectCache& cache_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool gives_up_ = false;
  std::size_t waiting_ = 0;
  std::map<std::string, std::shared_ptr<Fetch>> fetches_;  // by hash
};

}  // namespace benchhud::schema
