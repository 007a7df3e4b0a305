// A bounded cache of things that are dear to make and never change once made. What changes has
// another key: keys hold the revision of what the thing was made of.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "schema/base/errors.h"

namespace benchhud::service {

/// Threads may share it. Two that want the same thing at once make it once: the second one waits.
template <class T>
class SharedCache {
 public:
  using Pointer = std::shared_ptr<const T>;
  using Make = std::function<schema::Expected<T>()>;

  /// Keeps at most `budget`, in whatever unit `cost` counts (one a thing unless given). The least
  /// recently used go first; what alone is over the budget is not kept.
  explicit SharedCache(std::size_t budget, std::function<std::size_t(const T&)> cost = nullptr)
      : budget_(budget), cost_(std::move(cost)) {}

  /// What is kept under `key`, or null.
  Pointer find(const std::string& key) {
    const std::scoped_lock lock(mutex_);
    return find_locked(key);
  }

  /// What is kept under `key`; made and kept if it is not there. An error is not kept.
  schema::Expected<Pointer> get(const std::string& key, const Make& make) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (auto found = find_locked(key)) return found;
      if (making_.insert(key).second) break;
      made_.wait(lock);
    }
    lock.unlock();
    const Finish finish{this, key};
    auto made = make();
    if (!made) return std::move(made).error();
    auto pointer = std::make_shared<const T>(*std::move(made));
    put(key, pointer);
    return Pointer(std::move(pointer));
  }

  /// Keeps `pointer` under `key`, instead of what was there.
  void put(const std::string& key, Pointer pointer) {
    const std::size_t cost = cost_ ? cost_(*pointer) : 1;
    const std::scoped_lock lock(mutex_);
    const auto old = places_.find(key);
    if (old != places_.end()) {
      used_ -= old->second->cost;
      items_.erase(old->second);
      places_.erase(old);
    }
    if (cost > budget_) return;
    items_.push_front({key, std::move(pointer), cost});
    places_.emplace(key, items_.begin());
    used_ += cost;
    while (used_ > budget_) {
      used_ -= items_.back().cost;
      places_.erase(items_.back().key);
      items_.pop_back();
    }
  }

 private:
  struct Item {
    std::string key;
    Pointer pointer;
    std::size_t cost;
  };

  /// Lets the waiting ones go on however making ends.
  struct Finish {
    SharedCache* cache;
    const std::string& key;
    ~Finish() {
      const std::scoped_lock lock(cache->mutex_);
      cache->making_.erase(key);
      cache->made_.notify_all();
    }
  };

  Pointer find_locked(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    items_.splice(items_.begin(), items_, found->second);
    return found->second->pointer;
  }

  const std::size_t budget_;
  const std::function<std::size_t(const T&)> cost_;
  std::mutex mutex_;
  std::condition_variable made_;
  std::list<Item> items_;  // most recently used first
  std::unordered_map<std::string, typename std::list<Item>::iterator> places_;
  std::unordered_set<std::string> making_;
  std::size_t used_ = 0;
};

}  // namespace benchhud::service
